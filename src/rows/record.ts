/**
 * The contract: what flows between filters.
 *
 * One line is one JSON object: the user's own keys and one reserved key, `jb`, written last.
 * Each filter adds one key under `jb`; everything else in the line belongs to the user and leaves
 * unchanged.
 */

import type { ErrorCode } from './errors.ts'

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

export const isObject = (value: unknown): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

export * from './errors.ts'

/** Names of the stages as they stand in `jb.error.stage`. */
export type StageName =
  | 'read'
  | 'render'
  | 'call'
  | 'parse'
  | 'score'
  | 'aggregate'
  | 'compare'
  | 'rank'
  | 'audit'
  | 'view'
  | 'workflow'

/** Why a row has no further value: it passes every later stage untouched and is counted, never scored. */
export interface RowError {
  stage: StageName
  code: ErrorCode
  message: string
  /** True where the same row may succeed when tried again. */
  retryable?: boolean
  [detail: string]: unknown
}

/** Which of an item's questions this row is: `n` of `of`, with what tells it from the others. */
export interface Trial {
  n: number
  of: number
  /** Pairwise: `AB` as the item has them, `BA` swapped. Elsewhere the order in which things were shown. */
  order?: string
  sample?: number
  /** `--seed`, where the order or the items were drawn. */
  seed?: string
  /** The criterion's name. */
  criterion?: string
  /** What the judge may choose from, in the words and the order shown. */
  options?: string[]
  /** listwise: how many answers the item has. */
  answers?: number
  /** listwise, several answers shown at once: which of the item's, in the order shown. */
  shown?: number[]
  /** listwise, two answers shown at a time: which of the item's, the lower index first. */
  pair?: [number, number]
  nugget?: string
  /** Several asked about at once: their ids in the order shown. The verdict's `each` has one for each. */
  nuggets?: string[]
  turn?: number
  [more: string]: unknown
}

export interface Message {
  role: 'system' | 'user' | 'assistant'
  content: string
}

/** What is sent for a trial, without `model`: chat `messages` or a completion `prompt`, and parameters. */
export interface Request {
  messages?: Message[]
  prompt?: string
  [parameter: string]: unknown
}

export interface Usage {
  prompt_tokens?: number
  completion_tokens?: number
  total_tokens?: number
  [more: string]: unknown
}

/** What was answered. `ms` and `tries` are those of the call that was made, also when read from the cache. */
export interface Reply {
  text: string
  reasoning?: string
  finish_reason?: string | null
  /** The model as asked for. */
  model: string
  /** The model the server says it used, where it names another. */
  served_model?: string
  usage?: Usage
  ms?: number
  tries?: number
  /** US dollars, where a price is known. */
  cost?: number
  /** Of the request, model and endpoint that it answers: jb-call makes no second call for a row that has it. */
  fingerprint?: string
  /** The same in rows of earlier versions. */
  asked?: string
  /** Every turn of a repaired reply, in order. */
  turns?: unknown[]
  logprobs?: unknown
  [more: string]: unknown
}

/** Originals whose own reading of a reply --compat names. */
export const ORIGINALS = ['judgebench', 'rm-gallery', 'lm-eval', 'mt-bench', 'evalassist'] as const

export const KINDS = ['pairwise', 'listwise', 'grade', 'choice', 'list'] as const
export type Kind = (typeof KINDS)[number]

/** A pairwise decision about the item's own A and B, whatever the order they were shown in. */
export type Decision = 'A>B' | 'B>A' | 'A=B'

/** What a trial's reply means. `label` keeps the words it was read from, in shown terms. */
export interface Verdict {
  label: string | null
  /** pairwise; null where an original's behaviour (--compat) stores an undecided game as such. */
  decision?: Decision | null
  /** pairwise: 2 for a strong preference where the scale has one, else 1. */
  strength?: number
  /** listwise: 0-based index into the item's answers, or "tie". */
  winner?: number | 'tie'
  ranking?: number[]
  /** grade, choice */
  score?: number | null
  range?: [number, number]
  /** pairwise judges that give each answer a number: in the item's order. */
  scores?: number[]
  /** choice */
  option?: string
  explanation?: string
  feedback?: string
  /** list */
  items?: unknown[]
  reason?: string
  confidence?: number
  /** Rule json: the whole object the reply holds. */
  object?: JsonObject
  /** Why there is no verdict, where --fallback or --compat gave a value all the same: counted as a failure. */
  failure?: ErrorCode
  [more: string]: unknown
}

