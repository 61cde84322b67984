/** What is known of the items before a judge, in columns: no object an item. */
import type { Criterion, Json } from '../../rows/record.ts'
import type { Scored } from '../../scoring/kind.ts'
import { grown } from '../../scoring/ledger.ts'
import type { Label } from '../../statistics/agreement.ts'
import { ItemLabels, ItemNumbers, SharedColumn } from './columns.ts'

/** A label as it is given, of one annotator. */
export type RawLabel = Json | undefined

/** The part of a trial that sections need: items share them. */
export type TrialVerdict = Scored

/** What an item's own fields say. */
export interface OwnFields {
  id: string
  /** The first of the fields of a label; that of --label, or `label`; those of --truth. */
  first: RawLabel
  label: RawLabel
  truth: readonly RawLabel[]
  /** Of --value. */
  value: RawLabel
  /** Length of the first answer less that of the second. */
  longer: number | undefined
  /** The models that wrote the two answers. */
  models: [a: string, b: string] | undefined
  /** Of --p. */
  p: number | undefined
  probe: { kind: string; of: string; answer?: number } | undefined
  /** Of --weight. */
  chance: number | undefined
  /** Its values of the --by fields, and of the --cluster field. */
  groups: (string | undefined)[] | undefined
  cluster: string | undefined
  criteria: readonly Criterion[] | undefined
}

type Columns = Record<string, { set(place: number, value: never): void; get(place: number): unknown }>

function setAll(columns: Columns, place: number, values: object): void {
  for (const key of Object.keys(columns)) columns[key]!.set(place, values[key as never])
}

const getAll = (columns: Columns, place: number) =>
  Object.fromEntries(Object.entries(columns).map(([key, column]) => [key, column.get(place)]))

/** What the items' own fields say. */
export class OwnColumns {
  readonly ids: string[] = []
  readonly columns = {
    first: new ItemLabels<RawLabel>(),
    label: new ItemLabels<RawLabel>(),
    truth: new SharedColumn<readonly RawLabel[]>(),
    value: new ItemLabels<RawLabel>(),
    longer: new ItemNumbers(),
    models: new SharedColumn<[string, string]>(),
    p: new ItemNumbers(),
    probe: new SharedColumn<NonNullable<OwnFields['probe']>>(),
    chance: new ItemNumbers(),
    groups: new SharedColumn<(string | undefined)[]>(),
    cluster: new SharedColumn<string>(),
    criteria: new SharedColumn<readonly Criterion[]>(),
  }

  has(place: number): boolean {
    return this.ids[place] !== undefined
  }

  set(place: number, own: OwnFields): void {
    this.ids[place] = own.id
    setAll(this.columns, place, own)
  }

  get(place: number): OwnFields {
    return { id: this.ids[place]!, ...getAll(this.columns, place) } as OwnFields
  }
}

/** What a judge, and people, said of an item. */
export interface Judged {
  /** Where the judge has several criteria: that of this card. */
  criterion: string | undefined
  /** The criteria that the item's row has, if there are several. */
  criteria: readonly string[] | undefined
  /** The judge's decision, option or score; undefined where the item failed. */
  judged: Label | undefined
  /** The score of the chosen option. */
  score: number | undefined
  /** People's labels, one per annotator, null where one is missing. */
  truth: (Label | null)[]
  trials: readonly TrialVerdict[]
  /** A stated probability (see --p), or a confidence in percent. */
  p: number | undefined
  /** With --weight: the probability with which it was taken to be labelled; undefined for one taken for sure. */
  chance: number | undefined
}

/** Numbers of objects that several items share. */
const numbers = new WeakMap<object, number>()
let last = 0
function numberOf(one: object): number {
  let number = numbers.get(one)
  if (number === undefined) numbers.set(one, (number = ++last))
  return number
}

export class JudgedColumns {
  size = 0
  readonly own: OwnColumns
  /** The place of each item in these. */
  places = new Uint32Array(64)
  readonly columns = {
    criterion: new SharedColumn<string>(),
    criteria: new SharedColumn<readonly string[]>(),
    judged: new ItemLabels<Label>(),
    score: new ItemNumbers(),
    truth: new SharedColumn<(Label | null)[]>(),
    trials: new SharedColumn<readonly TrialVerdict[]>((trials) => trials.map(numberOf).join()),
    p: new ItemNumbers(),
    chance: new ItemNumbers(),
  }

