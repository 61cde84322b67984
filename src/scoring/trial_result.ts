/** What counts of a trial: its question, its verdict or error, and the calls that it took. */

import { LARGEST } from '../rows/check.ts'
import { ERROR_CODES } from '../rows/errors.ts'
import { itemId } from '../rows/item_id.ts'
import type {
  Criterion,
  ErrorCode,
  JsonObject,
  Reply,
  RowError,
  Trial,
  TrialResult,
  Usage,
  Verdict,
} from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { canonical } from './kind.ts'
import type { RunIdentity } from './run_identity.ts'

/** A call of a model, as far as figures depend on it. Usage and cost are those of all its tries that were paid for. */
export interface Call {
  /** Of a cascade: which of its models was called. */
  model?: string | undefined
  served_model?: string | undefined
  usage?: Usage | undefined
  cost?: number | undefined
  ms?: number | undefined
  tries?: number | undefined
  /** Digest of the reply; 0 for none. */
  digest: number
  /** Of one that failed. */
  error?: RowError | undefined
  /** What was sent besides the prompt. */
  parameters?: JsonObject | undefined
}

/** What the rows say of a trial: a row, or one of the trials of a row of jb-score. */
export class Told {
  /** The question: its number `n`, its order, sample, criterion, … */
  readonly trial: Trial
  /** Those that it asked about: one, or of a window several. */
  readonly criteria: readonly Criterion[] | undefined
  /** Undefined for a failure, and for a result whose trials are not known. */
  verdict: Verdict | undefined
  readonly error: RowError | undefined
  readonly call: Call
  /** Calls besides that one: of earlier models of a cascade, and those that jb-score found. */
  readonly more: readonly Call[] | undefined
  /** Digest of the reply and of what was read from it: replies of different digests contradict each other. */
  readonly digest: number
  /** Digest of the prompt; 0 where it is not known. */
  asked: number
  /** The row. */
  readonly file: string
  readonly line: number
  /** The place of what is kept among the trials of a row of jb-score; undefined for a row of its own. */
  place: number | undefined
  /** Other rows of the same trial that say another thing, or have another call. */
  others: Told[] | undefined = undefined
  /** What the command keeps of a row that counts. */
  kept: unknown = undefined

  constructor(
    of: Pick<Told, 'trial' | 'call' | 'digest' | 'file' | 'line'> &
      Partial<Pick<Told, 'criteria' | 'verdict' | 'error' | 'more' | 'asked' | 'place'>>,
  ) {
    this.trial = of.trial
    this.criteria = of.criteria
    this.verdict = of.verdict
    this.error = of.error
    this.call = of.call
    this.more = of.more
    this.digest = of.digest
    this.asked = of.asked ?? 0
    this.file = of.file
    this.line = of.line
    this.place = of.place
  }

  /** Replies come first, then results whose trials are not known, then failures. */
  get rank(): number {
    return this.error ? 2 : this.verdict || this.digest !== 0 ? 0 : 1
  }
}

/** The order of what rows say of a trial: replies by digest, failures by code. */
export function compareTold(one: Told, other: Told): number {
  if (one.rank !== other.rank) return one.rank - other.rank
  const codes = one.error ? compareCodes(one.error.code, other.error!.code) : 0
  return codes || one.digest - other.digest || compareTexts(questionOf(one), questionOf(other))
}

const compareTexts = (a: string, b: string) => (a < b ? -1 : Number(a > b))

/** The order in which codes of failures count: jb's own, then others by name. */
export const compareCodes = (a: string, b: string): number => rankOf(a) - rankOf(b) || compareTexts(a, b)

const RANKS = new Map<string, number>(ERROR_CODES.map((code, i) => [code, i]))
const rankOf = (code: string): number => RANKS.get(code as ErrorCode) ?? ERROR_CODES.length

/** A trial's question besides its number, as text. */
function questionOf({ trial: { n: _n, of: _of, ...question }, criteria }: Told): string {
  return canonical([question, criteria ?? null])
}

/** Of a row that does not say which trial it is. */
export const NO_TRIAL: Trial = { n: 0, of: 1 }
const saysWhich = ({ trial }: Told) => trial !== NO_TRIAL

/** Whether two rows of a trial say the same of it, whatever their calls. */
export const saySame = (one: Told, other: Told): boolean =>
  one.rank === other.rank &&
  one.digest === other.digest &&
  one.error?.code === other.error?.code &&
  // Failures without a model are given to runs one by one, each with what it says of the number of trials.
  (!one.error || (one.trial.of === other.trial.of && saysWhich(one) === saysWhich(other))) &&
  (one.trial === other.trial || questionOf(one) === questionOf(other))

/** Whether two rows are of one call, which is paid for once. */
export const areSameCall = (one: Call, other: Call): boolean =>
  one.digest === other.digest && one.cost === other.cost && callKey(one) === callKey(other)

/** Only of a reply it is known what was sent: failed calls are told apart by their codes. A reply from the cache has the call's own time. */
function callKey({ digest, error, usage, cost, model, served_model, ms, tries, parameters }: Call): string {
  const end = error?.code ?? [parameters ?? null]
  const all = [digest, end, usage, cost, model, served_model, ms, tries]
  return canonical(all.map((one) => one ?? null))
}

