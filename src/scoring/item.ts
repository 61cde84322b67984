/** What the rows say of the items of runs: what the ledger holds. */
import type { Cascade } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Given } from './given.ts'
import { type FieldReader, type FieldSettings, type ItemFields, NEVER } from './item_fields.ts'
import { type ProvenanceSums, provenanceSums } from './provenance.ts'
import type { RunIdentity } from './run_identity.ts'
import type { Told } from './trial_result.ts'

/** What a command asks of its ledger, besides the options by which trials become a result. */
export interface LedgerSettings extends FieldSettings {
  /** What a row is about besides its item, as text: of battles the models. */
  subject?: ((row: Row) => string | undefined) | undefined
  /** The part of the input that a row is of, whose runs are kept apart. */
  partOf?: ((row: Row) => string) | undefined
  /** A row's id, in place of `jb.item`. */
  idOf?: ((row: Row) => string) | undefined
  /** Rows about changed items (jb-render --probe) count. */
  probes?: boolean | undefined
  /** Members of verdicts that the command reads, besides those that figures depend on; all of them. */
  reads?: readonly string[] | 'all' | undefined
  /** What the command keeps of the row whose fields count for an item: see {@link Item.own}. */
  own?: ((row: Row) => unknown) | undefined
  /** What it keeps of a row of a trial, and of a row with a result, that may count: the text, in order to write it. */
  keepTrial?: ((row: Row) => unknown) | undefined
  keepResult?: ((row: Row) => unknown) | undefined
  /** Replies whose groups by any usual field differ contradict each other, whichever field groups are by. */
  strict?: boolean | undefined
  /** Called for each row that is a result already. */
  onResult?: (() => void) | undefined
}

/** One version of a judge with one model. */
export class Run {
  readonly identity: RunIdentity
  /** What the command asked for, and what is read of its items' fields. */
  readonly settings: LedgerSettings
  readonly fields: FieldReader
  /** Its items that have an id: by that, and by what they are about besides. */
  readonly items = new Map<string, Item>()
  /** What made its trials: models, parameters, orders, … */
  readonly provenance: ProvenanceSums = provenanceSums()
  /** Results of its trials were made here: it is known with which options. */
  scored = false
  /** Whether it has a model, or a reply. Items of others failed before they had a model. */
  named: boolean

  constructor(identity: RunIdentity, settings: LedgerSettings, fields: FieldReader) {
    this.identity = identity
    this.settings = settings
    this.fields = fields
    this.named = identity.model !== undefined
  }
}

/** What the rows say of one item in one run. */
export class Item {
  readonly run: Run
  /** `jb.item`, or what `idOf` gave; undefined for a row without an id, which is an item of its own. */
  readonly id: string | undefined
  /** Its key in {@link Run.items}. */
  readonly key: string | undefined
  /** How many trials it has: the largest number of any row. */
  of = 1
  /** A row that says so, and one that says less. */
  most: Told | undefined = undefined
  less: Told | undefined = undefined
  /** By trial what the first row says; rows that say another thing are its `others`. In the order of the rows. */
  trials: Told[] = []
  /** By number, if there are many. */
  private byNumber: Map<number, Told> | undefined = undefined
  /** What the fields say of the rows of its lowest trial: of those with a reply, if there is one, the least. */
  fields: ItemFields | undefined = undefined
  fieldsOf = Number.POSITIVE_INFINITY
  fieldsReplied = false
  /** In which usual field its replies differ first: see FieldReader.apart. */
  apart = NEVER
  /** What the command keeps of the row whose fields count. */
  own: unknown = undefined
  /** The result of a row of jb-score. */
  given: Given | undefined = undefined
  /** A row of a trial, not only one of a result, has a reply. */
  plain = false
  /** Why it fails, whatever else its rows say. */
  conflict: string | undefined = undefined
  /** Which model of a cascade decided it. */
  cascade: Cascade | undefined = undefined
  /** The last row that came again: whether any such row says the same. */
  repeat: { same: boolean; file: string; line: number } | undefined = undefined
  /** It got here as a failure without a model only, which runs of its judge share. */
  isGiven = false
  /** jb-score wrote it. */
  released = false

  constructor(run: Run, id: string | undefined, key: string | undefined) {
    this.run = run
    this.id = id
    this.key = key
  }

  /** Whether all trials are there. */
  get isWhole(): boolean {
    return this.trials.length >= this.of
  }

  /** Where its last row stands that said something new. */
  get last(): { file: string; line: number } {
    const { file, line } = this.rows().at(-1)!
    return { file, line }
  }

  trial(n: number): Told | undefined {
    return this.byNumber ? this.byNumber.get(n) : this.trials.find(({ trial }) => trial.n === n)
  }

  addTrial(told: Told): void {
    // An array that grows by push has room for 17.
    if (this.trials.length < FEW) this.trials = this.trials.concat(told)
    else this.trials.push(told)
    if (this.byNumber) this.byNumber.set(told.trial.n, told)
    else if (this.trials.length > FEW) this.byNumber = new Map(this.trials.map((one) => [one.trial.n, one]))
  }

  /** All rows of a trial, and of all trials. */
  rows(): Told[] {
    return this.trials.flatMap((one) => (one.others ? [one, ...one.others] : one))
  }

  /** Lets go of what its rows say, once nobody asks what it comes to. */
  letGo(): void {
    this.trials = []
    this.byNumber = undefined
    this.most = undefined
    this.less = undefined
    this.fields = undefined
    this.own = undefined
    this.given = undefined
  }

  seeOf(told: Told): void {
    const { of } = told.trial
    if (!this.most || of > this.of) {
      if (this.most) this.less = this.most
      this.of = of
      this.most = told
    } else if (of < this.of) this.less ??= told
  }
}

/** Trials that are found one after another. */
const FEW = 8
