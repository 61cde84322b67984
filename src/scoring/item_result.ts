/**
 * What an item comes to: the one way from its rows to what is printed, added up or written, whether they are those of jb-call,
 * of jb-parse or of jb-score, and for a mix of them.
 *
 * A figure over items is a function of an {@link ItemResult}; one over calls (tokens, cost, ms, tries) a function of its `calls`.
 */
import type {
  Cascade,
  Criterion,
  ErrorCode,
  Json,
  JsonObject,
  Kind,
  Result,
  RowError,
  RowFailure,
  TrialResult,
} from '../rows/record.ts'
import { type Context, failureIn } from '../rows/stage.ts'
import { windowOf } from '../verdicts/_window.ts'
import type { Cluster } from './by_cluster.ts'
import { countedOf } from './given.ts'
import type { Item, Run } from './item.ts'
import { ALWAYS, NEVER } from './item_fields.ts'
import type { Scored, ScoreSettings } from './kind.ts'
import { scoredWith } from './kind.ts'
import { KIND, kindIn, kindOf } from './kinds.ts'
import { respelledIn, unreadLabelIn } from './label.ts'
import { addScoring } from './provenance.ts'
import { type Call, callsOf, compareTold, type Told } from './trial_result.ts'

/** A trial that counts; one that failed has an error. */
export interface Tried extends Scored {
  error?: RowError | undefined
}

/** Why an item has no result. */
export interface ItemFailure extends Pick<RowFailure, 'code' | 'message'> {
  detail?: Record<string, unknown> | undefined
  /** The error of the trial that failed. */
  error?: RowError | undefined
}

export interface ItemResult {
  item: Item
  run: Run
  /** `jb.item`; undefined for a row without an id. */
  id: string | undefined
  /** Either this, as `jb.result` has it, … */
  result: Result | undefined
  /** … or why there is none. */
  failure: ItemFailure | undefined
  /** It is that of a row of jb-score, as it stands there. */
  isGiven: boolean
  kind: Kind
  /** As its row has it; undefined for an item that failed, or has none. */
  label: Json | undefined
  /** By field: the groups that it counts in. Known once all rows are in. */
  groups: readonly [field: string, value: string][]
  /** The models whose answers a pair compares, if its row names them. */
  models: readonly [string, string] | undefined
  /** Of --cluster. */
  cluster: Cluster
  /** Those that count, in their order, of a window each element by itself; of an item that failed those with a verdict. */
  trials: readonly Tried[]
  /** The rows that count, all of them. */
  counted: readonly CountedTrial[]
  /** All calls, each once, whichever replies count. */
  calls: readonly Call[]
  /** The criteria that its trials asked about. */
  asked: readonly Criterion[]
  /** Those of --criteria in their place, or these. */
  criteria: readonly Criterion[]
  cascade: Cascade | undefined
}

/** A row that counts, and the calls that it and other rows of its trial had, each once: its own first. */
export interface CountedTrial {
  told: Told
  calls: readonly Call[]
}

/**
 * The rows of an item that count, in the order of the trials: one of each; of --combine each other reply, too.
 * `differing`: the numbers of trials whose rows contradict each other.
 */
export function countedTrials(item: Item): { kept: readonly CountedTrial[]; differing: readonly number[] } {
  const kept: CountedTrial[] = []
  const differing: number[] = []
  const { trials, fieldsOf, run } = item
  const combines = run.settings.combine !== undefined
  if (haveOtherFields(item)) differing.push(fieldsOf)
  const inOrder = trials.length > 1 ? [...trials].sort((a, b) => a.trial.n - b.trial.n) : trials
  for (const one of inOrder) {
    const rows = one.others ? [one, ...one.others].sort(compareTold) : [one]
    const [told] = rows as [Told]
    const replies =
      rows.length === 1
        ? rows
        : rows.filter((row, i) => i === 0 || (row.rank === 0 && row.digest !== rows[i - 1]!.digest))
    const others = combines ? replies.slice(1) : []
    kept.push({
      told,
      calls: callsOf(
        told,
        rows.filter((row) => !others.includes(row)),
      ),
    })
    for (const other of others) kept.push({ told: other, calls: callsOf(other, [other]) })
    const isApart = told.rank === 0 && !combines && replies.length > 1
    if (isApart || apartIn(rows)) differing.push(one.trial.n)
  }
  return { kept, differing }
}

/** Two rows of a trial whose prompts differ. */
function apartIn(rows: readonly Told[]): [Told, Told] | undefined {
  const known = rows.filter(({ asked }) => asked !== 0)
  const other = known.find(({ asked }) => asked !== known[0]!.asked)
  return other && [known[0]!, other]
}

const placeOf = ({ file, line }: Told) => `${file}:${line}`

/** The places of two rows of one trial that were asked differently; undefined if there are none. */
export function promptsApart({ trials }: Item): string | undefined {
  for (const one of trials) {
    const rows = one.others && apartIn([one, ...one.others])
    if (rows) return rows.map(placeOf).join(' and ')
  }
  return undefined
}

