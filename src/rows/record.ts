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
  | 'write'
  | 'agree'
  | 'view'
  | 'workflow'

/** Why a row failed: later stages pass it on unchanged, and reports count it but never score it. */
export interface RowError {
  stage: StageName
  code: ErrorCode
  message: string
  /** The same row may succeed when tried again. */
  retryable?: boolean
  /** Of a call that failed and was paid for. */
  usage?: Usage
  cost?: number
  /** Of the calls before it. */
  paid?: PaidTry[]
  [detail: string]: unknown
}

/** A call that was answered and paid for, and whose answer could not be used. */
export interface PaidTry {
  usage: Usage
  /** US dollars, if the price is known. */
  cost?: number
}

/** Which of an item's trials this row is: number `n` of `of`, and how it differs from the others. */
export interface Trial {
  n: number
  of: number
  /** pairwise: `AB` in the item's order, `BA` swapped; else the order in which answers or options were shown. */
  order?: string
  sample?: number
  /** jb-score --jury: who gave this vote. */
  member?: string
  /** `--seed`, if the order or the items were drawn at random. */
  seed?: string
  /** The criterion's name. */
  criterion?: string
  /** The options that the judge chooses from, worded and ordered as shown. */
  options?: string[]
  /** listwise: how many answers the item has. */
  answers?: number
  /** listwise, several answers shown at once: their indices in the item, in the order shown. */
  shown?: number[]
  /** listwise, two answers shown at a time: their indices in the item, the lower one first. */
  pair?: [number, number]
  nugget?: string
  /**
   * Several elements in one prompt, such as nuggets: their name, and the trial's key with their ids in the order shown.
   * The verdict's `each` has one entry for each.
   */
  window?: { [name: string]: string }
  nuggets?: string[]
  turn?: number | string
  [more: string]: unknown
}

export interface Message {
  role: 'system' | 'user' | 'assistant'
  content: string
}

/** The request of a trial, without `model`: chat `messages` or a completion `prompt`, and parameters. */
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

/** The answer to a request. `ms` and `tries` are those of the original call, also when it is read from the cache. */
export interface Reply {
  text: string
  /** Of a decision model: by question the probability of each value, null where the model declined. */
  answers?: Record<string, Record<string, number> | null>
  reasoning?: string
  finish_reason?: string | null
  /** The requested model. */
  model: string
  /** The model that the server reports, if it is another. */
  served_model?: string
  usage?: Usage
  ms?: number
  tries?: number
  /** US dollars, if the price is known. */
  cost?: number
  /**
   * Calls for this reply whose answers were thrown away; `usage` and `cost` leave them out. A row that keeps its reply
   * while a repair of it failed has an error too, with calls of its own.
   */
  paid?: PaidTry[]
  /** Hash of request, model and endpoint: jb-call does not call again for a row that has the same one. */
  fingerprint?: string
  /** Parameters of jb-call's command line, which replace those of the request; null for one that was left out. */
  parameters?: JsonObject
  /** Every turn of a repaired reply, in order. */
  turns?: unknown[]
  logprobs?: unknown
  [more: string]: unknown
}

/** Names of --compat: original programs whose reading of a reply can be reproduced. */
export const ORIGINALS = [
  'judgebench',
  'rm-gallery',
  'lm-eval',
  'mt-bench',
  'evalassist',
  'rewardbench',
  'rewardbench2',
] as const

export const KINDS = ['pairwise', 'listwise', 'grade', 'choice', 'list'] as const
export type Kind = (typeof KINDS)[number]

/** A pairwise decision about the item's own A and B, independent of the order in which they were shown. */
export type Decision = 'A>B' | 'B>A' | 'A=B'

const FLIPPED: Record<Decision, Decision> = { 'A>B': 'B>A', 'B>A': 'A>B', 'A=B': 'A=B' }

/** The decision with A and B exchanged; any other value is returned as it is. */
export function flip<T extends string | null | undefined>(decision: T): T | Decision {
  return FLIPPED[decision as Decision] ?? decision
}

/** The meaning of a trial's reply. `label` is the text that was read, in terms of the order shown. */
/** How the trials of an item become its result (--combine). */
export const COMBINATIONS = [
  'vote',
  'agree',
  'first',
  'mean',
  'median',
  'trimmed',
  'majority',
  'average_precision',
] as const

export interface Verdict {
  label: string | null
  /** pairwise; null for an undecided game of an original (--compat). */
  decision?: Decision | null
  /** pairwise: 2 for a strong preference, if the scale has one, else 1. */
  strength?: number
  /** The rule weights by log probabilities, and the reply has none: the value is what was said. */
  unweighted?: boolean
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
  /** How sure the judge is of what the verdict says, from 0 to 1. */
  confidence?: number
  /** By what a verdict may say: A>B, an option, a number. */
  probabilities?: Record<string, number>
  /** Rule json: the whole object in the reply. */
  object?: JsonObject
  /** Why the reply has no verdict although --fallback or --compat gave a value: counted as a failure. */
  failure?: ErrorCode
  [more: string]: unknown
}

