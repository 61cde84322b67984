/** Checks judge files, so that a mistake is reported with file and key before any request is sent. */
import { didYouMean } from '../options/nearest.ts'
import { COMBINATIONS, configError, type JsonObject, KINDS, ORIGINALS } from '../rows/record.ts'
import {
  type AgainConfig,
  asksNothing,
  type ContentPart,
  type Judge,
  type JudgeFile,
  type JudgeIdentity,
  type JudgeMessage,
  SYNTAXES,
} from './_judge.ts'
import { checkQuestions } from './_questions.ts'

/** The keys of a judge file, and the types of their values. */
export const JUDGE_KEYS: Record<string, string> = {
  about: 'string',
  kind: 'string',
  fields: 'object',
  answers: 'array',
  messages: 'array',
  prompt: 'string',
  questions: 'object',
  syntax: 'string',
  set: 'object',
  request: 'object',
  verdict: 'object',
  combine: 'string',
  keep: 'object',
  again: 'object',
  templates: 'object',
  compat: 'object',
  criteria: 'string',
  each: 'any',
  chain: 'string',
  contests: 'boolean',
  options: 'any',
  range: 'array',
  swap: 'array',
  measures: 'object',
  render: 'function',
  parse: 'function',
}

/** The error for a file of rows as the judge: the user forgot the judge's name. */
export const notAJudge = (name: string) =>
  configError(
    `${name} is a file of rows, not a judge: the judge comes first, as in jb-render JUDGE ${name} (jb-render --list shows all)`,
  )

/** Makes a judge of a judge file's content. @throws Fatal (configuration) with file, key and what was expected */
export function checkJudge(file: unknown, identity: JudgeIdentity): Judge {
  const { where } = identity
  if (typeOf(file) !== 'object')
    throw configError(
      `${where}: a judge file must be a mapping, ${file === null ? 'this one is empty' : `not ${article(typeOf(file))}`}`,
    )
  const judge = file as JudgeFile & Judge
  checkTypes(judge, where)
  if (!judge.kind) throw configError(`${where}: "kind" is missing (one of ${KINDS.join(', ')})`)
  checkWord('kind', judge.kind, KINDS, where)
  if (judge.syntax !== undefined) checkWord('syntax', judge.syntax, SYNTAXES, where)
  checkPrompt(judge, where)
  for (const [key, value] of Object.entries(judge.fields ?? {}))
    if (typeof value !== 'string') throw configError(`${where}: fields.${key} must name an item's field`)
  checkAnswers(judge, where)
  checkRequest(judge.request ?? {}, where)
  checkUsed(judge, where)
  if (judge.again) checkAgain(judge.again, where)
  if (judge.templates) checkTemplates(judge.templates, where)
  if (!judge.parse && typeof judge.verdict?.rule !== 'string')
    throw configError(`${where}: "verdict" needs a "rule", or the file a parse function`)
  checkQuestions(judge, where)
  for (const [name, original] of Object.entries(judge.compat ?? {})) {
    checkMember('compat', name, ORIGINALS, where)
    if (!isText(original))
      throw configError(
        `${where}: compat.${name} must name a reading of that original, as in { judgebench: arena_hard }`,
      )
  }
  return {
    ...judge,
    ...withAllParts(judge),
    about: judge.about ?? '',
    fields: judge.fields ?? {},
    ...identity,
  }
}

/** @throws Fatal (configuration) for an unknown key or a value of another type */
function checkTypes(judge: Pick<Judge, 'combine'>, where: string): void {
  for (const [key, value] of Object.entries(judge)) {
    const expected = Object.hasOwn(JUDGE_KEYS, key) ? JUDGE_KEYS[key] : undefined
    if (!expected)
      throw configError(`${where}: unknown key "${key}"${knownHint(key, Object.keys(JUDGE_KEYS))}`)
    if (expected !== 'any' && typeOf(value) !== expected)
      throw configError(`${where}: "${key}" must be ${article(expected)}, not ${article(typeOf(value))}`)
  }
  if (judge.combine !== undefined) checkWord('combine', judge.combine, COMBINATIONS, where)
}

