/**
 * What a judge file is, and where judges come from: a built-in name, or a file of the user's
 * (.yaml, .json, .mjs). Both are the same kind of file through the same door.
 */
import { existsSync, readFileSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { Catalogue, readData } from '../data_files.ts'
import { nearest } from '../options.ts'
import {
  configError,
  type Json,
  type JsonObject,
  KINDS,
  type Kind,
  type Message,
  type Verdict,
} from '../record.ts'
import type { Foreign } from './_foreign.ts'

/** How a reply is read: the rule's name and the rule's own keys (see verdicts/). */
export interface VerdictConfig {
  rule: string
  [key: string]: unknown
}

/** What jb-call --repair does where the rule finds no verdict. */
export interface AgainConfig {
  /** A further user turn. */
  ask?: string
  times?: number
  /** Text the judge's own reply is made to go on from. */
  prefill?: string
  /** Stop texts of the continuation; the one that ended it is put back. */
  stop?: string[]
  /** Give the bad reply, the error and the schema back (JSON judges). */
  schema?: boolean
}

/** The languages templates are written in. */
const SYNTAXES = ['jinja', 'format', 'alpaca', 'nunjucks'] as const

/** A judge file, as written. */
export interface JudgeFile {
  about: string
  kind: Kind
  /** Template name: item field (a dotted path). */
  fields: Record<string, string>
  /** pairwise, listwise: the template names that hold the answers, in the item's order. */
  answers?: string[]
  messages?: Message[]
  /** For a completions endpoint, in place of messages. */
  prompt?: string
  syntax?: (typeof SYNTAXES)[number]
  /** Values the templates see beside the fields. */
  set?: JsonObject
  /** Parameters of the request: temperature, max_tokens, response_format, … */
  request?: JsonObject
  verdict?: VerdictConfig
  again?: AgainConfig
  /** With --templates DIR: the files of an original that stand for this judge's prompt, and their variables' names. */
  templates?: {
    system?: string
    user?: string
    vars?: Record<string, string>
    append?: string
    /** The prompts of this type in a judge_prompts.jsonl, in place of files. */
    prompts?: 'single' | 'pairwise'
  }
  /** How an original reads the same reply, by the name --compat has for it. */
  compat?: Record<string, VerdictConfig>
  /** Pairs of template names that are exchanged with the answers, for order BA. */
  swap?: [string, string][]
  /** It asks about criteria (--criteria): about `each` of every item, or about each `once`, with the first item. */
  criteria?: 'each' | 'once'
  /** With criteria. A number: how many options a criterion must have. A text: the label of an answer, `{field}_{n}`. */
  options?: number | string | unknown[] | JsonObject
  /** listwise with criteria: answers are shown two at a time, each against each. */
  contests?: boolean
  /** It goes on from the reply of another judge: in the same chat (`continue`), or in one of its own (`fresh`). */
  chain?: 'continue' | 'fresh'
  /** Further settings of one kind of judge. */
  [key: string]: unknown
}

/** What a `.mjs` judge's `parse` may return: a verdict in shown terms; a string is a decision, option or number. */
export type ParsedReply = Partial<Verdict> | string | number | null | undefined

/** What a `.mjs` judge's `render` may return: the user's message, the messages, or a whole request. */
export type Rendered = string | Message[] | JsonObject

export interface Judge extends JudgeFile, Foreign {
  /** Built-in name, or the path as the user gave it: what stands in `jb.judge`. */
  name: string
  /** Where messages about it point: the file's path, or the name. */
  where: string
  /** Folder of a user's judge file: includes and criteria files are looked for there. */
  folder?: string
  builtin: boolean
  render?: (item: JsonObject, context: { order?: string; trial: JsonObject; fields: JsonObject }) => Rendered
  parse?: (text: string, item: JsonObject) => ParsedReply
}

/** Which judge it is, and where it came from. */
export type Identity = Pick<Judge, 'name' | 'where' | 'folder' | 'builtin'>

/** The judges that come with the toolkit. */
export const BUILTIN_JUDGES = new Catalogue('judges')

const loaded = new Map<string, Promise<Judge>>()

/**
 * The judge of that name or path; read once a process.
 * @throws Fatal (configuration) that names the file, the key and what was expected
 */
export function loadJudge(name: string): Promise<Judge> {
  let judge = loaded.get(name)
  if (!judge) loaded.set(name, (judge = load(name)))
  return judge
}

/**
 * The judges of a file: an lm-eval task may hold several.
 * @throws Fatal (configuration)
 */
export async function loadJudges(name: string): Promise<Judge[]> {
  const { taskOf } = await import('./_foreign.ts')
  const judges = await taskOf(name)
  if (!judges) return [await loadJudge(name)]
  for (const judge of judges) loaded.set(judge.name, Promise.resolve(judge))
  return judges
}

async function load(name: string): Promise<Judge> {
  if (/\.(ya?ml|jsonl)(#|$)/.test(name)) {
    const { foreignJudge } = await import('./_foreign.ts')
    const judge = await foreignJudge(name)
    if (judge) return judge
  }
  const builtin = /^[\w-]+$/.test(name)
  if (builtin && !BUILTIN_JUDGES.has(name)) {
    const near = nearest(name, BUILTIN_JUDGES.names())
    throw configError(
      `no judge "${name}"${near ? `: did you mean ${near}?` : ''} (jb-render --list shows all; a file is named with its ending)`,
    )
  }
  if (builtin) return checkJudge(await BUILTIN_JUDGES.data(name), { name, where: name, builtin })
  if (!existsSync(name)) throw configError(`${name}: no such judge file`)
  const folder = resolve(name, '..')
  if (extname(name) === '.mjs') {
    try {
      const { moduleFile } = await import('./_module.ts')
      return checkJudge(await moduleFile(name), { name, where: name, folder, builtin })
    } catch (error) {
      if ((error as { exitCode?: number }).exitCode) throw error
      throw configError(`${name}: ${(error as Error).message}`, error)
    }
  }
  if (TEMPLATES.includes(extname(name)))
    return bareTemplate(readFileSync(name, 'utf8'), { name, where: name, folder, builtin })
  return checkJudge(await readData(name), { name, where: name, folder, builtin })
}

/** Endings of files that are a prompt and nothing else. */
const TEMPLATES = ['.jinja2', '.jinja', '.j2', '.njk', '.txt']

/** Names by which prompts call two answers: a bare template that has both compares them. */
const TWO = ['answer', 'response', 'output', 'completion', 'assistant'].flatMap((word) =>
  ['ab', 'AB', '12'].map(([first, second]) => [`${word}_${first}`, `${word}_${second}`]),
)

/** A prompt alone: the user's message. How a reply is read is for `jb-parse --judge` to say. */
function bareTemplate(content: string, identity: Identity): Judge {
  const syntax = identity.name.endsWith('.njk') ? ('nunjucks' as const) : ('jinja' as const)
  const answers = TWO.find((names) => names.every((name) => new RegExp(`\\b${name}\\b`).test(content)))
  const fields = Object.fromEntries((answers ?? []).map((name) => [name, name]))
  const messages = [{ role: 'user' as const, content }]
  return { about: '', kind: answers ? 'pairwise' : 'grade', fields, answers, syntax, messages, ...identity }
}

const KEYS: Record<string, string> = {
  about: 'string',
  kind: 'string',
  fields: 'object',
  answers: 'array',
  messages: 'array',
  prompt: 'string',
  syntax: 'string',
  set: 'object',
  request: 'object',
  verdict: 'object',
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
  default: 'any',
}

/** Checks a judge file's keys and gives the judge. @throws Fatal (configuration): file, key, what was expected */
export function checkJudge(file: unknown, identity: Identity): Judge {
  const { where } = identity
  if (typeOf(file) !== 'object')
    throw configError(`${where}: a judge file holds a mapping, this is ${typeOf(file)}`)
  const judge = file as JudgeFile & Judge
  for (const [key, value] of Object.entries(judge)) {
    const expected = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined
    if (!expected) {
      const near = nearest(key, Object.keys(KEYS))
      throw configError(
        `${where}: unknown key "${key}"${near ? `: did you mean "${near}"?` : ` (known: ${Object.keys(KEYS).join(', ')})`}`,
      )
    }
    if (expected !== 'any' && typeOf(value) !== expected)
      throw configError(`${where}: "${key}" must be ${article(expected)}, not ${article(typeOf(value))}`)
  }
  if (!judge.kind) throw configError(`${where}: "kind" is missing (one of ${KINDS.join(', ')})`)
  checkWord('kind', judge.kind, KINDS, where)
  if (judge.syntax !== undefined) checkWord('syntax', judge.syntax, SYNTAXES, where)
  const asks = [judge.messages, judge.prompt, judge.render].filter(Boolean).length
  if (asks !== 1)
    throw configError(
      `${where}: one of "messages", "prompt" or a render function is needed, ${asks} are there`,
    )
  for (const [index, message] of (judge.messages ?? []).entries()) {
    if (
      typeof message?.role !== 'string' ||
      typeof message.content !== 'string' ||
      !['system', 'user', 'assistant'].includes(message.role)
    )
      throw configError(`${where}: messages[${index}] needs "role" (system, user or assistant) and "content"`)
  }
  for (const [key, value] of Object.entries(judge.fields ?? {}))
    if (typeof value !== 'string') throw configError(`${where}: fields.${key} must name an item's field`)
  checkRequest(judge.request ?? {}, where)
  checkAgain(judge.again ?? {}, where)
  if (!judge.parse && typeof judge.verdict?.rule !== 'string')
    throw configError(`${where}: "verdict" needs a "rule", or the file a parse function`)
  for (const [name, original] of Object.entries(judge.compat ?? {}))
    if (typeof original?.rule !== 'string') throw configError(`${where}: compat.${name} needs a "rule"`)
  return { ...judge, about: judge.about ?? '', fields: judge.fields ?? {}, ...identity }
}

/** @throws Fatal (configuration) with the words there are, and the nearest */
function checkWord(key: string, word: string, words: readonly string[], where: string): void {
  if (words.includes(word)) return
  const near = nearest(word, words)
  throw configError(
    `${where}: "${key}" is "${word}", expected one of ${words.join(', ')}${near ? ` (did you mean ${near}?)` : ''}`,
  )
}

/** What asks stands elsewhere: a key here would take its place. */
const NO_PARAMETERS: Record<string, string> = {
  messages: 'the prompt stands in "messages" of the file itself',
  prompt: 'the prompt stands in "prompt" of the file itself',
  model: 'jb-call --model names it',
}

/** @throws Fatal (configuration) */
function checkRequest(request: JsonObject, where: string): void {
  for (const [key, why] of Object.entries(NO_PARAMETERS))
    if (key in request) throw configError(`${where}: request.${key} is no parameter of a request: ${why}`)
  for (const key of ['temperature', 'top_p', 'max_tokens'])
    if (key in request && !Number.isFinite(request[key]))
      throw configError(`${where}: request.${key} must be a number, not ${JSON.stringify(request[key])}`)
}

/** What `again` may hold, and the words for it. */
const AGAIN: Record<string, [is: (value: unknown) => boolean, expected: string]> = {
  ask: [isText, 'a text'],
  times: [(value) => Number.isInteger(value) && (value as number) >= 0, 'a whole number from 0'],
  prefill: [isText, 'a text'],
  stop: [(value) => Array.isArray(value) && value.every(isText), 'a list of texts'],
  schema: [(value) => typeof value === 'boolean', 'true or false'],
}

/** @throws Fatal (configuration) */
function checkAgain(again: object, where: string): void {
  for (const [key, value] of Object.entries(again)) {
    if (!Object.hasOwn(AGAIN, key)) {
      const near = nearest(key, Object.keys(AGAIN))
      throw configError(
        `${where}: unknown key again.${key}${near ? `: did you mean ${near}?` : ` (known: ${Object.keys(AGAIN).join(', ')})`}`,
      )
    }
    const [is, expected] = AGAIN[key]!
    if (!is(value))
      throw configError(`${where}: again.${key} must be ${expected}, not ${JSON.stringify(value)}`)
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return value === null ? 'null' : typeof value
}

const article = (word: string) =>
  /^[aeiou]/.test(word) ? `an ${word}` : word === 'null' ? word : `a ${word}`

export type { Json }
