/**
 * What a judge file is. Built-in judges and a user's files (.yaml, .json, .mjs) are the same kind of file and go
 * through the same door (see _load.ts).
 */
import type { JsonObject, Kind, Message, OwnEndpoint, Verdict } from '../rows/record.ts'

/** The languages templates are written in. */
export const SYNTAXES = ['jinja', 'format', 'alpaca', 'nunjucks'] as const

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
    /** Texts that the original's code takes out of the answers, whose ends it then strips. */
    without?: string[]
    /** A prompt file in ChatML (`{name}` stands for a variable), in place of the others. */
    chatml?: string
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

/** What the reader of another project's file (an lm-eval task, FastChat's prompts) adds to a judge; no keys of a judge file. */
interface ImportedJudge {
  /** The task it belongs to, in a file with several: it is only asked about that task's items. */
  task?: string
  /** The task's name in its own file. */
  ofTask?: string
  /** What its file says of that task, for lm-eval's results. */
  taskSettings?: JsonObject
  /** The name of this use of the judge: `jb.name`. */
  use?: string
  /** Several prompts: an item gets the one with most variables that are all there. */
  variants?: { name: string; messages: Message[] }[]
  /** JSON texts of values the templates see, numbers in the form they had. */
  texts?: Record<string, string>
  /** Fields an item may lack, with the JSON text that then stands for them. */
  optional?: Record<string, string>
  /** A field of the item whose own fields the templates see too. */
  inner?: string
  endpoint?: OwnEndpoint
  /** False where the file wants no details saved. */
  details?: boolean
  /** Notes for the user about the file. */
  notes?: string[]
}

export interface Judge extends JudgeFile, ImportedJudge {
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

/** Which judge it is, and where it was read from. */
export type JudgeIdentity = Pick<Judge, 'name' | 'where' | 'folder' | 'builtin'>