/** @throws Fatal (configuration) for a key that only another kind of judge has */
function checkUsed(
  { kind, range, swap, verdict, measures, criteria, options, contests, parse }: Judge,
  where: string,
): void {
  if (range !== undefined && kind !== 'grade')
    throw configError(`${where}: "range" is not used: it is of the scores of kind grade`)
  if (swap !== undefined && kind !== 'pairwise')
    throw configError(`${where}: "swap" is not used: it is for kind pairwise, whose answers are exchanged`)
  if (measures !== undefined && kind !== 'grade' && kind !== 'choice')
    throw configError(
      `${where}: "measures" is not used: they are made of the scores and options of kinds grade and choice`,
    )
  if (verdict?.pattern !== undefined && verdict.patterns !== undefined)
    throw configError(`${where}: verdict.pattern is not used beside verdict.patterns: put it into the list`)
  if (criteria !== undefined || parse) return
  if (options !== undefined)
    throw configError(
      `${where}: "options" is not used: it is for judges with criteria; the options of this one stand in its rule: verdict.options of rule json, verdict.labels of rule label ({ PASS: 1, FAIL: 0 } gives each its score)`,
    )
  if (contests !== undefined)
    throw configError(`${where}: "contests" is not used: it is for judges with criteria`)
}

export const ROLES = ['system', 'user', 'assistant']

/** Whether a message's content is a list of texts and images. */
function isParts({ role, content }: { role: string; content: unknown }): boolean {
  if (role !== 'user' || !Array.isArray(content) || content.length === 0) return false
  return content.every((part) => {
    if (typeOf(part) !== 'object') return false
    const keys = Object.keys(part).sort().join(' ')
    if (keys === 'text') return isText(part.text)
    const detail = part.detail === undefined || ['low', 'high', 'auto'].includes(part.detail)
    return (keys === 'images' || keys === 'detail images') && isText(part.images) && detail
  })
}

const withAllParts = ({ messages }: JudgeFile): Partial<JudgeFile> =>
  messages ? { messages: messages.map(withParts) } : {}

/** A message's texts as its content, and what it shows between them. */
function withParts(message: JudgeMessage): JudgeMessage {
  const parts = message.content as unknown
  if (!Array.isArray(parts)) return message
  const content = (parts as ContentPart[]).flatMap((part) => part.text ?? []).join('\n')
  return { role: message.role, content, parts }
}

/** @throws Fatal (configuration) unless the judge asks in one way, with complete messages */
function checkPrompt({ messages, prompt, render, verdict }: Judge, where: string): void {
  const asks = [messages, prompt, render].filter(Boolean).length
  if (asks === 0 && asksNothing({ verdict })) return
  if (asks !== 1)
    throw configError(
      `${where}: exactly one of "messages", "prompt" and a render function is needed, not ${asks}`,
    )
  if (messages?.length === 0)
    throw configError(`${where}: "messages" is empty, expected at least one with "role" and "content"`)
  for (const [index, message] of (messages ?? []).entries()) {
    if (!ROLES.includes(message?.role) || !(typeof message.content === 'string' || isParts(message)))
      throw configError(
        `${where}: messages[${index}] needs "role" (system, user or assistant) and "content": a template, or for the user a list of { text: TEMPLATE } and { images: NAME, detail: low }`,
      )
    const odd = Object.keys(message).find((key) => key !== 'role' && key !== 'content')
    if (odd !== undefined)
      throw configError(`${where}: unknown key messages[${index}].${odd} (known: role, content)`)
  }
}

/** @throws Fatal (configuration) */
function checkTemplates(templates: NonNullable<Judge['templates']>, where: string): void {
  checkMembers('templates', templates, TEMPLATES, where)
  if (!templates.user && !templates.prompts && !templates.chatml)
    throw configError(`${where}: templates.user is missing: the name of a template file, without .jinja2`)
}

/** @throws Fatal (configuration) unless each answer has its own template name */
function checkAnswers({ kind, answers = [], swap = [] }: Judge, where: string): void {
  for (const [index, pair] of swap.entries())
    if (!isTexts(pair) || pair.length !== 2 || pair[0] === pair[1])
      throw configError(
        `${where}: swap[${index}] is ${JSON.stringify(pair)}, expected two different template names`,
      )
  const two = kind === 'pairwise' && answers.length > 0
  if (isTexts(answers) && new Set(answers).size === answers.length && (!two || answers.length === 2)) return
  throw configError(
    `${where}: "answers" is ${JSON.stringify(answers)}, expected ${two ? 'two' : 'a list of'} different template names`,
  )
}

