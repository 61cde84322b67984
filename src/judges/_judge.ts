/**
 * The contents of a judge file. Built-in judges and users' files (.yaml, .json, .mjs) have the same format and are loaded
 * in the same way (_load.ts).
 */
import type { Json, JsonObject, Kind, Message, OwnEndpoint, Verdict } from '../rows/record.ts'
import type { Example } from './_example_schema.ts'

/** The languages templates are written in. */
export const SYNTAXES = ['jinja', 'format', 'alpaca', 'nunjucks'] as const

/** How a reply is read: the name of a rule and the rule's own keys (see verdicts/). */
export interface VerdictConfig {
  rule: string
  [key: string]: unknown
}

/** What jb-call --repair does if the rule finds no verdict. */
export interface AgainConfig {
  /** A further user turn. */
  ask?: string
  times?: number
  /** Text appended to the judge's reply, which the judge then continues; if no verdict comes of that, `ask` is asked. */
  prefill?: string
  /**
   * Parameters of the continuation, else of the further turn, beside those of the first request: max_tokens, stop,
   * structured_outputs, … The stop text that ended a continuation is appended to it.
   */
  request?: JsonObject
  /** Send the bad reply, the error and the schema (JSON judges). */
  schema?: boolean
}

/** A part of a message's content: a template, or the images that a field holds. */
export interface ContentPart {
  text?: string
  images?: string
  detail?: 'low' | 'high' | 'auto'
}

/** A message of a judge file; where it shows images, `content` has the texts of its parts. */
export interface JudgeMessage extends Message {
  parts?: ContentPart[]
}

/** A statement, or a question with its values: each with what it means, or alone. */
export type JudgeQuestion =
  | { predicate: string }
  | { ask: string; choice: Values | 'options' }
  | { ask: string; score: Values }

type Values = Record<string, Json> | Json[]

/** A judge file, as written. */
export interface JudgeFile {
  about: string
  kind: Kind
  /** Template name: item field (a dotted path). */
  fields: Record<string, string>
  /** pairwise, listwise: the template names that hold the answers, in the item's order. */
  answers?: string[]
  messages?: JudgeMessage[]
  /** The prompt for a completions endpoint, in place of messages. */
  prompt?: string
  /** What is asked about the material in `messages`, with the values of an answer: by name. Rule `answers` reads them. */
  questions?: Record<string, JudgeQuestion>
  syntax?: (typeof SYNTAXES)[number]
  /** Values for the templates besides the fields. */
  set?: JsonObject
  /** Parameters of the request: temperature, max_tokens, response_format, … */
  request?: JsonObject
  verdict?: VerdictConfig
  /** How an item's trials become its result, unless --combine says another way. */
  combine?: string
  /** What is kept of a reply beside the verdict: names and patterns (see verdicts/_keep.ts). */
  keep?: Record<string, string>
  again?: AgainConfig
  /** For --templates DIR: the original's files that replace this judge's prompt, and the names of their variables. */
  templates?: {
    system?: string
    user?: string
    vars?: Record<string, string>
    append?: string
    /** Texts that the original's code removes from the answers, before it trims them. */
    without?: string[]
    /** A prompt file in ChatML (`{name}` stands for a variable), in place of the others. */
    chatml?: string
    /** The prompts of this type in a judge_prompts.jsonl, in place of files. */
    prompts?: 'single' | 'pairwise'
  }
  /** How originals read the same reply: by their names in --compat, the names of their readings (see verdicts/originals). */
  compat?: Record<string, string>
  /** Pairs of template names that are exchanged together with the answers in order BA. */
  swap?: [string, string][]
  /** The judge asks about criteria (--criteria): about `each` with every item, or about each `once`, with the first item. */
  criteria?: 'each' | 'once'
  /** With criteria: the number of options that a criterion must have, or the label of an answer, such as `{field}_{n}`. */
  options?: number | string | unknown[] | JsonObject
  /** listwise with criteria: answers are shown two at a time, each against each. */
  contests?: boolean
  /** The judge's question follows another judge's reply: in the same chat (`continue`), or in a new one (`fresh`). */
  chain?: 'continue' | 'fresh'
  /** Settings that only some kinds of judge have. */
  [key: string]: unknown
}

/** What `parse` of a `.mjs` judge may return: a verdict in shown terms, or only its main value (decision, winner, score, option, items). */
export type ParsedReply = Partial<Verdict> | unknown[] | string | number | null | undefined

/** What `render` of a `.mjs` judge may return: the user's message, all messages, or a whole request. */
type Rendered = string | Message[] | JsonObject

/** Only for judges from another project's file (an lm-eval task, FastChat's prompts). */
interface ImportedJudge {
  /** The judge's task, in a file with several: it only judges that task's items. */
  task?: string
  /** The task's name in its own file. */
  ofTask?: string
  /** The task's settings in its file, for lm-eval's results. */
  taskSettings?: JsonObject
  /** The name of this use of the judge: `jb.name`. */
  use?: string
  /** Several prompts. An item gets the one with the most variables of those for which it has all variables. */
  variants?: { name: string; messages: Message[] }[]
  /** JSON texts of values for the templates, with numbers as the file writes them. */
  texts?: Record<string, string>
  /** Fields that an item may lack, and the JSON text of their default. */
  optional?: Record<string, string>
  /** A field of the item whose own fields the templates can use, too. */
  inner?: string
  /** Its file cannot say of which scale its scores are: a number is what it says, also before `/ 10`. */
  scaleless?: boolean
  endpoint?: OwnEndpoint
  /** The example from which the schema of replies is inferred. */
  example?: { [key: string]: Example }
  /** False if the file says that no details are saved. */
  details?: boolean
  /** Notes for the user about the file. */
  notes?: string[]
}

/** Rules that read the item itself, where no model is asked. */
const UNASKED: readonly unknown[] = ['calls']

/** Whether the judge asks no model: jb-parse alone gives its verdicts. */
export const asksNothing = ({ verdict }: Pick<Partial<JudgeFile>, 'verdict'>): boolean =>
  UNASKED.includes(verdict?.rule)

export interface Judge extends JudgeFile, ImportedJudge {
  /** `jb.judge`: the name of a built-in judge, or the path as the user wrote it. */
  name: string
  /** The file's path or the judge's name, for messages. */
  where: string
  /** The folder of a user's judge file, where its includes and criteria files are. */
  folder?: string
  builtin: boolean
  render?: (item: JsonObject, context: { order?: string; trial: JsonObject; fields: JsonObject }) => Rendered
  parse?: (text: string, item: JsonObject) => ParsedReply
}

/** A judge's name and origin. */
export type JudgeIdentity = Pick<Judge, 'name' | 'where' | 'folder' | 'builtin'>
