/** What each run said of each item: columns that grow, so that a million items take little room. */

import { kept } from '../../rows/bytes.ts'
import { EXIT, Fatal, type Json } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { MEASURES, type Outcome } from '../../scoring/_outcome.ts'
import { groupName } from '../../scoring/_run.ts'

/** An item's outcome in a run. */
export const ABSENT = 0
const FAILED = 1
/** This + a measure's place in {@link MEASURES}. */
const VALUE = 2

/** What a run said, for --show. */
export interface ShownValue {
  value?: number
  result?: Json
  error?: Json
}

export class ComparedRun {
  readonly name: string
  /** False for items that failed before a model was known. */
  readonly whole: boolean
  /** By item. */
  states = new Uint8Array(1024)
  values = new Float64Array(1024)
  /** Of what an item's trials said; 0 where that is not known. */
  private digests = new Uint32Array(1024)
  private lines = new Float64Array(1024)
  private readonly files: string[] = []
  private fileOf = new Uint32Array(1024)
  /** How far values can be apart; undefined where a row did not say. */
  width: number | undefined = 0
  /** --duplicates mean: the samples of items that have several. */
  readonly samples = new Map<number, number[]>()
  readonly shown = new Map<number, ShownValue>()
  valid = 0

  constructor(name: string, whole: boolean) {
    this.name = name
    this.whole = whole
  }

  /**
   * @param digest of what the item's trials said; 0 where that is not known
   * @returns false where the same was there already, which counts once
   * @throws Fatal where something else was, unless `duplicates` is mean
   */
  set(item: number, row: Row, outcome: Outcome | undefined, digest: number, duplicates: string): boolean {
    if (item >= this.states.length) this.grow(item)
    const before = this.states[item]!
    const state = outcome ? VALUE + MEASURES.indexOf(outcome.measure) : FAILED
    if (before !== ABSENT) {
      if (duplicates !== 'mean') {
        const alike = before === state && (!outcome || this.values[item] === outcome.value)
        if (alike && digest !== 0 && digest === this.digests[item]) return false
        this.refuse(item, row)
      }
      if (before !== FAILED && outcome) this.addSample(item, outcome.value)
      if (before !== FAILED || !outcome) return true
    }
    this.states[item] = state
    this.digests[item] = digest
    this.lines[item] = row.line
    if (this.files.at(-1) !== row.file) this.files.push(row.file)
    this.fileOf[item] = this.files.length - 1
    if (!outcome) return true
    this.valid++
    this.values[item] = outcome.value
    if (outcome.width === undefined || this.width === undefined) this.width = undefined
    else this.width = Math.max(this.width, outcome.width)
    return true
  }

  /** Marks an item as failed, of a run whose name was not known then. */
  fail(item: number): void {
    if (item >= this.states.length) this.grow(item)
    this.states[item] = FAILED
  }

  state(item: number): number {
    return item < this.states.length ? this.states[item]! : ABSENT
  }

  /** Place of the best measure that any item has; -1 where none has. */
  get measure(): number {
    let best: number = MEASURES.length
    for (const state of this.states) if (state >= VALUE) best = Math.min(best, state - VALUE)
    return best === MEASURES.length ? -1 : best
  }

  has(item: number, measure: number): boolean {
    // A measure of -1, where no item has one, would be the state of those that failed.
    return measure >= 0 && this.state(item) === VALUE + measure
  }

  private addSample(item: number, value: number): void {
    const samples = this.samples.get(item) ?? [this.values[item]!]
    samples.push(value)
    this.samples.set(item, samples)
    this.values[item] = [...samples].sort((a, b) => a - b).reduce((sum, one) => sum + one, 0) / samples.length
  }

  private refuse(item: number, row: Row): never {
    const first = `${this.files[this.fileOf[item]!]}:${this.lines[item]}`
    throw new Fatal(
      EXIT.data,
      `${row.place}: this item stands at ${first} already, in the same run "${this.name}" (--duplicates mean takes the mean of samples, --run FIELD tells runs apart, --id FIELD items)`,
    )
  }

