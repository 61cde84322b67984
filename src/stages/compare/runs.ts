/** Each run's outcome of each item, by the item's id. */
import { shortId } from '../../rows/controls.ts'
import { fieldNames, thereAre } from '../../rows/item_id.ts'
import { append, getOrInsert } from '../../rows/maps.ts'
import { EXIT, Fatal, type Json } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { groupName } from '../../scoring/group_name.ts'
import type { ItemResult } from '../../scoring/item_result.ts'
import { MEASURES, NO_VALUES, type Outcome, wider } from '../../scoring/outcome.ts'
import { type Identity, identityOfRun, provenanceSums } from '../../scoring/provenance.ts'
import { identityTitle, type RunIdentity, runKey, runsOfVersions } from '../../scoring/run_identity.ts'
import { placeText, type RowPlace, SameItems } from '../../scoring/same_items.ts'
import type { GradeScale } from '../../scoring/scale.ts'
import type { PlainIds } from './ids.ts'

type Measure = Outcome['measure']

/** The best measure among these: the first in {@link MEASURES}; undefined without any. */
export const bestMeasure = (...measures: (Measure | undefined)[]): Measure | undefined =>
  MEASURES.find((one) => measures.includes(one))

/** An item of any of the runs. */
export interface ComparedItem {
  id: string
  /** Its values of the fields of --by and --cluster. */
  fields: ReadonlyMap<string, string>
  /** --show: the first row of it. */
  row: Row | undefined
}

/** What an item came to in a run, and where its row is. */
interface ItemOutcome extends RowPlace, Partial<Pick<Outcome, 'measure' | 'value'>> {
  /** Those of its samples, if there are several: the value is their mean. */
  samples?: number[]
}

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
  private readonly outcomes = new Map<string, ItemOutcome>()
  /** The values that there can be; undefined if unknown for some row. */
  range: Outcome['range'] = NO_VALUES
  /** The scales of its grades. */
  readonly scales: GradeScale[] = []
  /** Of --value: whether a value is true, false or a fraction; whether one is beyond 0 to 1. */
  hasShares = false
  hasMore = false
  readonly shown = new Map<string, ShownOutcome>()
  /** --choose: what each item came to. */
  readonly results = new Map<string, KeptResult>()
  /** --truth: people's labels of its items. */
  private readonly truth = new Map<string, number[]>()
  /** The best measure that any item has; undefined if none has one. */
  measure: Measure | undefined

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
    return identityOfRun(identities, this.provenance, this.outcomes.size)
  }

  /** Notes who judged an item of a run that a file or a field names. */
  seeJudge(identity: RunIdentity): void {
    this.judges?.set(runKey(identity), { identity })
  }

  /** @param mean of several outcomes of an item the mean counts @returns an error for several outcomes, else */
  set(id: string, place: RowPlace, outcome: Outcome | undefined, mean: boolean): Fatal | undefined {
    const before = this.outcomes.get(id)
    if (before && !mean) return this.duplicate(before, place)
    if (before?.value !== undefined && outcome) {
      before.samples = [...this.samples(id), outcome.value]
      before.value = meanInAnyOrder(before.samples)
      return undefined
    }
    if (before && !outcome) return undefined
    const { file, line } = place
    this.outcomes.set(id, { file, line, measure: outcome?.measure, value: outcome?.value })
    if (!outcome) return undefined
    this.measure = bestMeasure(this.measure, outcome.measure)
    this.range = wider(this.range, outcome.range)
    if (outcome.measure === 'score' && outcome.range) this.seeScale(outcome.range)
    return undefined
  }

  /** Notes whether a value of plain rows is a share. @param given as it stands in the row */
  seeSize(value: number, given: unknown): void {
    if (value < 0 || value > 1) this.hasMore = true
    else if (typeof given === 'boolean' || (value > 0 && value < 1)) this.hasShares = true
  }

  /** Whether the run has the item, be it a failed one. */
  has(id: string): boolean {
    return this.outcomes.has(id)
  }

  /** Undefined for an item that failed, or that the run does not have. */
  value(id: string): number | undefined {
    return this.outcomes.get(id)?.value
  }

  /** The value, if it is one of this measure. */
  valueBy(measure: Measure | undefined, id: string): number | undefined {
    const outcome = this.outcomes.get(id)
    return outcome?.measure === measure ? outcome?.value : undefined
  }

  /** The values of an item's samples; of one without samples its value. */
  samples(id: string): readonly number[] {
    const { value, samples } = this.outcomes.get(id) ?? {}
    return samples ?? (value === undefined ? [] : [value])
  }

  private seeScale(range: GradeScale): void {
    if (!this.scales.some(([low, high]) => low === range[0] && high === range[1])) this.scales.push(range)
  }

  addTruth(id: string, amount: number): void {
    append(this.truth, id, amount)
  }

  /** @throws Fatal (data) for people's labels that are not among the values there can be: they are on another scale, or numbers of answers */
  checkTruth(): void {
    if (!this.measure || !this.range) return
    const [low, high] = this.range
    for (const [id, labels] of this.truth) {
      const beyond = labels.find((one) => one < low || one > high)
      if (beyond === undefined) continue
      const known = this.outcomes.get(id)
      const where = known ? `the item at ${placeText(known)}` : `item ${shortId(id)}`
      throw new Fatal(
        EXIT.data,
        `--truth: the label ${beyond} of ${where} is not from ${low} to ${high}, as the values of "${this.name}" are (--label-map 'LABEL=MEANING,…' says what labels mean)`,
      )
    }
  }

  /** The mean of people's labels of an item; undefined without any. */
  truthOf(id: string): number | undefined {
    const labels = this.truth.get(id)
    return labels && labels.reduce((sum, one) => sum + one, 0) / labels.length
  }

  private duplicate(before: ItemOutcome, { file, line }: RowPlace): Fatal {
    return new Fatal(
      EXIT.data,
      `${file}:${line}: the item is already at ${placeText(before)}, in the same run "${this.name}" (--duplicates mean takes the mean of samples, --run FIELD and --id FIELD name the fields that identify runs and items)`,
    )
  }
}

