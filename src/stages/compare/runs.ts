/** Each run's outcome of each item. Items are numbers, which all runs share. */
import { fieldNames } from '../../rows/item_id.ts'
import { append, getOrInsert } from '../../rows/maps.ts'
import { EXIT, Fatal, type Json } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { groupName } from '../../scoring/group_name.ts'
import type { ItemResult } from '../../scoring/item_result.ts'
import { MEASURES, type Outcome } from '../../scoring/outcome.ts'
import { type Identity, identityOfRun, provenanceSums } from '../../scoring/provenance.ts'
import { identityTitle, type RunIdentity, runKey, runsOfVersions } from '../../scoring/run_identity.ts'
import { placeText, type RowPlace, SameItems } from '../../scoring/same_items.ts'
import type { GradeScale } from '../../scoring/scale.ts'
import type { PlainIds } from './ids.ts'

/** States of an item in a run. */
export const ABSENT = 0
const FAILED = 1
/** This plus the index of the outcome's measure in {@link MEASURES}. */
const VALUE = 2

/** What an item came to in a run, and where its row is; the mean of several samples. */
interface ItemOutcome {
  /** Undefined if it failed. */
  outcome: Outcome | undefined
  place: RowPlace
}

const stateOf = (outcome: Outcome | undefined): number =>
  outcome ? VALUE + MEASURES.indexOf(outcome.measure) : FAILED

/** The range that holds both; undefined if one is unknown. */
export const wider = (a: Outcome['range'], b: Outcome['range']): Outcome['range'] =>
  a && b && (a[0] <= b[0] && b[1] <= a[1] ? a : [Math.min(a[0], b[0]), Math.max(a[1], b[1])])

/** What --show writes of an item in a run, besides its value. */
interface ShownOutcome {
  result?: Json
  error?: Json
}

/** Of a list the trials say how many answers there are. */
export type KeptResult = Pick<ItemResult, 'result' | 'kind' | 'criteria' | 'trials'>

export class ComparedRun {
  name: string
  readonly identity: RunIdentity
  /** Who judged the items of a run that a file or a field names. */
  readonly judges: Map<string, { identity: RunIdentity }> | undefined
  readonly provenance = provenanceSums()
  /** By item. */
  private readonly outcomes: (ItemOutcome | undefined)[] = []
  /** The values that there can be; undefined if unknown for some row. */
  range: Outcome['range'] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  /** The scales of its grades. */
  readonly scales: GradeScale[] = []
  /** Of --value: whether a value is true, false or a fraction; whether one is beyond 0 to 1. */
  hasShares = false
  hasMore = false
  /** --duplicates mean: values of the items that have several. */
  readonly samples = new Map<number, number[]>()
  readonly shown = new Map<number, ShownOutcome>()
  /** --choose: what each item came to. */
  readonly results = new Map<number, KeptResult>()
  /** --truth: people's labels of its items. */
  readonly truth = new Map<number, number[]>()
  valid = 0
  /** With failed ones. */
  items = 0
  /** The least state of an item with an outcome: that of the best measure. */
  private best = Number.POSITIVE_INFINITY

  /** @param identity undefined for a run that a file or a field names */
  constructor(name: string, identity?: RunIdentity) {
    this.name = name
    this.identity = identity ?? { model: name }
    if (!identity) this.judges = new Map()
  }

  /** Who judged it, and how. */
  get judgedBy(): Identity {
    const identities = this.judges
      ? [...this.judges.values()].map(({ identity }) => identity)
      : [this.identity]
    return identityOfRun(identities, this.provenance, this.items)
  }

  /** Notes who judged an item of a run that a file or a field names. */
  seeJudge(identity: RunIdentity): void {
    this.judges?.set(runKey(identity), { identity })
  }

  /** @param mean of several outcomes of an item the mean counts @returns an error for several outcomes, else */
  set(item: number, place: RowPlace, outcome: Outcome | undefined, mean: boolean): Fatal | undefined {
    const before = this.state(item)
    if (before !== ABSENT) {
      if (!mean) return this.duplicate(item, place)
      if (before !== FAILED && outcome) this.addSample(item, outcome.value)
      if (before !== FAILED || !outcome) return undefined
    }
    const state = stateOf(outcome)
    if (before === ABSENT) this.items++
    this.outcomes[item] = { outcome: outcome && { ...outcome }, place }
    if (!outcome) return undefined
    this.valid++
    if (state < this.best) this.best = state
    this.range = wider(this.range, outcome.range)
    if (outcome.measure === 'score' && outcome.range) this.seeScale(outcome.range)
    return undefined
  }

  /** Notes whether a value of plain rows is a share. @param given as it stands in the row */
  seeSize(value: number, given: unknown): void {
    if (value < 0 || value > 1) this.hasMore = true
    else if (typeof given === 'boolean' || (value > 0 && value < 1)) this.hasShares = true
  }

  state(item: number): number {
    const one = this.outcomes[item]
    return one ? stateOf(one.outcome) : ABSENT
  }

  hasValue(item: number): boolean {
    return this.state(item) >= VALUE
  }

