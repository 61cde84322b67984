/**
 * How a file was made stands in a folder `.jb` beside it, under its name: the step as the shell reads it. Another model,
 * setting or list of files is another step: so the file is made again, and nothing that the change does not reach. Of a
 * bank, which is used as it is, only a line says so.
 */

/** Variables that name the model, the first of them before the others. */
export const USUAL_MODEL = ['JB_MODEL', 'LLM_JUDGE_MODEL', 'OPENAI_MODEL', 'LLM_MODEL']

/**
 * The end of a Makefile: what keeps the steps. Of the environment that is what jb-call takes from it and replies depend on,
 * never a key, and no text of it. What asks again changes replies, not what they are replies to.
 */
export const KEEPING = `# How each file was made is kept in .jb beside it: in every run, what would now be made otherwise is made again.
decide := JB_MODEL JB_API JB_BASE_URL JB_PARAM JB_TEMPERATURE JB_MAX_TOKENS JB_HEADER JB_REPAIR JB_COMPAT JB_REPLAY \\
  $(foreach name,LLM_JUDGE OPENAI LLM ANTHROPIC,$(name)_MODEL $(name)_API_BASE $(name)_BASE_URL)
environment := $(shell printf '%s\\n' $(foreach name,$(decide),'$(subst ','\\'',$(value $(name)))') | cksum)
usual_model := $(firstword $(foreach name,${USUAL_MODEL.join(' ')},$(value $(name))))
text = $(subst ','\\'',$(filter-out --refresh,$(1)))
keep = $(shell [ '$(text)' = "$$(cat $@ 2> /dev/null)" ] || \\
  { mkdir -p $(@D) && printf '%s\\n' '$(text)' > $@; } 2> /dev/null || :)
`

/** And for banks: the line that is said. */
export const TELLING = `bank = $(patsubst %.jb/,%,$(@D)/)$(@F)
tell = $(shell [ ! -e $(bank) ] || [ ! -e $@ ] || [ '$(text)' = "$$(cat $@)" ] || echo '$(bank) was made with another \\
  model or other options and is used as it is: --force-recreate-nuggets makes it again' >&2)
`