/** Sums of floats depend on the order, which must not be that of the rows. */
const meanInAnyOrder = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b).reduce((sum, one) => sum + one, 0) / values.length

const scoringOf = ({ name, provenance }: ComparedRun) =>
  `${name}: ${[...provenance.scored_with].sort().map((options) => (options === '{}' ? 'no options' : options))}`

const NO_FIELDS: ComparedItem['fields'] = new Map()

/** All runs, and the items of any of them. */
export class Runs {
  /** The items of all runs, by id, in the order in which they came. */
  readonly items = new Map<string, ComparedItem>()
  private readonly byKey = new Map<string, ComparedRun>()
  readonly plainIds: PlainIds
  readonly same = new SameItems()
  /** Fields of --by and --cluster. */
  private readonly fields: readonly string[]
  /** Fields of the first row that lacks one of these, or that of --run. */
  fieldNames: string[] | undefined
  /** The fields of the first row, if a hash of its line names its item; null if something else does. */
  namedByLine: string[] | null | undefined
  /** --choose: people's labels of each item. */
  readonly labels = new Map<string, Json[]>()

  constructor(fields: readonly string[], plainIds: PlainIds) {
    this.plainIds = plainIds
    this.fields = fields
  }

  run(name: string, identity?: RunIdentity): ComparedRun {
    const key = identity ? runKey(identity) : name
    return getOrInsert(this.byKey, key, () => new ComparedRun(name, identity))
  }

  /** No row has had a name of its run. */
  get nameless(): boolean {
    return this.byKey.size === 1 && this.byKey.has('')
  }

  /** The item with this id. */
  item(id: string): ComparedItem {
    return getOrInsert(this.items, id, () => ({ id, fields: NO_FIELDS, row: undefined }))
  }

  /** Sets an item's values of the fields of --by and --cluster. */
  setFields(item: ComparedItem, row: Row): void {
    for (const field of this.fields) {
      const value = row.field(field)
      if (value !== undefined && value !== null) this.setField(item, field, groupName(row, field))
      else this.fieldNames ??= fieldNames(row)
    }
  }

  setField(item: ComparedItem, field: string, value: string): void {
    // If runs have different values, the least one counts: the order of the input must not matter.
    const before = item.fields.get(field)
    if (before === undefined || value < before) item.fields = new Map(item.fields).set(field, value)
  }

  /** The fields of --by and --cluster that no item has. */
  get lacking(): readonly string[] {
    const known = new Set([...this.items.values()].flatMap(({ fields }) => [...fields.keys()]))
    return this.fields.filter((field) => !known.has(field))
  }

  /** Why runs without ids have few items in common: what a hash of the line names is another item with another answer. */
  private noteIds(found: readonly ComparedRun[], note: Context['note']): void {
    if (!this.namedByLine) return
    const ids = [...this.items.keys()]
    const alone = ids.filter((id) => !found.every((run) => run.has(id)))
    if (found.filter((run) => alone.some((id) => !run.has(id))).length < 2) return
    note(
      `${alone.length} items are not in all runs; items without an id are known by a hash of their line, another one for another answer (--id FIELD names the field that tells items apart${thereAre(this.namedByLine)})`,
    )
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
    this.noteIds(kept, note)
    return kept
  }
}