  /** The value of an item that has an outcome. */
  value(item: number): number {
    return this.outcomes[item]!.outcome!.value
  }

  /** Index of the best measure that any item has; Infinity if none has one. */
  get measure(): number {
    return this.best - VALUE
  }

  has(item: number, measure: number): boolean {
    return this.state(item) === VALUE + measure
  }

  private seeScale(range: GradeScale): void {
    if (!this.scales.some(([low, high]) => low === range[0] && high === range[1])) this.scales.push(range)
  }

  addTruth(item: number, amount: number): void {
    append(this.truth, item, amount)
  }

  /** @throws Fatal (data) for people's labels that are not among the values there can be: they are on another scale, or numbers of answers */
  checkTruth(): void {
    const [low, high] = this.range ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
    if (this.valid === 0) return
    for (const [item, labels] of this.truth) {
      const beyond = labels.find((one) => one < low || one > high)
      if (beyond !== undefined)
        throw new Fatal(
          EXIT.data,
          `--truth: the label ${beyond} of the item at ${this.placeOf(item)} is not from ${low} to ${high}, as the values of "${this.name}" are (--label-map 'LABEL=MEANING,…' says what labels mean)`,
        )
    }
  }

  private placeOf(item: number): string {
    return placeText(this.outcomes[item]!.place)
  }

  /** The mean of people's labels of an item; undefined without any. */
  truthOf(item: number): number | undefined {
    const labels = this.truth.get(item)
    return labels && labels.reduce((sum, one) => sum + one, 0) / labels.length
  }

  private addSample(item: number, value: number): void {
    const samples = getOrInsert(this.samples, item, () => [this.value(item)])
    samples.push(value)
    this.outcomes[item]!.outcome!.value =
      [...samples].sort((a, b) => a - b).reduce((sum, one) => sum + one, 0) / samples.length
  }

  private duplicate(item: number, { file, line }: RowPlace): Fatal {
    return new Fatal(
      EXIT.data,
      `${file}:${line}: the item is already at ${this.placeOf(item)}, in the same run "${this.name}" (--duplicates mean takes the mean of samples, --run FIELD and --id FIELD name the fields that identify runs and items)`,
    )
  }
}

/** Values of a field by item. */
class Column {
  private readonly values: (string | undefined)[] = []

  set(item: number, text: string): void {
    // If runs have different values, the least one counts: the order of the input must not matter.
    const before = this.get(item)
    if (before === undefined || text < before) this.values[item] = text
  }

  get(item: number): string | undefined {
    return this.values[item]
  }

  get empty(): boolean {
    return this.values.length === 0
  }
}

const scoringOf = ({ name, provenance }: ComparedRun) =>
  `${name}: ${[...provenance.scored_with].sort().map((options) => (options === '{}' ? 'no options' : options))}`

/** All runs, and the items of any of them. */
export class Runs {
  /** The items of all runs, by id. */
  private readonly items = new Map<string, number>()
  /** Their ids. */
  readonly ids: string[] = []
  private readonly byKey = new Map<string, ComparedRun>()
  readonly plainIds: PlainIds
  readonly same = new SameItems()
  /** Values of the fields of --by and --cluster, by field. */
  readonly columns: ReadonlyMap<string, Column>
  /** Fields of the first row that lacks one of these, or that of --run. */
  fieldNames: string[] | undefined
  /** --choose: people's labels of each item. */
  readonly labels = new Map<number, Json[]>()
  /** --show: the first row of each item. */
  readonly rows: Row[] = []

  constructor(fields: readonly string[], plainIds: PlainIds) {
    this.plainIds = plainIds
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

  /** The number of items. */
  get size(): number {
    return this.items.size
  }

  /** The number of the item with this id; a new item gets the next number. */
  number(id: string): number {
    const known = this.items.get(id)
    if (known !== undefined) return known
    this.items.set(id, this.ids.length)
    return this.ids.push(id) - 1
  }

  /** The number of an item that is in some run. */
  find(id: string): number | undefined {
    return this.items.get(id)
  }

  /** Sets an item's values of the fields of --by and --cluster. */
  setFields(item: number, row: Row): void {
    for (const [field, column] of this.columns) {
      const value = row.field(field)
      if (value !== undefined && value !== null) column.set(item, groupName(row, field))
      else this.fieldNames ??= fieldNames(row)
    }
  }

  /** All runs. @param sorted by name; else in the order of the files */
  finish(sorted: boolean, note: Context['note']): ComparedRun[] {
    const kept = [...this.byKey.values()]
    for (const run of runsOfVersions(kept, note))
      run.name = identityTitle(run.identity, run.identity.judge_digest)
    for (const { name, judges } of kept)
      if (judges) runsOfVersions(judges.values(), note, `together in the run "${name}"`)
    if (sorted) kept.sort((a, b) => (a.name < b.name ? -1 : 1))
    const scored = kept.filter(({ provenance }) => provenance.scored_with.size > 0)
    if (new Set(scored.flatMap(({ provenance }) => [...provenance.scored_with])).size > 1)
      note(
        `results that jb-score made with different options are compared (${scored.map(scoringOf).join('; ')})`,
      )
    return kept
  }
}
