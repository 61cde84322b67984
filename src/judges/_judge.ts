/**
 * What a judge file is, and where judges come from: a built-in name, or a file of the user's
 * (.yaml, .json, .mjs). Both are the same kind of file through the same door.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { Catalogue, readData } from '../files/data.ts'
import { nearest } from '../options/nearest.ts'
import { configError, type JsonObject, type Kind, type Message, type Verdict } from '../rows/record.ts'
import { checkJudge, type SYNTAXES } from './_check.ts'
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

/** What a `.mjs` judge's `parse` may return: a verdict in shown terms, or what its kind is about: a decision, a winner, a score, an option, a list of items. */
export type ParsedReply = Partial<Verdict> | unknown[] | string | number | null | undefined

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
  if (statSync(name).isDirectory()) throw configError(`${name}: a folder, not a judge file`)
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
  const answers = answersOf(content)
  const fields = Object.fromEntries((answers ?? []).map((name) => [name, name]))
  const messages = [{ role: 'user' as const, content }]
  return { about: '', kind: answers ? 'pairwise' : 'grade', fields, answers, syntax, messages, ...identity }
}

/** Two answers that the template looks up, between braces of whichever syntax; words and comments about them are none. */
function answersOf(template: string): string[] | undefined {
  const text = template.replace(/\{#.*?#\}/gs, '')
  const looksUp = (name: string) => new RegExp(`\\{[^{}]*\\b${name}\\b|\\b${name}\\b[^{}]*[%}]\\}`).test(text)
  return TWO.find((names) => names.every(looksUp))
}