  private grow(item: number): void {
    const size = Math.max(item + 1, this.states.length * 2)
    this.states = copyInto(new Uint8Array(size), this.states)
    this.values = copyInto(new Float64Array(size), this.values)
    this.digests = copyInto(new Uint32Array(size), this.digests)
    this.lines = copyInto(new Float64Array(size), this.lines)
    this.fileOf = copyInto(new Uint32Array(size), this.fileOf)
  }
}

/** Values of a field by item: each distinct text once. */
class Column {
  private readonly texts: string[] = ['']
  private readonly places = new Map<string, number>()
  private codes = new Uint32Array(1024)

  set(item: number, text: string): void {
    let code = this.places.get(text)
    if (code === undefined) {
      const own = kept(text)
      code = this.texts.push(own) - 1
      this.places.set(own, code)
    }
    if (item >= this.codes.length) {
      const codes = new Uint32Array(Math.max(item + 1, this.codes.length * 2))
      codes.set(this.codes)
      this.codes = codes
    }
    // Where runs give different values, the least counts, whatever the order of the input.
    const before = this.codes[item]!
    if (before === 0 || text < this.texts[before]!) this.codes[item] = code
  }

  get(item: number): string | undefined {
    const code = item < this.codes.length ? this.codes[item]! : 0
    return code === 0 ? undefined : this.texts[code]
  }

  get empty(): boolean {
    return this.texts.length === 1
  }
}

/** All runs, over the items of any. */
export class Runs {
  private readonly places = new Map<string, number>()
  readonly ids: string[] = []
  /** Where the next item is looked for first: runs mostly have the same items in the same order. */
  private next = 0
  private readonly byName = new Map<string, ComparedRun>()
  /** Of --by and --cluster, by field. */
  readonly columns: ReadonlyMap<string, Column>
  /** --show: an item's row as it was first read. */
  readonly rows: Row[] = []

  constructor(fields: readonly string[]) {
    this.columns = new Map(fields.map((field) => [field, new Column()]))
  }

  run(name: string, whole: boolean): ComparedRun {
    let run = this.byName.get(name)
    if (!run) this.byName.set(name, (run = new ComparedRun(name, whole)))
    return run
  }

  item(id: string, row: Row): number {
    let item = this.ids[this.next] === id ? this.next : this.places.get(id)
    if (item === undefined) {
      const own = kept(id)
      item = this.ids.push(own) - 1
      this.places.set(own, item)
    }
    this.next = item + 1 === this.ids.length ? 0 : item + 1
    for (const [field, column] of this.columns) {
      const value = row.field(field)
      if (value !== undefined && value !== null) column.set(item, groupName(value, row, field))
    }
    return item
  }

  /** In the order of the files; in one stream by name, whatever the order of the input. */
  finish(sorted: boolean): ComparedRun[] {
    const runs = [...this.byName.values()]
    const lost = runs.filter(({ whole, valid }) => !whole && valid === 0)
    const kept = runs.filter((run) => !lost.includes(run))
    for (const one of lost) {
      // Items that failed before they had a model failed in all runs of their judge.
      const homes = kept.filter(({ name }) => name === one.name || name.startsWith(`${one.name} · `))
      if (homes.length === 0) kept.push(one)
      for (const home of homes) this.move(one, home)
    }
    return sorted ? kept.sort((a, b) => (a.name < b.name ? -1 : 1)) : kept
  }

  private move(from: ComparedRun, to: ComparedRun): void {
    for (let item = 0; item < this.ids.length; item++)
      if (from.state(item) !== ABSENT && to.state(item) === ABSENT) to.fail(item)
  }
}

/** The larger one, with the numbers of the smaller one first. */
function copyInto<T extends { set(from: T): void }>(larger: T, smaller: T): T {
  larger.set(smaller)
  return larger
}