/** One of the answers a criterion allows, and what it is worth. */
export interface CriterionOption {
  name: string
  description: string
  score: number | null
}

/** What a judge of kind choice asks about, in EvalAssist's shape; how it counts among several stands beside it. */
export interface Criterion {
  name: string
  description: string
  /** The item's field that is judged. */
  to_evaluate_field: string
  /** Fields shown beside it: all others where null. */
  context_fields: string[] | null
  /** None where answers are compared. */
  options: CriterionOption[]
  /** Results whose texts are shown as examples. */
  examples?: JsonObject[]
  weight?: number
  target_option?: string
  score_threshold?: number
  required?: boolean
  normalize_scores?: boolean
}

/** What jb-score keeps of each trial: its verdict, usage and error, not its texts. */
export interface TrialResult {
  trial: Trial
  verdict?: Verdict
  usage?: Usage
  cost?: number
  model?: string
  /** The model the server says it used, where it names another. */
  served_model?: string
  /** Those of the request. */
  parameters?: JsonObject
  /** Of the reply and the verdict: the same trial seen twice has the same, or is a conflict. */
  digest?: number
  error?: RowError
  /** Replies that gave no verdict, of a trial that was asked again: they were paid for all the same. */
  failures?: Omit<TrialResult, 'trial'>[]
  [more: string]: unknown
}

/** What all the trials of one item add up to. */
export interface Result {
  kind?: Kind
  model?: string
  decision?: Decision
  scores?: number[]
  /** Against the item's label; null where it has none. */
  correct?: boolean | null
  /** Two games: both gave the same decision. */
  consistent?: boolean
  winner?: number | 'tie'
  score?: number | null
  option?: string
  [more: string]: unknown
}

/**
 * Where a judge's own file says it is to be asked: an lm-eval task's `model`, `api_base`, … of one entry.
 * jb-call puts it after its command line and before the environment (`LLM_JUDGE_{NAME}_…` with `jb.name`). It
 * is read from the file and stands in no row, so that no row can say where a key is sent.
 */
export interface OwnEndpoint {
  model?: string
  base_url?: string
  /** The model where neither the file, the command line nor the environment names one. */
  default_model?: string
  /** Calls under way at once for this judge. */
  concurrency?: number
  /** Further attempts, and seconds between them. */
  retries?: number
  retry_min?: number
  retry_max?: number
  max_error_rate?: number
  preflight?: boolean
}

/** Everything the toolkit writes. Keys stand in the order in which stages add them. */
export interface Jb {
  judge?: string
  /** Of the judge file and the settings that reach the prompt or the reading: another version has another. */
  judge_digest?: string
  /** The judge's own file says where it is asked: jb-call needs it. */
  own_endpoint?: boolean
  name?: string
  /** The original whose way jb-render --compat asked for: jb-call and jb-parse read by it where they are given none. */
  compat?: (typeof ORIGINALS)[number]
  /** Which of the item's fields the templates' names are, where `--map` says so: for baselines, which see no prompt. */
  map?: Record<string, string>
  item?: string
  /** Which of several versions of the item this row is (lm-eval's filter, its run): each is reported apart. */
  variant?: string
  trial?: Trial
  /** What this trial asks about (judges with criteria). */
  criterion?: Criterion
  request?: Request
  /** Earlier calls this trial goes on from: a judge whose file says `chain` moves their replies here. */
  chain?: { judge: string; reply: Reply }[]
  reply?: Reply
  verdict?: Verdict
  result?: Result
  /** Beside a result: the criteria its trials asked about. */
  criteria?: Criterion[]
  trials?: TrialResult[]
  error?: RowError
  /** The text of a row that was not a JSON object (`--bad-rows pass`). */
  raw?: string
  [more: string]: unknown
}
