/** Each run's outcome of each item, in growing typed arrays: a million items take little memory. */

import { OwnedTexts, ownedText } from '../../rows/bytes.ts'
import { fieldNames } from '../../rows/item_id.ts'
import { getOrInsert } from '../../rows/maps.ts'
import { EXIT, Fatal, type Json } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { MEASURES, type Outcome } from '../../scoring/_outcome.ts'
import { groupName } from '../../scoring/_run.ts'
import {
  identityTitle,
  possibleRuns,
  type RunIdentity,
  runKey,
  runsOfVersions,
} from '../../scoring/_run_identity.ts'
import { grown, ItemNumbers } from './item_numbers.ts'

/** States of an item in a run. */
export const ABSENT = 0
const FAILED = 1
/** This plus the index of the outcome's measure in {@link MEASURES}. */
const VALUE = 2

/** Bits of a state. */
const STATE_BITS = 3
const STATE = 2 ** STATE_BITS - 1

/** The factor of a file's number in a place; the rest is the line. */
const FILE = 2 ** 32

/** An item's outcome in a run. */
export interface ItemOutcome {
  outcome: Outcome | undefined
  /** See {@link stateOf}. */
  state: number
  /** Digest of the item's trials, 28 bits; 0 if unknown. */
  digest: number
}

export const stateOf = (outcome: Outcome | undefined): number =>
  outcome ? VALUE + MEASURES.indexOf(outcome.measure) : FAILED

/** The range that holds both; undefined if one is unknown. */
export const wider = (a: Outcome['range'], b: Outcome['range']): Outcome['range'] =>
  a && b && (a[0] <= b[0] && b[1] <= a[1] ? a : [Math.min(a[0], b[0]), Math.max(a[1], b[1])])

/** What --show writes of an item in a run, besides its value. */
interface ShownOutcome {
  result?: Json
  error?: Json
}

export class ComparedRun {
  name: string
  readonly identity: RunIdentity
  /** Who judged the items of a run that a file or a field names. */
  readonly judges: Map<string, { identity: RunIdentity }> | undefined
  /** The options that its results were scored with, as JSON texts. */
  readonly scoredWith = new Set<string>()
  /** By item: the state, and the digest in the higher bits. Few arrays, because each costs a cache miss if runs' orders differ. */
  private states = new Uint32Array(1024)
  /** By item: the value, then its place, line + {@link FILE} · file. */
  private values = new Float64Array(2048)
  private readonly files: string[] = []
  /** Number of the previous row's file. */
  private file = 0
  /** The values that there can be; undefined if unknown for some row. */
  range: Outcome['range'] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  /** --duplicates mean: values of the items that have several. */
  readonly samples = new Map<number, number[]>()
  readonly shown = new Map<number, ShownOutcome>()
  valid = 0
  /** The least state of an item with an outcome: that of the best measure. */
  private best = Number.POSITIVE_INFINITY

  /** @param identity undefined for a run that a file or a field names */
  constructor(name: string, identity?: RunIdentity) {
    this.name = name
    this.identity = identity ?? { model: name }
    if (!identity) this.judges = new Map()
  }

  /**
   * @param digest used in place of the outcome's
   * @returns false if the run already has the item with the same outcome, which counts once; an error if with another,
   *   unless `duplicates` is mean
   */
  set(
    item: number,
    row: Row,
    { outcome, state }: ItemOutcome,
    digest: number,
    duplicates: string,
  ): boolean | Fatal {
    if (item >= this.states.length) this.grow(item)
    const before = this.state(item)
    if (before !== ABSENT) {
      if (duplicates !== 'mean') {
        const alike = before === state && (!outcome || this.value(item) === outcome.value)
        if (alike && digest !== 0 && digest === this.states[item]! >> STATE_BITS) return false
        return this.duplicate(item, row)
      }
      if (before !== FAILED && outcome) this.addSample(item, outcome.value)
      if (before !== FAILED || !outcome) return true
    }
    this.states[item] = (digest << STATE_BITS) | state
    if (this.files[this.file] !== row.file) this.file = this.numberOf(row.file)
    this.values[2 * item + 1] = this.file * FILE + row.line
    if (!outcome) return true
    this.valid++
    if (state < this.best) this.best = state
    this.values[2 * item] = outcome.value
    this.range = wider(this.range, outcome.range)
    return true
  }

  private numberOf(file: string): number {
    const number = this.files.indexOf(file)
    return number < 0 ? this.files.push(file) - 1 : number
  }

  /** Marks an item as failed. */
  fail(item: number): void {
    if (item >= this.states.length) this.grow(item)
    this.states[item] = FAILED
  }

  state(item: number): number {
    return item < this.states.length ? this.states[item]! & STATE : ABSENT
  }

  hasValue(item: number): boolean {
    return this.state(item) >= VALUE
  }

  /** The value of an item that has an outcome. */
  value(item: number): number {
    return this.values[2 * item]!
  }

