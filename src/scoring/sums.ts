/**
 * What a report adds up, and the one rule by which the sums of shards are added: counts add up, sums and histograms merge,
 * those by name merge name by name. Nothing depends on the order of the rows.
 */
import { count } from '../rows/maps.ts'
import { isObject, type Json, type JsonObject } from '../rows/record.ts'
import { Histogram } from '../statistics/describe.ts'
import { Sum } from '../statistics/sum.ts'
import { countIn, textIn } from './states.ts'

/** A count, a sum, a sketch, counts by name, sums by name, or some of these together. */
type Summed = number | Sum | Histogram | Map<string, number> | ByName | Listed | Shared | Most | Sums
/** A kind of judge says which it has. */
export interface Sums {
  [name: string]: Summed
}

/** Sums for each of some names, made when a name occurs. */
// biome-ignore lint/suspicious/noExplicitAny: of any sums
export class ByName<S extends Sums = any> extends Map<string, S> {
  private readonly make: (name: string) => S

  constructor(make: (name: string) => S) {
    super()
    this.make = make
  }

  of(name: string): S {
    let sums = this.get(name)
    if (!sums) this.set(name, (sums = this.make(name)))
    return sums
  }
}

/** Different texts, at most {@link LISTED} of them: those that sort first, so that the order of the rows does not matter. */
export class Listed extends Set<string> {
  /** The one that sorts last, once there are as many as there may be. */
  private last: string | undefined

  override add(text: string): this {
    if (this.has(text) || (this.last !== undefined && text > this.last)) return this
    super.add(text)
    if (this.size > LISTED) this.delete(this.greatest())
    if (this.size === LISTED) this.last = this.greatest()
    return this
  }

  private greatest(): string {
    return [...this].reduce((last, one) => (one > last ? one : last))
  }
}
const LISTED = 50

/** A value that everything has by name; null where it differs. */
export class Shared extends Map<string, Json> {
  add(name: string, value: Json): void {
    const known = this.get(name)
    if (known === undefined || JSON.stringify(known) !== JSON.stringify(value))
      this.set(name, known === undefined ? value : null)
  }
}

/** The largest number. */
export class Most {
  value = 0

  add(number: number): void {
    if (number > this.value) this.value = number
  }
}

/** What {@link merge} takes elsewhere, as JSON. */
export function sumsState(sums: Sums): JsonObject {
  return Object.fromEntries(Object.entries(sums).map(([name, value]) => [name, stateOfOne(value)]))
}

function stateOfOne(value: Summed): Json {
  if (typeof value === 'number') return value
  if (value instanceof Listed) return [...value]
  if (value instanceof Most) return value.value
  if (value instanceof ByName)
    return Object.fromEntries([...value].map(([name, sums]) => [name, sumsState(sums)]))
  if (value instanceof Map) return Object.fromEntries(value)
  return value instanceof Sum || value instanceof Histogram ? value.state() : sumsState(value)
}

/** Adds what {@link sumsState} gave. @throws TypeError, RangeError for what no rows could have made */
export function merge(sums: Sums, state: Json | undefined): void {
  if (!isObject(state)) throw new TypeError('no sums')
  for (const [name, value] of Object.entries(sums)) {
    const other = state[name]
    if (typeof value === 'number') sums[name] = countIn(value + countIn(other))
    else mergeOne(value, other)
  }
}

function mergeOne(value: Exclude<Summed, number>, other: Json | undefined): void {
  if (value instanceof Sum) value.merge(other as number[])
  else if (value instanceof Histogram) value.merge(other as JsonObject)
  else if (value instanceof Most) value.add(countIn(other))
  else if (value instanceof Listed) for (const text of other as Json[]) value.add(textIn(text))
  else if (!(value instanceof Map)) merge(value, other)
  else {
    if (!isObject(other)) throw new TypeError('no object')
    for (const [name, one] of Object.entries(other))
      if (value instanceof ByName) merge(value.of(name), one)
      else if (value instanceof Shared) value.add(name, one)
      else count(value, name, countIn(one))
  }
}
