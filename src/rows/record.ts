/**
 * The contract: what flows between filters.
 *
 * One line is one JSON object: the user's own keys and one reserved key, `jb`, written last.
 * Each filter adds one key under `jb`; everything else in the line belongs to the user and leaves
 * unchanged.
 *
 * Each part of `jb` is declared once, by what checks it (check.ts); its TypeScript type is inferred from that.
 */

import {
  anything,
  type Check,
  type Checked,
  chance,
  checking,
  closed,
  count,
  each,
  either,
  faultIn,
  few,
  flag,
  interval,
  is,
  list,
  members,
  number,
  numbers,
  object,
  oneOf,
  orNull,
  pair,
  schemasOf,
  text,
  textOf,
  texts,
  whole,
} from './check.ts'
import { type ErrorCode, RowFailure } from './errors.ts'
import { isObject, type JsonObject } from './json.ts'

export * from './errors.ts'
export * from './json.ts'

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

// Lenient: an odd token count must not lose a reply.
const tokens = is<number>('a number', { type: 'number' }, (value) => typeof value === 'number')
const TOKENS = orNull(tokens) as Check<number>
const USAGE = members({ prompt_tokens: TOKENS, completion_tokens: TOKENS, total_tokens: TOKENS })
export type Usage = Checked<typeof USAGE>
const usage = orNull(USAGE) as Check<Usage>

/** A call that was answered and paid for, and whose answer could not be used. `cost` in US dollars, if the price is known. */
const PAID_TRY = closed({ usage, cost: number }, ['usage'])
export type PaidTry = Checked<typeof PAID_TRY>
const paid = list(PAID_TRY, 'a list of calls')

/** Why a row failed: later stages pass it on unchanged, and reports count it but never score it. */
const ERROR = members(
  {
    stage: textOf<StageName>(),
    code: textOf<ErrorCode>(),
    message: text,
    /** The same row may succeed when tried again. */
    retryable: flag,
    /** Of a call that failed and was paid for. */
    usage,
    cost: number,
    /** Of the calls before it. */
    paid,
  },
  ['code'],
  ['stage', 'message'],
)
export type RowError = Checked<typeof ERROR>

/** Which of an item's trials this row is: number `n` of `of`, and how it differs from the others. */
const TRIAL = members(
  {
    n: count,
    of: count,
    /** pairwise: `AB` in the item's order, `BA` swapped; else the order in which answers or options were shown. */
    order: text,
    sample: count,
    /** jb-score --jury: who gave this vote. */
    member: text,
    /** `--seed`, if the order or the items were drawn at random. */
    seed: text,
    /** The criterion's name. */
    criterion: text,
    criteria: texts,
    /** The options that the judge chooses from, worded and ordered as shown. */
    options: texts,
    /** listwise: how many answers the item has. */
    answers: few,
    /** listwise, several answers shown at once: their indices in the item, in the order shown. */
    shown: list(count, 'a list of places'),
    /** listwise, two answers shown at a time: their indices in the item, the lower one first. */
    pair,
    nugget: text,
    nuggets: texts,
    /**
     * Several elements in one prompt, such as nuggets: their name, and the trial's key with their ids in the order shown.
     * The verdict's `each` has one entry for each.
     */
    window: is<Record<string, string>>(
      'the name of the elements and the key with their ids',
      { type: 'object', additionalProperties: { type: 'string' }, minProperties: 1, maxProperties: 1 },
      (value) =>
        isObject(value) &&
        Object.values(value).length === 1 &&
        Object.values(value).every((key) => typeof key === 'string'),
    ),
    turn: either(count, text),
  },
  [],
  ['n', 'of'],
)
export type Trial = Checked<typeof TRIAL>

export interface Message {
  role: 'system' | 'user' | 'assistant'
  content: string
}

/** The request of a trial, without `model`: chat `messages` or a completion `prompt`, and parameters. */
const REQUEST = members({
  messages: list(object, 'a list of messages') as unknown as Check<Message[]>,
  prompt: text,
})
export type Request = Checked<typeof REQUEST>

const REPLY_PARTS = {
  text,
  /** Of a decision model: by question the probability of each value, null where the model declined. */
  answers: each(orNull(each(chance))),
  reasoning: orNull(text),
  finish_reason: orNull(text),
  /** The requested model. */
  model: text,
  /** The model that the server reports, if it is another. */
  served_model: text,
  usage,
  ms: number,
  tries: number,
  /** US dollars, if the price is known. */
  cost: number,
  /**
   * Calls for this reply whose answers were thrown away; `usage` and `cost` leave them out. A row that keeps its reply
   * while a repair of it failed has an error too, with calls of its own.
   */
  paid,
  /** Hash of request, model and endpoint: jb-call does not call again for a row that has the same one. */
  fingerprint: text,
  /** Parameters of jb-call's command line, which replace those of the request; null for one that was left out. */
  parameters: orNull(object),
  /** Every turn of a repaired reply, in order. */
  turns: list(object, 'a list of replies'),
}
/** The answer to a request. `ms` and `tries` are those of the original call, also when it is read from the cache. */
const REPLY = members(REPLY_PARTS, ['text'], ['model'])
export type Reply = Checked<typeof REPLY>

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