/** The places of two rows of one trial whose replies differ; undefined if there are none. */
export function repliesApart({ trials }: Item): string | undefined {
  for (const one of trials) {
    const [first, ...more] = [one, ...(one.others ?? [])].filter(({ rank }) => rank === 0)
    const other = more.find(({ digest }) => digest !== first!.digest)
    if (other) return [first!, other].map(placeOf).join(' and ')
  }
  return undefined
}

/** Whether replies to its first trial have labels, models or groups that differ. */
export function haveOtherFields({ apart, run: { settings, fields } }: Item): boolean {
  return apart === ALWAYS || (apart !== NEVER && (settings.strict === true || apart === fields.best))
}

/** In words, two rows that say how many trials the item has, and not the same. */
const ofApart = ({ most, less, of }: Item) =>
  less && `${placeOf(most!)} says that there are ${of}, and ${placeOf(less)} ${less.trial.of}`

/**
 * What an item comes to by the rows that are in.
 * @param tell is told why it has no result, and of a label that could not be read
 * @throws Fatal (usage) for options that its kind of judge does not have
 */
export function itemResult(item: Item, tell: Context['note'] = () => {}): ItemResult {
  const { run } = item
  const { fields: reader } = run
  const { kept: counted, differing } = countedTrials(item)
  const kept = counted.map(({ told }) => told)
  const asked = criteriaOf(kept)
  const tried = kept.flatMap<Tried>(trialsApart)
  const told = (words: string, kind: string) => {
    const { file, line } = kept[0]!
    tell(words, { file, line, kind })
  }
  const found = decided(item, kept, differing, tried, asked, told)
  const { result, failure } = found
  const isGiven = found.isGiven === true
  const trials = failure || isGiven ? tried.filter(({ verdict }) => verdict) : tried
  return {
    item,
    run,
    id: item.id,
    result,
    failure,
    isGiven,
    kind: kindIn(result, trials),
    label: failure ? undefined : item.fields?.label,
    groups: item.fields ? reader.groupsOf(item.fields) : NO_GROUPS,
    models: item.fields?.models,
    cluster: item.fields?.cluster,
    trials,
    counted,
    calls: counted.length === 1 ? counted[0]!.calls : counted.flatMap(({ calls }) => calls),
    asked,
    criteria: found.criteria ?? asked,
    cascade: item.cascade,
  }
}

/** @param why it is not known how many there are */
export const incomplete = (there: number, of: number, why?: string): ItemFailure => ({
  code: 'incomplete',
  message: `${there} of ${of} trials are there${why === undefined ? '' : `: ${why}`}`,
})

/** The failure of an item that lacks trials: how those that are there contradict each other holds when later rows complete it. */
function lacking(item: Item, differing: readonly number[]): ItemFailure {
  // What its fields say is then said by its first trial.
  const isOpen = item.fieldsOf > 0 && haveOtherFields(item)
  const conflict = whyConflict(item, isOpen ? differing.slice(1) : differing)
  return {
    ...incomplete(item.trials.length, item.of, ofApart(item)),
    ...(conflict !== undefined && { detail: { conflict } }),
  }
}

export const conflicting = (message: string): ItemFailure => ({ code: 'conflict', message })

interface Decided extends Partial<Pick<ItemResult, 'result' | 'failure' | 'isGiven'>> {
  criteria?: readonly Criterion[] | undefined
}

/** The first that holds: trials are missing, rows contradict each other, the result of jb-score, a trial failed, its result. */
function decided(
  item: Item,
  kept: readonly Told[],
  differing: readonly number[],
  trials: readonly Tried[],
  asked: readonly Criterion[],
  tell: (words: string, kind: string) => void,
): Decided {
  const { settings } = item.run
  if (!item.isWhole) return { failure: lacking(item, differing) }
  const conflict = whyConflict(item, differing)
  if (conflict !== undefined) return { failure: conflicting(conflict) }
  const given = givenTo(item, kept)
  if (given && !item.plain) {
    if (given.result) return { result: given.result, isGiven: true }
    const { code, message } = given.error!
    tell(`${code}: ${message}`, code)
    return { failure: { code, message, error: given.error }, isGiven: true }
  }
  const scored = scoredItem(item, trials, asked, settings, tell)
  const { result } = scored
  if (result && !item.run.scored) {
    item.run.scored = true
    addScoring(item.run.provenance, { scored_with: scoredWith(settings) })
  }
  return given && result && countsOf(result, settings) !== countsOf(given.result!, settings)
    ? { failure: conflicting('its result is not that of its trials') }
    : scored
}

/** The result of a row of jb-score, if it counts: rows of the item's trials may be more than it has. */
function givenTo({ given, plain }: Item, kept: readonly Told[]): Item['given'] {
  if (kept.some(({ error }) => error)) return undefined
  if (!given || !plain) return given
  return given.result && (given.trials === 0 || kept.length <= given.trials) ? given : undefined
}

