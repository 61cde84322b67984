/**
 * How a file was made stands in a folder `.jb` beside it, under its name: the step as the shell reads it. Another model,
 * setting or list of files is another step: so the file is made again, and nothing that the change does not reach.
 */
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Those that name the model, the first of them before the others. */
const USUAL = ['JB_MODEL', 'LLM_JUDGE_MODEL', 'OPENAI_MODEL', 'LLM_MODEL']

/** The folder and the file in it. */
export const stepPath = (path: string) => join(dirname(path), '.jb', basename(path))

/**
 * The end of a Makefile: what keeps the steps. Of the environment that is what jb-call takes from it and replies depend on,
 * never a key, and no text of it. What asks again changes replies, not what they are replies to.
 */
export const KEEPING = `# How each file was made is kept in .jb beside it: in every run, what would now be made otherwise is made again.
decide := JB_MODEL JB_API JB_BASE_URL JB_PARAM JB_TEMPERATURE JB_MAX_TOKENS JB_HEADER JB_REPAIR JB_COMPAT JB_REPLAY \\
  $(foreach name,LLM_JUDGE OPENAI LLM ANTHROPIC,$(name)_MODEL $(name)_API_BASE $(name)_BASE_URL)
environment := $(shell printf '%s\\n' $(foreach name,$(decide),'$(subst ','\\'',$(value $(name)))') | cksum)
usual_model := $(firstword $(foreach name,${USUAL.join(' ')},$(value $(name))))
text = $(subst ','\\'',$(filter-out --refresh,$(1)))
keep = $(shell [ '$(text)' = "$$(cat $@ 2> /dev/null)" ] || \\
  { mkdir -p $(@D) && printf '%s\\n' '$(text)' > $@; } 2> /dev/null || :)
`

/**
 * Whether a file is there and was made by another step than this one.
 * @param step as the Makefile has it
 * @param variables the Makefile's
 */
export function madeOtherwise(
  path: string,
  step: string,
  variables: ReadonlyMap<string, string>,
  env: Record<string, string | undefined>,
): boolean {
  const kept = stepPath(path)
  if (!existsSync(path) || !existsSync(kept)) return false
  const usual = USUAL.map((name) => env[name]).find(Boolean) ?? ''
  const known = new Map([...variables, ['usual_model', usual], ['CALL', env.CALL ?? '']])
  let text = step.replaceAll('$$', '\0')
  while (/\$\([^()]*\)/.test(text))
    text = text.replace(
      /\$\((?:addprefix ([^,]*),)?([^()]*)\)/g,
      (_, prefix: string | undefined, name: string) => {
        const value = known.get(name) ?? name
        return prefix === undefined || value === '' ? value : `${prefix}${value}`
      },
    )
  return plain(readFileSync(kept, 'utf8')) !== plain(text)
}

/** As make's filter-out leaves it. */
const plain = (text: string) =>
  text
    .replaceAll('\\\n', ' ')
    .replaceAll('\0', '$')
    .replaceAll('$$', '$')
    .split(/\s+/)
    .filter((word) => word !== '' && word !== '--refresh')
    .join(' ')