/** One of a criterion's options, and its score. */
export interface CriterionOption {
  name: string
  description: string
  score: number | null
}

/** A criterion of a judge of kind choice, as EvalAssist writes it, with its weight among several. */
export interface Criterion {
  name: string
  description: string
  /** The field of the item that is judged. */
  to_evaluate_field: string
  /** Fields shown beside it; null: all others. */
  context_fields: string[] | null
  /** Empty if answers are compared. */
  options: CriterionOption[]
  /** Results that are shown as examples. */
  examples?: JsonObject[]
  weight?: number
  target_option?: string
  score_threshold?: number
  required?: boolean
  normalize_scores?: boolean
}

/** What jb-score retains of each trial: its verdict, usage and error, not its texts. */
export interface TrialResult {
  trial: Trial
  verdict?: Verdict
  usage?: Usage
  cost?: number
  model?: string
  /** The model that the server reports, if it is another. */
  served_model?: string
  /** The request's parameters. */
  parameters?: JsonObject
  /** Hash of the reply and the verdict: two rows of the same trial with different digests are a conflict. */
  digest?: number
  error?: RowError
  /** Other calls of the trial, which cost money too: replies without a verdict, other replies, or the same one from another call. */
  calls?: Partial<TrialResult>[]
  [more: string]: unknown
}

/** The result of all trials of one item. */
export interface Result {
  kind?: Kind
  model?: string
  decision?: Decision
  scores?: number[]
  /** Whether it agrees with the item's label; null if there is no label. */
  correct?: boolean | null
  /** Two games: whether both have the same decision. */
  consistent?: boolean
  winner?: number | 'tie'
  score?: number | null
  option?: string
  /** How sure the trials are of it, from 0 to 1: of several parts, such as criteria, the least. */
  confidence?: number
  [more: string]: unknown
}

/**
 * The endpoint in a judge's own file: `model`, `api_base`, … of an entry of an lm-eval task. The command line overrides
 * it, and it overrides the environment (`LLM_JUDGE_{NAME}_…` with `jb.name`). It is read from the file and never from a
 * row, so that no row can choose where a key is sent.
 */
export interface OwnEndpoint {
  model?: string
  base_url?: string
  /** The model if neither the file, the command line nor the environment names one. */
  default_model?: string
  /** Concurrent calls for this judge. */
  concurrency?: number
  /** Retries, and the least and most seconds between them. */
  retries?: number
  retry_min?: number
  retry_max?: number
  max_error_rate?: number
  preflight?: boolean
}

/** The place of a row's unit, an item or a cluster of items, in the random order of jb-render --shuffle. */
export interface Shuffle {
  seed: string
  /** From 0; of how many units. */
  n: number
  of: number
  /** The cluster's name, its number of items, and that of the largest cluster. */
  cluster?: string
  size?: number
  most?: number
}

/** What was changed in a copy of an item (jb-render --probe, or a user's own). */
export interface Probe {
  kind: string
  /** The item it is a copy of. */
  of: string
  /** The index of the changed answer. */
  answer?: number
  /** How its verdict should be beside the item's; absent where it should not move. */
  expect?: 'worse' | 'same'
  /** What was changed, if it is short: `was` and `now`; of a call its tool's name; `from`: the item that gave its answer. */
  [more: string]: Json | undefined
}

/** Where jb-call --where asks several models, one after another: which of them decided an item. */
export interface Cascade {
  /** The models, as `small > big`. */
  name: string
  /** From 1. */
  stage: number
  /** Why the item was asked again: the condition. */
  why?: string
}

/** The key `jb`: everything that the toolkit writes. Members are in the order in which stages add them. */
export interface Jb {
  judge?: string
  /** Hash of the judge file and of the settings that affect the prompt or the reading of the reply. */
  judge_digest?: string
  /** The judge's own file names its endpoint: jb-call has to read it. */
  own_endpoint?: boolean
  name?: string
  /** jb-render's --compat: the default of jb-call's and jb-parse's. */
  compat?: (typeof ORIGINALS)[number]
  /** jb-render's --map, from names in templates to fields of the item: for baselines, which see no prompt. */
  map?: Record<string, string>
  item?: string
  probe?: Probe
  shuffle?: Shuffle
  /** The version of the item (lm-eval's filter, its run): each is reported separately. */
  variant?: string
  trial?: Trial
  /** The criterion of this trial (judges with criteria). */
  criterion?: Criterion
  request?: Request
  /** Earlier calls that this trial continues: a judge whose file says `chain` moves their replies here. */
  chain?: { judge: string; reply: Reply }[]
  /** jb-call --where: what earlier models of the cascade came to, the oldest first. */
  earlier?: { reply?: Reply; verdict?: Verdict; error?: RowError }[]
  cascade?: Cascade
  reply?: Reply
  verdict?: Verdict
  result?: Result
  /** With a result: the criteria of its trials. */
  criteria?: Criterion[]
  trials?: TrialResult[]
  error?: RowError
  /** The text of a row that was not a JSON object (`--bad-rows pass`). */
  raw?: string
  [more: string]: unknown
}