/** The meaning of a trial's reply. */
const VERDICT = members(
  {
    /** The text that was read, in terms of the order shown. */
    label: orNull(text),
    /** pairwise; null for an undecided game of an original (--compat), whose own words may stand here too. */
    decision: orNull(textOf<Decision>()),
    /** pairwise: 2 for a strong preference, if the scale has one, else 1. */
    strength: number,
    /** The rule weights by log probabilities, and the reply has none: the value is what was said. */
    unweighted: flag,
    /** listwise: 0-based index into the item's answers, or "tie". */
    winner: either(whole, oneOf('tie')),
    ranking: list(whole, 'a list of whole numbers'),
    /** grade, choice */
    score: orNull(number),
    range: interval,
    /** pairwise judges that give each answer a number: in the item's order. */
    scores: numbers,
    /** choice */
    option: text,
    /** The options that its judge has, where no criterion says them, and their scores. */
    options: each(orNull(number)),
    explanation: orNull(text),
    feedback: orNull(text),
    /** list */
    items: list(anything, 'a list'),
    reason: orNull(text),
    /** How sure the judge is of what the verdict says, from 0 to 1. */
    confidence: orNull(number),
    /** By what a verdict may say: A>B, an option, a number. */
    probabilities: each(number),
    /** Rule json: the whole object in the reply. */
    object,
    /** Why the reply has no verdict although --fallback or --compat gave a value: counted as a failure. */
    failure: textOf<ErrorCode>(),
  },
  [],
  ['label'],
)
export type Verdict = Checked<typeof VERDICT>

/** One of a criterion's options, and its score. */
const OPTION = closed(
  { name: text, description: orNull(text), score: orNull(number) },
  ['name'],
  ['description', 'score'],
)
export type CriterionOption = Checked<typeof OPTION>

/** A criterion of a judge of kind choice, as EvalAssist writes it, with its weight among several. */
const CRITERION = closed(
  {
    name: text,
    description: orNull(text),
    /** The field of the item that is judged. */
    to_evaluate_field: text,
    /** Fields shown beside it; null: all others. */
    context_fields: orNull(texts),
    /** Empty if answers are compared. */
    options: list(OPTION, 'a list of options'),
    /** Results that are shown as examples. */
    examples: list(object, 'a list of objects'),
    weight: number,
    target_option: text,
    score_threshold: number,
    required: flag,
    normalize_scores: flag,
  },
  ['name', 'to_evaluate_field', 'options'],
  ['description', 'context_fields'],
)
export type Criterion = Checked<typeof CRITERION>

const CALL_PARTS = {
  usage,
  cost: number,
  model: text,
  /** The model that the server reports, if it is another. */
  served_model: text,
  /** The request's parameters. */
  parameters: object,
  error: ERROR,
}
const TRIAL_OF_RESULT = members(
  {
    trial: TRIAL,
    verdict: VERDICT,
    ...CALL_PARTS,
    /** Hash of the reply and the verdict: two rows of the same trial with different digests are a conflict. */
    digest: number,
    /** Other calls of the trial, which cost money too: replies without a verdict, other replies, or the same one from another call. */
    calls: list(members(CALL_PARTS), 'a list of calls'),
  },
  ['trial'],
)
/** What jb-score retains of each trial: its verdict, usage and error, not its texts. */
export type TrialResult = Checked<typeof TRIAL_OF_RESULT>
const TRIALS = list<TrialResult>(
  checking(TRIAL_OF_RESULT.schema, (value) => {
    const fault = TRIAL_OF_RESULT(value)
    if (fault) return fault
    const { verdict, error } = value as JsonObject
    return verdict || error ? undefined : { at: '', value, expected: 'a verdict or an error in it' }
  }),
  'a list of trials',
)

const RESULT_PARTS = {
  kind: oneOf(...KINDS),
  model: text,
  /** An original's own words stand here under --compat. */
  decision: orNull(textOf<Decision>()) as Check<Decision>,
  scores: numbers,
  /** Whether it agrees with the item's label; null if there is no label. */
  correct: orNull(flag),
  /** What it counts in accuracy, from 0 to 1: of a tie what --tie says. */
  credit: number,
  /** Two games: whether both have the same decision. */
  consistent: flag,
  winner: either(whole, oneOf('tie')),
  score: orNull(number),
  option: text,
  /** Those that the verdicts say their judge has. */
  options: each(orNull(number)),
  /** How sure the trials are of it, from 0 to 1: of several parts, such as criteria, the least. */
  confidence: number,
  std: orNull(number),
  /** Of grades the scores, of choices the names of options. */
  samples: either(number, list(either(number, text), 'a list of numbers or strings')),
  agreement: number,
  votes: each(number),
  explanation: orNull(text),
  scored_with: members({
    combine: text,
    label: text,
    label_map: text,
    tie: number,
    criteria: texts,
    compat: text,
  }),
}

