/**
 * FastChat's judge_prompts.jsonl: prompts in Python's format syntax, for one answer (`single`) or two
 * (`pairwise`), with and without a reference, for one turn and for two.
 * https://github.com/lm-sys/FastChat/tree/main/fastchat/llm_judge
 */
import { resolve } from 'node:path'
import { Catalogue } from '../files/data.ts'
import { objectsOf } from '../files/objects.ts'
import { readText } from '../files/text.ts'
import { didYouMean } from '../options/nearest.ts'
import { configError, EXIT, type Message } from '../rows/record.ts'
import { notAJudge } from './_check.ts'
import type { Judge, JudgeFile, VerdictConfig } from './_judge.ts'

interface Prompt {
  name: string
  type: string
  system_prompt: string
  prompt_template: string
  output_format?: string
}

/** The prompts of a file. @throws Fatal (configuration) with the wrong line */
export async function readPrompts(path: string): Promise<Prompt[]> {
  const objects = await objectsOf(readText(path, EXIT.config), path, EXIT.config)
  return objects.map(({ object, place }) => {
    if (object.system_prompt === undefined && object.prompt_template === undefined) throw notAJudge(path)
    for (const key of ['name', 'type', 'system_prompt', 'prompt_template'])
      if (typeof object[key] !== 'string')
        throw configError(
          `${place}: "${key}" is missing: a prompt has name, type, system_prompt and prompt_template`,
        )
    return object as unknown as Prompt
  })
}

/** The prompts of a type as messages. The system prompt is not a template, so its braces are escaped. */
export function variantsOf(prompts: Prompt[], type: string, where: string): NonNullable<Judge['variants']> {
  const found = prompts.filter((prompt) => prompt.type === type)
  if (found.length === 0) throw configError(`${where}: no prompt of type "${type}"`)
  return found.map((prompt) => ({ name: prompt.name, messages: messagesOf(prompt) }))
}

const messagesOf = ({ system_prompt, prompt_template }: Prompt): Message[] => [
  { role: 'system', content: system_prompt.replace(/[{}]/g, '$&$&') },
  { role: 'user', content: prompt_template },
]

/** For each output format, the built-in judge whose replies are the same, or the rule; and FastChat's own reading. */
const FORMATS: Record<string, { verdict: string | VerdictConfig; original: string }> = {
  '[[rating]]': { verdict: 'mt_bench', original: 'mt_bench' },
  '[[A]]': { verdict: 'mt_bench_pair', original: 'mt_bench_pair' },
  '[[rating_a,rating_b]]': {
    verdict: {
      rule: 'pair',
      pattern: '\\[\\[\\s*(\\d+(?:\\.\\d*)?)\\s*,\\s*(\\d+(?:\\.\\d*)?)\\s*\\]\\]',
      tie_within: 0.1,
      example: '[[{a},{b}]]',
    },
    original: 'two_ratings',
  },
}

/**
 * The judge of a file of prompts: `judge_prompts.jsonl#single`, `#pairwise`, or one prompt by its name. An item gets the
 * prompt with the most variables of those for which it has all variables.
 * @throws Fatal (configuration)
 */
export async function promptsJudge(path: string, part: string | undefined): Promise<Judge> {
  const prompts = await readPrompts(path)
  const types = [...new Set(prompts.map(({ type }) => type))]
  const wanted = part ?? (types.length === 1 ? types[0] : undefined)
  if (wanted === undefined)
    throw configError(
      `${path}: has prompts of several types: name one, as in ${types.map((type) => `${path}#${type}`).join(' or ')}`,
    )
  const named = prompts.filter(({ name }) => name === wanted)
  const chosen = named.length > 0 ? named : prompts.filter(({ type }) => type === wanted)
  const [first] = chosen
  if (!first) {
    const names = prompts.map(({ name }) => name)
    const hint = didYouMean(wanted, [...types, ...names], ` (${names.join(', ')})`)
    throw configError(`${path}: no prompt "${wanted}"${hint}`)
  }
  const pairwise = first.type === 'pairwise'
  const format = first.output_format ?? (pairwise ? '[[A]]' : '[[rating]]')
  const reading = FORMATS[format]
  if (!reading)
    throw configError(`${path}: output_format "${format}" is unknown (${Object.keys(FORMATS).join(', ')})`)
  const verdict =
    typeof reading.verdict === 'string'
      ? ((await new Catalogue('judges').data(reading.verdict)) as JudgeFile).verdict!
      : reading.verdict
  return {
    name: part === undefined ? path : `${path}#${part}`,
    where: path,
    about: `${first.type} prompts of ${path}`,
    kind: reading === FORMATS['[[rating]]'] ? 'grade' : 'pairwise',
    fields: {},
    syntax: 'format',
    variants: variantsOf(chosen, first.type, path),
    ...(pairwise && {
      answers: ['answer_a', 'answer_b'],
      swap: [
        ['answer_a_1', 'answer_b_1'],
        ['answer_a_2', 'answer_b_2'],
      ] as [string, string][],
    }),
    request: { temperature: 0, max_tokens: 2048 },
    verdict,
    compat: { 'mt-bench': reading.original },
    folder: resolve(path, '..'),
    builtin: true,
  }
}
