/**
 * Where the results of a run come from: who judged, with what parameters, orders, samples, criteria and options of jb-score.
 * Two runs are of the same judge, or of the same design, by what {@link identityOfRun} says of them.
 */
import { someNames } from '../options/nearest.ts'
import { byKey, count, getOrInsert } from '../rows/maps.ts'
import { isObject, type Json, type JsonObject, type Result, type Trial } from '../rows/record.ts'
import type { Context } from '../rows/stage.ts'
import type { RunIdentity } from './run_identity.ts'
import { Listed, Most } from './sums.ts'

/** No options. */
const NONE = '{}'

/** Between the orders of an item. */
const AND = '+'

/** Of `parameters`, `seeds` and `scored_with` JSON texts. */
export const provenanceSums = () => ({
  served_models: new Listed(),
  parameters: new Listed(),
  orders: new Listed(),
  /** How many valid items were shown in which orders. */
  items_by_orders: new Map<string, number>(),
  criteria: new Listed(),
  seeds: new Listed(),
  scored_with: new Listed(),
  samples: new Most(),
})
export type ProvenanceSums = ReturnType<typeof provenanceSums>

/** Adds where a trial comes from. */
export function seeTrial(
  sums: ProvenanceSums,
  trial: Partial<Trial>,
  served: string | undefined,
  parameters: JsonObject | undefined,
): void {
  if (parameters !== undefined) sums.parameters.add(textOf(parameters))
  if (served !== undefined) sums.served_models.add(served)
  if (typeof trial.order === 'string') sums.orders.add(trial.order)
  const { criterion, criteria } = trial
  if (typeof criterion === 'string') sums.criteria.add(criterion)
  if (Array.isArray(criteria))
    for (const name of criteria) if (typeof name === 'string') sums.criteria.add(name)
  if (trial.seed !== undefined) sums.seeds.add(JSON.stringify(trial.seed))
  // The trials of a jury are its members.
  if (trial.member === undefined) sums.samples.add((trial.sample ?? 0) + 1)
}

/** JSON texts of parameters: calls share the objects. */
const texts = new WeakMap<JsonObject, string>()
const textOf = (parameters: JsonObject): string =>
  getOrInsert(texts, parameters, () => JSON.stringify(parameters))

/** Adds the orders in which a valid item was shown. */
export function seeItem(sums: ProvenanceSums, trials: readonly { trial: Partial<Trial> }[]): void {
  const orders = new Set<string>()
  for (const { trial } of trials)
    if (typeof trial.order === 'string' && trial.member === undefined) orders.add(trial.order)
  if (orders.size > 0) count(sums.items_by_orders, [...orders].sort().join(AND), 1)
}

/** Adds the options that a result was scored with. */
export const addScoring = ({ scored_with: lists }: ProvenanceSums, { scored_with }: Result): void =>
  void lists.add(scored_with ? JSON.stringify(scored_with) : NONE)

/** The options of jb-score that results were scored with, if these are not the same for all. */
function scoringsOf({ scored_with }: ProvenanceSums): string[] {
  const all = [...scored_with].sort()
  return all.length > 1 ? all.map((text) => (text === NONE ? 'no options' : text)) : []
}

/** A single value is not in a list. */
const oneOrAll = (values: Json[]): Json => (values.length === 1 ? values[0]! : values)

const parsed = (list: Listed): Json[] => [...list].sort().map((text) => JSON.parse(text) as Json)

/** `made` of a report. A single value of `parameters`, `seed` and `scored_with` is not in a list. */
export function provenanceReport(sums: ProvenanceSums): JsonObject {
  const options = scoringsOf(sums).length > 0 || !sums.scored_with.has(NONE)
  const all: JsonObject = {
    served_models: [...sums.served_models].sort(),
    parameters: oneOrAll(parsed(sums.parameters)),
    orders: [...sums.orders].sort(),
    ...(sums.samples.value > 1 && { samples: sums.samples.value }),
    criteria: [...sums.criteria].sort(),
    seed: oneOrAll(parsed(sums.seeds)),
    ...(options && { scored_with: oneOrAll(parsed(sums.scored_with)) }),
  }
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => !(Array.isArray(value) && value.length === 0)),
  )
}

/** Notes that results of a run were scored with different options. */
export function noteScorings(run: string, sums: ProvenanceSums, note: Context['note']): void {
  const scorings = scoringsOf(sums)
  if (scorings.length > 0)
    note(`${run}: results that jb-score made with different options in one report (${someNames(scorings)})`, {
      kind: 'scored otherwise',
    })
}

/** How many valid items were shown in one order, and in several; undefined where all were shown in as many. */
export function mixedOrders({
  items_by_orders,
}: ProvenanceSums): { one: number; several: number } | undefined {
  const counts = { one: 0, several: 0 }
  for (const [orders, items] of items_by_orders) counts[orders.includes(AND) ? 'several' : 'one'] += items
  return counts.one > 0 && counts.several > 0 ? counts : undefined
}

