# Pattern rules for judging, to be included in a Makefile of your own:
#
#   include $(shell jb-filters --root)/jb.mk
#   JUDGE = arena_hard
#   RENDERFLAGS = --order both
#   MODEL = gpt-6-luna
#   all: pairs.report.json
#
# From NAME.jsonl come NAME.trials.ndjson, NAME.replies.ndjson, NAME.verdicts.ndjson, NAME.results.ndjson and
# NAME.report.json; make makes again what depends on a change: of a file, of the judge and other files named here, of the
# model or any flags. Each file is written whole or not at all, and replies that were paid for are in jb-call's cache, so
# make continues an interrupted run. A report that misses a gate is kept as NAME.report.json.missed.
#
# JB, EXPECT and the variables ending in FLAGS are words of a shell's command line. JUDGE and MODEL are texts: the shell acts on
# nothing in them, nor in the names of files.

JUDGE ?= arena_hard
MODEL ?= baseline:longer
# Pairs in both orders: --order both
RENDERFLAGS ?=
CALLFLAGS ?=
PARSEFLAGS ?=
SCOREFLAGS ?=
AGGREGATEFLAGS ?=
# UNTIL = decided stops asking once the gate in AGGREGATEFLAGS (--fail-under X) is decided, with items in the random order that
# SHUFFLE gives. The steps are then one pipe, without files; a command of it that fails leaves the gate undecided, and so missed.
UNTIL ?=
SHUFFLE ?= $(shell git rev-parse HEAD 2>/dev/null || echo 1)
# Items of NAME.jsonl that are missing from a report count as failed. Empty where RENDERFLAGS has --limit; where it has
# --id, AGGREGATEFLAGS has it too.
EXPECT ?= $(if $(wildcard $*.jsonl),--expect=$(call jb_word,$*.jsonl))
# In front of each command: a folder and a slash, where jb-* is not on the PATH. It is set in a Makefile or as make JB=…:
# an environment variable of so short a name is some other program's.
ifeq ($(origin JB),environment)
JB :=
endif
JB ?=

# A text as one word for the shell; a variable's text, in which nothing is expanded if it is the environment's.
define jb_newline


endef
jb_word = $(if $(findstring $(jb_newline),$(1)),$(error a line end in $(1)))'$(subst ','\'',$(1))'
jb_text = $(if $(filter environment%,$(origin $(1))),$(value $(1)),$($(1)))
jb_judge = $(call jb_word,$(call jb_text,JUDGE))
jb_model = $(call jb_word,$(call jb_text,MODEL))
# Puts a file in the target's place.
jb_in_place = mv -f -- $(call jb_word,$(1)) $(call jb_word,$@)
jb_into = > $(call jb_word,$@.part) && $(call jb_in_place,$@.part)

%.trials.ndjson: %.jsonl .%.render.args
	$(JB)jb-render $(RENDERFLAGS) -- $(jb_judge) $(call jb_word,$<) $(jb_into)

%.replies.ndjson: %.trials.ndjson .%.call.args
	$(JB)jb-call --model=$(jb_model) --judge=$(jb_judge) $(CALLFLAGS) -- $(call jb_word,$<) $(jb_into)

%.verdicts.ndjson: %.replies.ndjson .%.parse.args
	$(JB)jb-parse --judge=$(jb_judge) $(PARSEFLAGS) -- $(call jb_word,$<) $(jb_into)

%.results.ndjson: %.verdicts.ndjson .%.score.args
	$(JB)jb-score $(SCOREFLAGS) -- $(call jb_word,$<) $(jb_into)

ifeq ($(UNTIL),)
%.report.json: %.verdicts.ndjson .%.aggregate.args
	$(JB)jb-aggregate --judge=$(jb_judge) $(EXPECT) $(AGGREGATEFLAGS) --output=$(call jb_word,$@.missed) -- \
	  $(call jb_word,$<) && $(call jb_in_place,$@.missed)
else
%.report.json: %.jsonl .%.render.args .%.call.args .%.parse.args .%.aggregate.args
	$(JB)jb-render $(RENDERFLAGS) --shuffle=$(call jb_word,$(SHUFFLE)) -- $(jb_judge) $(call jb_word,$<) | \
	  $(JB)jb-call --model=$(jb_model) --judge=$(jb_judge) $(CALLFLAGS) | $(JB)jb-parse --judge=$(jb_judge) $(PARSEFLAGS) | \
	  $(JB)jb-aggregate --judge=$(jb_judge) --until=$(call jb_word,$(UNTIL)) $(AGGREGATEFLAGS) --output=$(call jb_word,$@.missed) && \
	  $(call jb_in_place,$@.missed)
endif