  constructor(own: OwnColumns) {
    this.own = own
  }

  /** @param place of its own fields */
  push(place: number, one: Judged): void {
    const at = this.size++
    if (at >= this.places.length) this.places = grown(this.places, at + 1)
    this.places[at] = place
    setAll(this.columns, at, one)
  }
}

/** One item before one judge, read from the columns. */
export class JudgedItem implements Judged {
  private readonly of: JudgedColumns
  private readonly at: number

  constructor(of: JudgedColumns, at: number) {
    this.of = of
    this.at = at
  }

  private get place(): number {
    return this.of.places[this.at]!
  }

  get id(): string {
    return this.of.own.ids[this.place]!
  }

  get longer(): number | undefined {
    return this.of.own.columns.longer.get(this.place)
  }

  get models(): OwnFields['models'] {
    return this.of.own.columns.models.get(this.place)
  }

  get probe(): OwnFields['probe'] {
    return this.of.own.columns.probe.get(this.place)
  }

  get groups(): OwnFields['groups'] {
    return this.of.own.columns.groups.get(this.place)
  }

  get cluster(): string | undefined {
    return this.of.own.columns.cluster.get(this.place)
  }

  get criterion(): string | undefined {
    return this.of.columns.criterion.get(this.at)
  }

  get criteria(): readonly string[] | undefined {
    return this.of.columns.criteria.get(this.at)
  }

  get judged(): Label | undefined {
    return this.of.columns.judged.get(this.at)
  }

  get score(): number | undefined {
    return this.of.columns.score.get(this.at)
  }

  get truth(): (Label | null)[] {
    return this.of.columns.truth.get(this.at)!
  }

  set truth(labels: (Label | null)[]) {
    this.of.columns.truth.set(this.at, labels)
  }

  get trials(): readonly TrialVerdict[] {
    return this.of.columns.trials.get(this.at)!
  }

  get p(): number | undefined {
    return this.of.columns.p.get(this.at)
  }

  get chance(): number | undefined {
    return this.of.columns.chance.get(this.at)
  }
}

/** Items of a judge. Each is made when it is asked for. */
export class JudgedItems implements Iterable<JudgedItem> {
  private readonly of: JudgedColumns
  /** Which, in their order; undefined for all, in the order in which they came. */
  private readonly which: Uint32Array | undefined

  constructor(of: JudgedColumns, which?: Uint32Array) {
    this.of = of
    this.which = which
  }

  get length(): number {
    return this.which?.length ?? this.of.size
  }

  at(i: number): JudgedItem {
    return new JudgedItem(this.of, this.which ? this.which[i]! : i)
  }

  *[Symbol.iterator](): Generator<JudgedItem> {
    for (let i = 0; i < this.length; i++) yield this.at(i)
  }

  *entries(): Generator<[number, JudgedItem]> {
    for (let i = 0; i < this.length; i++) yield [i, this.at(i)]
  }

  map<T>(of: (item: JudgedItem, i: number) => T): T[] {
    return Array.from({ length: this.length }, (_, i) => of(this.at(i), i))
  }

  some(fits: (item: JudgedItem, i: number) => unknown): boolean {
    for (let i = 0; i < this.length; i++) if (fits(this.at(i), i)) return true
    return false
  }

  filter(fits: (item: JudgedItem) => unknown): JudgedItems {
    const found = new Uint32Array(this.length)
    let count = 0
    for (let i = 0; i < this.length; i++) if (fits(this.at(i))) found[count++] = this.which?.[i] ?? i
    return new JudgedItems(this.of, found.slice(0, count))
  }

  count(fits: (item: JudgedItem) => boolean): number {
    let count = 0
    for (const item of this) if (fits(item)) count++
    return count
  }

  /** In the order of their ids. */
  sorted(): JudgedItems {
    const { ids } = this.of.own
    const idOf = (at: number) => ids[this.of.places[at]!]!
    const which = this.which?.slice() ?? Uint32Array.from({ length: this.length }, (_, i) => i)
    which.sort((x, y) => (idOf(x) < idOf(y) ? -1 : idOf(x) > idOf(y) ? 1 : x - y))
    return new JudgedItems(this.of, which)
  }
}