/** Who judged a run, and how, as reports print it: a list where there are several, null where the rows do not say. */
export interface Identity {
  judge: Json
  name?: Json
  variant?: Json
  digest: Json
  model: Json
  served_models: string[]
  orders: string[] | null
  /** Where not all items were shown in the same orders: how many in which. */
  items_by_orders?: Record<string, number>
  samples: number | null
  criteria?: string[]
  parameters: Json
  items: number
}

/**
 * @param identities of all judges and models of the run
 * @param items how many the run has
 */
export function identityOfRun(
  identities: readonly RunIdentity[],
  sums: ProvenanceSums,
  items: number,
): Identity {
  const values = (key: keyof RunIdentity): Json => {
    const all = new Set(identities.flatMap((one) => one[key] ?? []))
    return all.size === 0 ? null : oneOrAll([...all].sort())
  }
  const [name, variant] = [values('name'), values('variant')]
  const byOrders = byKey(sums.items_by_orders)
  const orders = [...new Set(byOrders.flatMap(([orders]) => orders.split(AND)))].sort()
  const parameters = parsed(sums.parameters)
  return {
    judge: values('judge'),
    ...(name !== null && { name }),
    ...(variant !== null && { variant }),
    digest: values('judge_digest'),
    model: values('model'),
    served_models: [...sums.served_models].sort(),
    orders: orders.length > 0 ? orders : null,
    ...(byOrders.length > 1 && { items_by_orders: Object.fromEntries(byOrders) }),
    samples: sums.samples.value || null,
    ...(sums.criteria.size > 0 && { criteria: [...sums.criteria].sort() }),
    parameters: parameters.length === 0 ? null : oneOrAll(parameters),
    items,
  }
}

const ASPECTS = [
  'judge',
  'name',
  'variant',
  'digest',
  'model',
  'served_models',
  'orders',
  'samples',
  'criteria',
  'parameters',
] as const
export type Aspect = (typeof ASPECTS)[number]

/** In what two runs differ, in words: `model`, `gpt-4o` and `gpt-6`. */
export interface RunDifference {
  aspect: Aspect
  what: string
  values: [before: string, now: string]
}

/** In what two runs differ, by what both say. The models that a server named are compared where the model asked for is the same. */
export function differencesOf(before: Identity, now: Identity): RunDifference[] {
  const found: RunDifference[] = []
  for (const aspect of ASPECTS) {
    if (aspect === 'served_models' && JSON.stringify(before.model) !== JSON.stringify(now.model)) continue
    const [x, y] = [aspectWords(before, aspect), aspectWords(now, aspect)]
    if (x === undefined || y === undefined || x === y) continue
    if (aspect === 'parameters') found.push(...parametersApart(before.parameters, now.parameters))
    else found.push({ aspect, what: aspect === 'served_models' ? 'served by' : aspect, values: [x, y] })
  }
  return found
}

/** What one of two runs says and the other does not. */
export const unknownInOne = (before: Identity, now: Identity): Aspect[] =>
  ASPECTS.filter(
    (aspect) => (aspectWords(before, aspect) === undefined) !== (aspectWords(now, aspect) === undefined),
  )

/** What a run says of an aspect, in words that are the same where it is the same; undefined where it says nothing. */
export function aspectWords(run: Identity, aspect: Aspect): string | undefined {
  if (aspect === 'orders') return ordersInWords(run)
  const value = run[aspect] ?? null
  if (value === null) return undefined
  if (aspect === 'parameters') return JSON.stringify(value)
  if (Array.isArray(value)) return value.length > 0 ? value.join(', ') : undefined
  return String(value)
}

/** All that a run says of who judged it, but parameters: `judge vanilla, model m, orders AB+BA`. */
export const identityWords = (run: Identity): string =>
  ASPECTS.filter((aspect) => aspect !== 'parameters' && !(aspect === 'samples' && run.samples === 1))
    .flatMap((aspect) => {
      const words = aspectWords(run, aspect)
      return words === undefined ? [] : [`${aspect === 'served_models' ? 'served by' : aspect} ${words}`]
    })
    .join(', ')

function ordersInWords({ orders, items_by_orders: counts }: Identity): string | undefined {
  if (!counts) return orders?.join(AND)
  const all = Object.keys(counts)
  return all.some((one) => one.includes(AND)) ? `${all.join(' or ')} by item` : 'one of each item'
}

/** Each parameter that differs. */
function parametersApart(before: Json, now: Json): RunDifference[] {
  const aspect = 'parameters'
  if (!isObject(before) || !isObject(now))
    return [{ aspect, what: aspect, values: [JSON.stringify(before), JSON.stringify(now)] }]
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort()
  const words = (value: Json | undefined) => (value === undefined ? 'none' : JSON.stringify(value))
  return names
    .map((what): RunDifference => ({ aspect, what, values: [words(before[what]), words(now[what])] }))
    .filter(({ values: [x, y] }) => x !== y)
}
