/**
 * arena-hard-auto's configuration files: config/judge_config.yaml (v0.1) and config/arena-hard-v2.0.yaml.
 * `prompt_template` is a format string, in v0.1 a list of them, one for each user turn; `system_prompt` is sent unchanged.
 * https://github.com/lmarena/arena-hard-auto
 */
import { configError, type JsonObject, type Message } from '../rows/record.ts'
import type { Judge } from './_judge.ts'

/** The variables of both versions, and the judge's names for them. */
const VARIABLES: Record<string, string> = {
  question_1: 'question',
  answer_1: 'answer_a',
  answer_2: 'answer_b',
  QUESTION: 'question',
  ANSWER_A: 'answer_a',
  ANSWER_B: 'answer_b',
}

/** JudgeBench's template of the same prompt: judges that can use the template can use the configuration, too. */
export const COPIED_PROMPT = 'arena_hard_judge_prompt'

interface Asked {
  messages: Message[]
  request: JsonObject
  notes: string[]
  /** The variables of its templates, and the judge's names for them. */
  vars: Record<string, string>
}

/** The file's prompt and request. @throws Fatal (configuration) with file, key and what was expected */
export function arenaHardMessages(judge: Judge, file: unknown, where: string): Asked {
  const config = (file ?? {}) as JsonObject
  const given = config.prompt_template
  const prompts = Array.isArray(given) ? given : [given]
  if (prompts.length === 0 || !prompts.every((one) => typeof one === 'string'))
    throw configError(
      `${where}: "prompt_template" must be a string or a list of strings (arena-hard-auto’s file)`,
    )
  const { system_prompt: system, regex_pattern: pattern } = config
  if (system !== undefined && typeof system !== 'string')
    throw configError(`${where}: "system_prompt" must be a string`)
  const notes: string[] = []
  if (system === undefined)
    notes.push(
      `${where}: no system_prompt (arena-hard-auto v2.0 has one per category in its code): ${judge.name}’s own is sent; add system_prompt to a copy of the file to send another`,
    )
  if (pattern !== undefined && pattern !== judge.verdict?.pattern)
    notes.push(`${where}: regex_pattern is not used: replies are read as ${judge.name} reads them`)
  const request = { ...judge.request }
  for (const key of ['temperature', 'max_tokens'] as const) {
    if (config[key] === undefined) continue
    if (!Number.isFinite(config[key])) throw configError(`${where}: "${key}" must be a number`)
    request[key] = config[key]
  }
  // Jinja2 drops the last line end.
  const own = judge.messages?.find(({ role }) => role === 'system')?.content.replace(/\n$/, '') ?? ''
  const named = Object.entries(VARIABLES).filter(([name]) => prompts.some((one) => one.includes(`{${name}}`)))
  return {
    messages: [
      { role: 'system', content: (system ?? own).replace(/[{}]/g, '$&$&') },
      ...prompts.map((content): Message => ({ role: 'user', content })),
    ],
    request,
    notes,
    vars: Object.fromEntries(named),
  }
}