/** What counts of a result; not what it has of a label where the command does not read that. */
function countsOf(result: Result, { isLabelled }: ScoreSettings): string {
  const unread = { correct: undefined, credit: undefined, label: undefined }
  return countedOf(isLabelled ? { ...result, ...unread } : result)
}

/** From the trials of an item to its result. @param asked the criteria that they asked about */
function scoredItem(
  item: Item,
  trials: readonly Tried[],
  asked: readonly Criterion[],
  settings: ScoreSettings,
  tell: (words: string, kind: string) => void,
): Decided {
  return decidedBy({ of: item.of, trials, asked, about: () => item.fields! }, settings, tell)
}

/** What is known of an item that is to be scored. */
interface ToScore {
  /** How many trials it has. */
  of: number
  /** Those that count, in their order. */
  trials: readonly Tried[]
  /** The criteria that they asked about. */
  asked: readonly Criterion[]
  /** What its own fields say. */
  about(): Pick<NonNullable<Item['fields']>, 'label' | 'lack' | 'criteria' | 'failure'>
}

/** What trials come to, all of which are there. */
export function decidedBy(
  { of, trials, asked, about }: ToScore,
  settings: ScoreSettings,
  tell: (words: string, kind: string) => void,
): Decided {
  const failed = trials.find(({ error }) => error)
  if (failed) return { failure: failureOf(failed, of) }
  let criteria: readonly Criterion[] | undefined
  try {
    const kind = KIND[kindOf(trials[0]!.verdict!)]
    const fields = about()
    if (fields.failure) throw fields.failure
    const { label, lack } = fields
    criteria = fields.criteria
    if (settings.criteriaSource && kind !== KIND.choice)
      tell('--criteria has no effect: the verdict is no option of a criterion', 'no effect')
    const result = kind.score(trials, { label, lack, criteria, asked }, settings)
    const unread = unreadLabelIn(result) ?? (lack && `${lack}: it is left out of figures that need one`)
    if (unread) tell(unread, 'label')
    const respelled = respelledIn(result)
    if (respelled) tell(respelled, 'spelling')
    return { result, criteria }
  } catch (error) {
    const failure = failureIn(error)
    if (!failure) throw error
    const { code, message, detail } = failure
    if (code !== 'conflict') tell(`${code}: ${message}`, code)
    return { failure: { code, message, detail }, criteria }
  }
}

function failureOf({ trial, error }: Tried, of: number): ItemFailure {
  const { message: said, stage: _, code, ...detail } = error!
  return { code, message: of === 1 ? said : `trial ${trial.n}: ${said}`, detail, error: error! }
}

/** Why an item fails that has all its trials: rows of it contradict each other. @param differing see countedTrials */
export function whyConflict(item: Item, [n]: readonly number[]): string | undefined {
  if (n === undefined) return item.conflict ?? ofApart(item)
  const places = promptsApart(item)
  if (places)
    return `trial ${n} was asked differently at ${places}: two items have this id (jb-render --id FIELD tells them apart)`
  return haveOtherFields(item)
    ? `trial ${n} is there several times, and not with the same label or group`
    : `trial ${n} has two replies that differ (jb-score --combine takes both)`
}

/** The criteria of these rows, in the order of the trials, each once. */
function criteriaOf(kept: readonly Told[]): readonly Criterion[] {
  let all: readonly Criterion[] = NONE
  for (const { criteria = [] } of kept)
    for (const criterion of criteria)
      if (!all.some(({ name }) => name === criterion.name)) all = [...all, criterion]
  return all
}

const NONE: readonly Criterion[] = []
const NO_GROUPS: ItemResult['groups'] = []

/** Of a window a trial for every element; one that has no verdict, or was declined, fails alone. What the call took is said of the first. */
export function trialsApart<T extends Tried>(one: T): T[] {
  const window = windowOf(one.trial)
  if (!window) return [one]
  const each = (one.verdict?.each ?? []) as unknown as (JsonObject | null)[]
  const { usage, cost, ms, tries, calls, verdict: _, ...rest } = one as T & Partial<TrialResult>
  const taken = Object.entries({ usage, cost, ms, tries, calls }).filter(([, value]) => value !== undefined)
  return window.trials.map((trial, place) => {
    const part = each[place]
    const code = part?.error as ErrorCode | undefined
    const verdict = code === undefined ? part : undefined
    const why = code === 'refused' ? 'the model declined' : 'no verdict on it could be read'
    const message = `${window.name} ${window.ids[place]}: ${why}`
    const error: RowError = { stage: 'score', code: code ?? 'no_verdict', message }
    return {
      ...rest,
      trial,
      ...(place === 0 && Object.fromEntries(taken)),
      ...(verdict ? { verdict } : !one.error && { error }),
    } as unknown as T
  })
}