# make choose LABELLED=items.jsonl JUDGES="now.yaml short.yaml": judges labelled items by each of these judges, whose files have no
# space in their names, and prints which one to take; the first is what you have. CHOOSE is accuracy or balanced.
LABELLED ?=
JUDGES ?=
CHOOSE ?= accuracy
CHOOSEFLAGS ?=
jb_judged = $(basename $(LABELLED)).$(notdir $(basename $(1)))
# It is no goal of a Makefile that names none.
jb_goal := $(.DEFAULT_GOAL)
.PHONY: choose
choose:
	@$(foreach judge,$(JUDGES),\
	  $(JB)jb-render $(RENDERFLAGS) -- $(call jb_word,$(judge)) $(call jb_word,$(LABELLED)) \
	    > $(call jb_word,$(call jb_judged,$(judge)).trials.ndjson) && \
	  $(JB)jb-call --model=$(jb_model) --judge=$(call jb_word,$(judge)) $(CALLFLAGS) -- \
	    $(call jb_word,$(call jb_judged,$(judge)).trials.ndjson) > $(call jb_word,$(call jb_judged,$(judge)).replies.ndjson) && \
	  $(JB)jb-parse --judge=$(call jb_word,$(judge)) $(PARSEFLAGS) -- \
	    $(call jb_word,$(call jb_judged,$(judge)).replies.ndjson) > $(call jb_word,$(call jb_judged,$(judge)).verdicts.ndjson) &&) \
	$(JB)jb-compare --choose=$(call jb_word,$(CHOOSE)) --format=table $(CHOOSEFLAGS) -- \
	  $(foreach judge,$(JUDGES),$(call jb_word,$(notdir $(basename $(judge)))=$(call jb_judged,$(judge)).verdicts.ndjson))
.DEFAULT_GOAL := $(jb_goal)

# What a step was made with: its words, and checksums of the files among them. Written again only if that changed. It is
# compared in every run, by `+` also in one of make -n, which would otherwise take it for changed.
jb_args = $(shell { printf '%s\n' $(call jb_word,$(1)); \
	  cksum -- /dev/null $(foreach file,$(wildcard $(1)),$(call jb_word,$(file))); } $(call jb_kept,$(call jb_word,$@.part),$(call jb_word,$@)))
jb_kept = > $(1); if cmp -s -- $(1) $(2); then rm -f -- $(1); else mv -f -- $(1) $(2); fi

.%.render.args: .jb-always
	+$(call jb_args,$(call jb_text,JUDGE) $(RENDERFLAGS))
.%.call.args: .jb-always
	+$(call jb_args,$(call jb_text,MODEL) $(CALLFLAGS))
.%.parse.args: .jb-always
	+$(call jb_args,$(PARSEFLAGS))
.%.score.args: .jb-always
	+$(call jb_args,$(SCOREFLAGS))
.%.aggregate.args: .jb-always
	+$(call jb_args,$(AGGREGATEFLAGS))

# `make board` writes board.txt: the best TOP of the models whose answers are in ANSWERS, judged a round at a time, ROUND battles each,
# until they are known. battles.ndjson is the only state: an interrupted loop goes on, and what it has is not asked again.
ANSWERS ?= answers.jsonl
TOP ?= 3
ROUND ?= 64
BOARD ?= board.txt
RANKFLAGS ?=
# Targets without a pattern are not the goal of a Makefile that includes this one.
jb_goal := $(.DEFAULT_GOAL)
jb_rank = $(JB)jb-rank --top=$(call jb_word,$(TOP)) $(RANKFLAGS)
board: $(BOARD)
$(BOARD): $(ANSWERS)
	touch battles.ndjson
	set -e; while $(jb_rank) --next=$(call jb_word,$(ROUND)) --answers=$(call jb_word,$<) battles.ndjson > battles.next; do \
	  $(JB)jb-render --order both $(RENDERFLAGS) -- $(jb_judge) battles.next > battles.trials; \
	  $(JB)jb-call --model=$(jb_model) --judge=$(jb_judge) $(CALLFLAGS) battles.trials > battles.replies; \
	  $(JB)jb-parse --judge=$(jb_judge) $(PARSEFLAGS) battles.replies >> battles.ndjson; \
	done; rm -f battles.next battles.trials battles.replies
	$(jb_rank) --format table battles.ndjson $(jb_into)
.DEFAULT_GOAL := $(jb_goal)

.PHONY: board .jb-always
.jb-always:

# Each step is worth keeping: they are the log of the run.
.PRECIOUS: %.trials.ndjson %.replies.ndjson %.verdicts.ndjson %.results.ndjson
.PRECIOUS: .%.render.args .%.call.args .%.parse.args .%.score.args .%.aggregate.args