/** @throws Fatal (configuration) with the possible words and the nearest one */
function checkWord(key: string, word: string, words: readonly string[], where: string): void {
  if (words.includes(word)) return
  throw configError(
    `${where}: "${key}" is "${word}", expected one of ${words.join(', ')}${didYouMean(word, words)}`,
  )
}

/** Keys that would replace what is set elsewhere. */
const NO_PARAMETERS: Record<string, string> = {
  messages: 'the prompt is "messages" of the file',
  prompt: 'the prompt is "prompt" of the file',
  questions: 'typed questions are "questions" of the file',
  model: 'jb-call --model names it',
}

/** @throws Fatal (configuration) */
function checkRequest(request: JsonObject, where: string, of = 'request'): void {
  for (const [key, why] of Object.entries(NO_PARAMETERS))
    if (key in request) throw configError(`${where}: ${of}.${key} is not a parameter of a request: ${why}`)
  for (const key of ['temperature', 'top_p', 'max_tokens'])
    if (key in request && !Number.isFinite(request[key]))
      throw configError(`${where}: ${of}.${key} must be a number, not ${JSON.stringify(request[key])}`)
}

/** The test of a value, the expected value in words, and as JSON Schema. */
export type ValueCheck = [is: (value: unknown) => boolean, expected: string, schema: JsonObject]

type Members = Record<string, ValueCheck | undefined>

const STRING = { type: 'string' }

export const AGAIN: Members = {
  ask: [isText, 'a string', STRING],
  times: [
    (value) => Number.isInteger(value) && (value as number) >= 0,
    'a whole number of at least 0',
    { type: 'integer', minimum: 0 },
  ],
  prefill: [isText, 'a string', STRING],
  request: [(value) => typeOf(value) === 'object', 'a mapping of parameters', { type: 'object' }],
  schema: [(value) => typeof value === 'boolean', 'true or false', { type: 'boolean' }],
}

/** @throws Fatal (configuration) */
function checkAgain(again: AgainConfig, where: string): void {
  checkMembers('again', again, AGAIN, where)
  checkRequest(again.request ?? {}, where, 'again.request')
}

export const TEMPLATES: Members = {
  system: [isText, 'the name of a template file', STRING],
  chatml: [isText, 'the name of a prompt file in ChatML', STRING],
  user: [isText, 'the name of a template file', STRING],
  vars: [
    (value) => typeOf(value) === 'object' && Object.values(value as object).every(isText),
    'a mapping of each variable to a name of the judge',
    { type: 'object', additionalProperties: STRING },
  ],
  append: [isText, 'a string', STRING],
  without: [isTexts, 'a list of strings', { type: 'array', items: STRING }],
  prompts: [
    (value) => value === 'single' || value === 'pairwise',
    'single or pairwise',
    { enum: ['single', 'pairwise'] },
  ],
}

/**
 * Checks the names and values of a mapping. Undefined values are ignored; null is checked, because YAML gives it to a key
 * without a value.
 * @throws Fatal (configuration)
 */
export function checkMembers(key: string, mapping: object, members: Members, where: string, of = ''): void {
  for (const [name, value] of Object.entries(mapping)) {
    if (value === undefined) continue
    checkMember(key, name, Object.keys(members), where, of)
    const [is, expected] = members[name] ?? []
    if (is && !is(value))
      throw configError(`${where}: ${key}.${name} is ${JSON.stringify(value)}, expected ${expected}`)
  }
}

/** @throws Fatal (configuration) with the nearest of the possible names, or all of them */
function checkMember(key: string, name: string, names: readonly string[], where: string, of = ''): void {
  if (names.includes(name)) return
  throw configError(`${where}: unknown key ${key}.${name}${of}${knownHint(name, names)}`)
}

const knownHint = (name: string, known: readonly string[]) =>
  didYouMean(name, known, ` (known: ${known.join(', ')})`)

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText)
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return value === null ? 'null' : typeof value
}

const article = (word: string) =>
  /^[aeiou]/.test(word) ? `an ${word}` : word === 'null' ? word : `a ${word}`