  /** Index of the best measure that any item has; Infinity if none has one. */
  get measure(): number {
    return this.best - VALUE
  }

  has(item: number, measure: number): boolean {
    return this.state(item) === VALUE + measure
  }

  private addSample(item: number, value: number): void {
    const samples = getOrInsert(this.samples, item, () => [this.value(item)])
    samples.push(value)
    this.values[2 * item] =
      [...samples].sort((a, b) => a - b).reduce((sum, one) => sum + one, 0) / samples.length
  }

  private duplicate(item: number, row: Row): Fatal {
    const place = this.values[2 * item + 1]!
    const first = `${this.files[Math.floor(place / FILE)]}:${place % FILE}`
    return new Fatal(
      EXIT.data,
      `${row.place}: the item is already at ${first}, in the same run "${this.name}" (--duplicates mean takes the mean of samples, --run FIELD and --id FIELD name the fields that identify runs and items)`,
    )
  }

  private grow(item: number): void {
    this.states = grown(this.states, item + 1)
    this.values = grown(this.values, 2 * (item + 1))
  }
}

/** Values of a field by item; equal texts are stored once. */
class Column {
  private readonly values = new OwnedTexts()
  /** Numbers of the values + 1, 0 for none. */
  private codes = new Uint32Array(1024)

  set(item: number, text: string): void {
    if (item >= this.codes.length) this.codes = grown(this.codes, item + 1)
    // If runs have different values, the least one counts: the order of the input must not matter.
    const before = this.get(item)
    if (before === undefined || text < before) this.codes[item] = this.values.number(text) + 1
  }

  get(item: number): string | undefined {
    return this.values.texts[(this.codes[item] ?? 0) - 1]
  }

  get empty(): boolean {
    return this.values.texts.length === 0
  }
}

const scoringOf = ({ name, scoredWith }: ComparedRun) =>
  `${name}: ${[...scoredWith].sort().map((options) => (options === '{}' ? 'no options' : options))}`

/** All runs, and the items of any of them. */
export class Runs {
  readonly items = new ItemNumbers()
  /** Ids of the items; kept only if they are needed, because they take most of the memory. */
  readonly ids: string[] | undefined
  private readonly byKey = new Map<string, ComparedRun>()
  /** Values of the fields of --by and --cluster, by field. */
  readonly columns: ReadonlyMap<string, Column>
  /** Fields of the first row that lacks one of these, or that of --run. */
  fieldNames: string[] | undefined
  /** --show: the first row of each item. */
  readonly rows: Row[] = []

  /** @param named whether ids of items are needed */
  constructor(fields: readonly string[], named: boolean) {
    if (named) this.ids = []
    this.columns = new Map(fields.map((field) => [field, new Column()]))
  }

  run(name: string, identity?: RunIdentity): ComparedRun {
    const key = identity ? runKey(identity) : name
    return getOrInsert(this.byKey, key, () => new ComparedRun(name, identity))
  }

  /** No row has had a name of its run. */
  get nameless(): boolean {
    return this.byKey.size === 1 && this.byKey.has('')
  }

  /** Number of the item that was hashed last, which is the row's. */
  item(row: Row, idOf: (row: Row) => string): number {
    const item = this.items.take()
    if (this.ids?.length === item) this.ids.push(ownedText(idOf(row)))
    for (const [field, column] of this.columns) {
      const value = row.field(field)
      if (value !== undefined && value !== null) column.set(item, groupName(value, row, field))
      else this.fieldNames ??= fieldNames(row)
    }
    return item
  }

  /** All runs; those without a model are merged into others. @param sorted by name; else in the order of the files */
  finish(sorted: boolean, note: Context['note']): ComparedRun[] {
    const runs = [...this.byKey.values()]
    const kept = runs.filter((lost) => {
      const homes = possibleRuns(lost, runs) ?? []
      for (const home of homes) this.move(lost, home)
      return homes.length === 0
    })
    for (const run of runsOfVersions(kept, note))
      run.name = identityTitle(run.identity, run.identity.judge_digest)
    for (const { name, judges } of kept)
      if (judges) runsOfVersions(judges.values(), note, `together in the run "${name}"`)
    if (sorted) kept.sort((a, b) => (a.name < b.name ? -1 : 1))
    const scored = kept.filter(({ scoredWith }) => scoredWith.size > 0)
    if (new Set(scored.flatMap(({ scoredWith }) => [...scoredWith])).size > 1)
      note(
        `results that jb-score made with different options are compared (${scored.map(scoringOf).join('; ')})`,
      )
    return kept
  }

  private move(from: ComparedRun, to: ComparedRun): void {
    for (let item = 0; item < this.items.size; item++) {
      if (from.state(item) === ABSENT || to.state(item) !== ABSENT) continue
      to.fail(item)
      const shown = from.shown.get(item)
      if (shown) to.shown.set(item, shown)
    }
  }
}
