# Pattern rules for judging, to be included in a Makefile of your own:
#
#   include $(shell npm root -g)/jb-filters/jb.mk
#   JUDGE = arena_hard
#   RENDERFLAGS = --order both
#   MODEL = gpt-4o
#   all: pairs.report.json
#
# From NAME.jsonl come NAME.trials.ndjson, NAME.replies.ndjson, NAME.verdicts.ndjson, NAME.results.ndjson and
# NAME.report.json; make makes again what depends on a change: of a file, of the judge and other files named here, of the
# model or any flags. Each file is written whole or not at all, and replies that were paid for are in jb-call's cache, so
# make continues an interrupted run. A report that misses a gate is kept as NAME.report.json.missed.

JUDGE ?= arena_hard
MODEL ?= baseline:longer
# Pairs in both orders: --order both
RENDERFLAGS ?=
CALLFLAGS ?=
PARSEFLAGS ?=
SCOREFLAGS ?=
AGGREGATEFLAGS ?=
# Items of NAME.jsonl that are missing from a report count as failed. Empty where RENDERFLAGS has --limit; where it has
# --id, AGGREGATEFLAGS has it too.
EXPECT ?= $(if $(wildcard $*.jsonl),--expect $*.jsonl)
# In front of each command: a folder and a slash, where jb-* is not on the PATH. It is set in a Makefile or as make JB=…:
# an environment variable of so short a name is some other program's.
ifeq ($(origin JB),environment)
JB :=
endif
JB ?=

%.trials.ndjson: %.jsonl .%.render.args
	$(JB)jb-render $(JUDGE) $(RENDERFLAGS) $< > $@.part && mv $@.part $@

%.replies.ndjson: %.trials.ndjson .%.call.args
	$(JB)jb-call -m $(MODEL) --judge $(JUDGE) $(CALLFLAGS) $< > $@.part && mv $@.part $@

%.verdicts.ndjson: %.replies.ndjson .%.parse.args
	$(JB)jb-parse --judge $(JUDGE) $(PARSEFLAGS) $< > $@.part && mv $@.part $@

%.results.ndjson: %.verdicts.ndjson .%.score.args
	$(JB)jb-score $(SCOREFLAGS) $< > $@.part && mv $@.part $@

%.report.json: %.verdicts.ndjson .%.aggregate.args
	$(JB)jb-aggregate --judge $(JUDGE) $(EXPECT) $(AGGREGATEFLAGS) -o $@.missed $< && mv $@.missed $@

# What a step was made with: its words, and checksums of the files among them. Written again only if that changed. It is
# compared in every run, by `+` also in one of make -n, which would otherwise take it for changed.
jb_args = $(shell { printf '%s\n' '$(subst ','\'',$(1))'; cksum /dev/null $(wildcard $(1)); } > $@.part; \
	if [ "$$(cat $@.part)" = "$$(cat $@ 2> /dev/null)" ]; then rm $@.part; else mv $@.part $@; fi)

.%.render.args: .jb-always
	+$(call jb_args,$(JUDGE) $(RENDERFLAGS))
.%.call.args: .jb-always
	+$(call jb_args,$(MODEL) $(CALLFLAGS))
.%.parse.args: .jb-always
	+$(call jb_args,$(PARSEFLAGS))
.%.score.args: .jb-always
	+$(call jb_args,$(SCOREFLAGS))
.%.aggregate.args: .jb-always
	+$(call jb_args,$(AGGREGATEFLAGS))

.PHONY: .jb-always
.jb-always:

# Each step is worth keeping: they are the log of the run.
.PRECIOUS: %.trials.ndjson %.replies.ndjson %.verdicts.ndjson %.results.ndjson
.PRECIOUS: .%.render.args .%.call.args .%.parse.args .%.score.args .%.aggregate.args
