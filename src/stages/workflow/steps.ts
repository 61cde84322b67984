/**
 * A folder `.jb` beside each file records the step that made it: its expanded command. If the model, a setting or the list of
 * files changes, make rebuilds the file and what depends on it. A bank is not rebuilt, the difference is only reported.
 */

/** Environment variables that name the model, in order of precedence. */
export const USUAL_MODEL = ['JB_MODEL', 'LLM_JUDGE_MODEL', 'OPENAI_MODEL', 'LLM_MODEL']

/**
 * The end of a Makefile. Records the steps, with a checksum of the environment variables that replies depend on; keys are not
 * among them. `text` drops what does not change requests: --refresh and the cache.
 */
export const KEEPING = `# How each file was made is recorded in .jb beside it: a file whose step has changed is made again.
decide := JB_MODEL JB_API JB_BASE_URL JB_PARAM JB_TEMPERATURE JB_MAX_TOKENS JB_HEADER JB_REPAIR JB_COMPAT JB_REPLAY \\
  $(foreach name,LLM_JUDGE OPENAI LLM ANTHROPIC,$(name)_MODEL $(name)_API_BASE $(name)_BASE_URL)
environment := $(shell printf '%s\\n' $(foreach name,$(decide),'$(subst ','\\'',$(value $(name)))') | cksum)
usual_model := $(firstword $(foreach name,${USUAL_MODEL.join(' ')},$(value $(name))))
text = $(subst ','\\'',$(filter-out --refresh JB_CACHE=%,$(1)))
keep = $(shell [ '$(text)' = "$$(cat $@ 2> /dev/null)" ] || \\
  { mkdir -p $(@D) && printf '%s\\n' '$(text)' > $@; } 2> /dev/null || :)
`

/** The message for banks. */
export const TELLING = `bank = $(patsubst %.jb/,%,$(@D)/)$(@F)
tell = $(shell [ ! -e $(bank) ] || [ ! -e $@ ] || [ '$(text)' = "$$(cat $@)" ] || echo '$(bank) was made with another \\
  model or other options and is used unchanged: --force-recreate-nuggets makes it again' >&2)
`