/** A result's `items`: the list of a list judge, else the results of the criteria. */
const ITEMS = list(
  members({ ...RESULT_PARTS, criterion: text, weight: orNull(number), weighted_score: orNull(number) }),
  'a list of results',
)
const LIST = list(anything, 'a list')
const RESULT_MEMBERS = members(RESULT_PARTS)
const withItems = ({ schema }: Check<unknown>) => ({ properties: { items: schema } })
const RESULT_SCHEMA = {
  ...RESULT_MEMBERS.schema,
  if: { properties: { kind: { const: 'list' } }, required: ['kind'] },
  // biome-ignore lint/suspicious/noThenProperty: a key of JSON Schema.
  then: withItems(LIST),
  else: withItems(ITEMS),
}
/** The result of all trials of one item. */
export type Result = Checked<typeof RESULT_MEMBERS>
const RESULT: Check<Result> = checking(RESULT_SCHEMA, (value) => {
  const fault = RESULT_MEMBERS(value)
  if (fault) return fault
  const { kind, items } = value as { kind?: unknown; items?: unknown }
  const wrong = items === undefined ? undefined : (kind === 'list' ? LIST : ITEMS)(items)
  return wrong && { ...wrong, at: `.items${wrong.at}` }
})

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
const SHUFFLE = closed(
  {
    seed: text,
    /** From 0; of how many units. */
    n: count,
    of: count,
    /** The cluster's name, its number of items, and that of the largest cluster. */
    cluster: text,
    size: count,
    most: count,
  },
  ['seed', 'n', 'of'],
)
export type Shuffle = Checked<typeof SHUFFLE>

/**
 * What was changed in a copy of an item (jb-render --probe, or a user's own). Beside these members what was changed, if it is
 * short: `was` and `now`; of a call its tool's name; `from`: the item that gave its answer.
 */
const PROBE = members(
  {
    kind: text,
    /** The item it is a copy of. */
    of: text,
    /** The index of the changed answer. */
    answer: few,
    /** How its verdict should be beside the item's; absent where it should not move. */
    expect: oneOf('worse', 'same'),
  },
  ['kind', 'of'],
)
export type Probe = Checked<typeof PROBE>

/** Where jb-call --where asks several models, one after another: which of them decided an item. */
const CASCADE = closed(
  {
    /** The models, as `small > big`. */
    name: text,
    /** From 1. */
    stage: count,
    /** Why the item was asked again: the condition. */
    why: text,
  },
  ['name', 'stage'],
)
export type Cascade = Checked<typeof CASCADE>

/** The key `jb`: everything that the toolkit writes. Members are in the order in which stages add them. */
const JB = {
  judge: text,
  /** Hash of the judge file and of the settings that affect the prompt or the reading of the reply. */
  judge_digest: text,
  /** The judge's own file names its endpoint: jb-call has to read it. */
  own_endpoint: flag,
  name: text,
  /** jb-render's --compat: the default of jb-call's and jb-parse's. */
  compat: oneOf(...ORIGINALS),
  /** jb-render's --map, from names in templates to fields of the item: for baselines, which see no prompt. */
  map: each(text),
  item: text,
  probe: PROBE,
  shuffle: SHUFFLE,
  /** The version of the item (lm-eval's filter, its run): each is reported separately. */
  variant: text,
  trial: TRIAL,
  /** The criterion of this trial (judges with criteria). */
  criterion: CRITERION,
  request: REQUEST,
  /** Earlier calls that this trial continues: a judge whose file says `chain` moves their replies here. */
  chain: list(members({ judge: text, reply: REPLY }, ['reply'], ['judge']), 'a list of earlier replies'),
  /** jb-call --where: what earlier models of the cascade came to, the oldest first. */
  earlier: list(
    members({ reply: REPLY, verdict: VERDICT, error: ERROR }),
    'a list of what earlier models came to',
  ),
  cascade: CASCADE,
  reply: REPLY,
  verdict: VERDICT,
  result: RESULT,
  /** With a result: the criteria of its trials. */
  criteria: list(CRITERION, 'a list of criteria'),
  trials: TRIALS,
  error: ERROR,
  /** The text of a row that was not a JSON object (`--bad-rows pass`). */
  raw: text,
}
const JB_MEMBERS = members(JB)
export type Jb = Checked<typeof JB_MEMBERS>

/** Keys of `jb` that have a check. */
export const SHAPED = Object.keys(JB) as (keyof typeof JB)[]

/** JSON Schema of `jb`. */
export const JB_SCHEMA: JsonObject = { type: 'object', properties: schemasOf(JB) }

const CHECKS = new Map<string, Check<unknown>>(Object.entries(JB))
// Members that Row.part reads one by one.
for (const [key, parts] of Object.entries({ reply: REPLY_PARTS, result: RESULT_PARTS }))
  for (const [inner, check] of Object.entries(parts)) CHECKS.set(`${key}.${inner}`, check)

/**
 * @param path a key of `jb`, or `key.member`
 * @throws RowFailure bad_record if the value does not have its type
 */
export function checkShape(path: string, value: unknown): void {
  const check = CHECKS.get(path)
  const fault = check && faultIn(check, value, `jb.${path}`)
  if (fault) throw new RowFailure('bad_record', fault)
}