export const isPaid = ({ cost, usage }: Pick<Call, 'cost' | 'usage'>) => (cost ?? usage) !== undefined

/** All calls of a trial, each once; of failed calls only those that were paid for. The first is that of the row that counts. */
export function callsOf(kept: Told, all: readonly Told[]): Call[] {
  if (all.length === 1 && !kept.more) return [kept.call]
  const byKey = new Map<string, Call>([[callKey(kept.call), kept.call]])
  for (const one of [kept, ...all])
    for (const call of [one.call, ...(one.more ?? [])]) {
      const key = callKey(call)
      if (!byKey.has(key) && (!call.error || isPaid(call))) byKey.set(key, call)
    }
  return [...byKey.values()]
}

/** Whether a member of a usage is a number that counts: some are null or objects. */
export const isAmount = (tokens: unknown): tokens is number =>
  typeof tokens === 'number' && Math.abs(tokens) <= LARGEST

/** Numbers of a usage. */
export const amountsIn = (usage: Usage | undefined): [name: string, tokens: number][] =>
  Object.entries(usage ?? {}).filter((entry): entry is [string, number] => isAmount(entry[1]))

type Paid = Partial<Pick<Call, 'usage' | 'cost' | 'ms' | 'tries'>> & { paid?: readonly Paid[] | undefined }

/**
 * What a row's call took: its reply and a failure beside that (of an attempt to repair it), with tries whose answers were
 * thrown away, and the earlier turns of a chain.
 */
export function spentOn(
  own: readonly Paid[],
  chain: readonly { reply: Reply }[],
): Pick<Call, 'usage' | 'cost' | 'ms' | 'tries'> {
  const [only] = own
  if (own.length === 1 && chain.length === 0 && !only!.paid)
    return { usage: only!.usage ?? undefined, ...sumsOf(own) }
  const all = [...own, ...chain.map(({ reply }) => reply as Paid)].flatMap((one) => [
    one,
    ...(one.paid ?? []),
  ])
  const [first] = all
  const usage: Record<string, unknown> = { ...first?.usage }
  for (const one of all.slice(1))
    for (const [name, tokens] of amountsIn(one.usage))
      usage[name] = tokens + (typeof usage[name] === 'number' ? usage[name] : 0)
  return {
    usage: Object.keys(usage).length > 0 ? (usage as Usage) : undefined,
    ...sumsOf(all),
  }
}

const sumsOf = (all: readonly Paid[]) => ({
  cost: sumOf(all, 'cost'),
  ms: sumOf(all, 'ms'),
  tries: sumOf(all, 'tries'),
})

/** Undefined where none has the number. */
function sumOf(all: readonly Paid[], name: 'cost' | 'ms' | 'tries'): number | undefined {
  let sum: number | undefined
  for (const { [name]: one } of all) if (typeof one === 'number') sum = (sum ?? 0) + one
  return sum
}

/** What jb-score writes of a trial. @param calls all of it, the row's own first */
export function trialResult(
  told: Told,
  [, ...more]: readonly Call[],
  model: string | undefined,
): TrialResult {
  const { trial, verdict, error, call, digest } = told
  const one: TrialResult = { trial, ...costsOf({ ...call, model: call.model ?? model }) }
  if (error) {
    one.error = error
    if (digest !== 0) one.digest = digest
  } else if (verdict) {
    one.verdict = verdict
    one.digest = digest
  }
  if (more.length > 0)
    one.calls = more.map((call) => ({
      ...costsOf(call),
      ...(call.error && { error: call.error }),
      ...(call.digest !== 0 && { digest: call.digest }),
    }))
  return one
}

function costsOf({ model, served_model, usage, cost, ms, tries, parameters }: Call): Partial<TrialResult> {
  const all = { model, served_model, usage, cost, ms, tries, parameters }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/** The call that jb-score kept of a trial. */
export function callIn(one: Partial<TrialResult>, model: string | undefined): Call {
  const { served_model, usage, cost, ms, tries, parameters, digest, error } = one
  return {
    model,
    served_model,
    usage,
    cost,
    ms: typeof ms === 'number' ? ms : undefined,
    tries: typeof tries === 'number' ? tries : undefined,
    digest: digest ?? 0,
    error,
    parameters,
  }
}

/**
 * How the rows of an item contradict each other, so that it is unknown which of them count; undefined if they do not. A reply
 * that says two verdicts (jb-parse), or two answers to one request (jb-call), fail their trial alone, as any other failure does.
 */
export function contradictionIn({ code, stage, message, conflict }: RowError): string | undefined {
  if (typeof conflict === 'string') return conflict
  return code === 'conflict' && stage !== 'parse' && stage !== 'call' ? message : undefined
}

/** A row without what one trial has: the user's fields, and the judge's identity. @param run what tells its run apart, if not the row */
export function itemRow(row: Row, run?: RunIdentity): Row {
  const made = row.bare()
  for (const key of ['judge', 'judge_digest', 'name', 'item', 'shuffle', 'variant', 'probe'] as const) {
    const isOfRun = run && key !== 'item' && key !== 'shuffle' && key !== 'probe'
    const value = isOfRun ? run[key] : (row.get(key) ?? (key === 'item' ? itemId(row) : undefined))
    if (value !== undefined) made.set(key, value)
  }
  if (row.has('cascade')) made.set('cascade', row.get('cascade')!)
  return made
}
