/** The judged items of a judge, in columns. */
import type { Label } from '../../statistics/agreement.ts'
import { ItemLabels, ItemNumbers, SharedColumn } from './columns.ts'
import type { TrialVerdict } from './judgements.ts'

/** One item before one judge. */
export interface JudgedItem {
  id: string
  /** Where the judge has several criteria: that of this card. */
  criterion?: string | undefined
  /** The criteria that the item's row has. */
  criteria?: readonly string[] | undefined
  /** The judge's decision, option or score; undefined where the item failed. */
  judged: Label | undefined
  /** The score of the chosen option. */
  score: number | undefined
  /** People's labels, one per annotator, null where one is missing. */
  truth: (Label | null)[]
  trials: readonly TrialVerdict[]
  /** Length of the first answer less that of the second. */
  longer: number | undefined
  /** The models that wrote the two answers. */
  models: [a: string, b: string] | undefined
  /** A stated probability (see --p), or a confidence in percent. */
  p: number | undefined
  probe: { kind: string; of: string; answer?: number } | undefined
  /** Its values of the --by fields. */
  groups?: (string | undefined)[] | undefined
  /** Its value of the --cluster field. */
  cluster?: string | undefined
  /** With --weight: the probability with which it was taken to be labelled; undefined for one taken for sure. */
  chance?: number | undefined
}

/** Numbers of objects that several items share. */
const numbers = new WeakMap<object, number>()
let last = 0
function numberOf(one: object): number {
  let number = numbers.get(one)
  if (number === undefined) numbers.set(one, (number = ++last))
  return number
}

export class ItemColumns {
  readonly id: string[] = []
  readonly criterion = new SharedColumn<string>()
  readonly criteria = new SharedColumn<readonly string[]>()
  readonly judged = new ItemLabels<Label>()
  readonly score = new ItemNumbers()
  readonly truth = new SharedColumn<(Label | null)[]>()
  readonly trials = new SharedColumn<readonly TrialVerdict[]>((trials) => trials.map(numberOf).join())
  readonly longer = new ItemNumbers()
  readonly models = new SharedColumn<[string, string]>()
  readonly p = new ItemNumbers()
  readonly chance = new ItemNumbers()
  readonly probe = new SharedColumn<NonNullable<JudgedItem['probe']>>()
  readonly groups = new SharedColumn<(string | undefined)[]>()
  readonly cluster = new SharedColumn<string>()

  /** @returns the item as it is in the columns */
  push(one: JudgedItem): JudgedItem {
    const at = this.id.push(one.id) - 1
    for (const key of COLUMNS) (this[key] as { set(at: number, value: unknown): void }).set(at, one[key])
    return new ItemView(this, at)
  }
}

const COLUMNS = [
  ...(['criterion', 'criteria', 'judged', 'score', 'truth', 'trials', 'longer', 'models'] as const),
  ...(['p', 'chance', 'probe', 'groups', 'cluster'] as const),
]

/** An item, read from its columns. */
class ItemView implements JudgedItem {
  private readonly of: ItemColumns
  private readonly at: number

  constructor(of: ItemColumns, at: number) {
    this.of = of
    this.at = at
  }

  get id(): string {
    return this.of.id[this.at]!
  }

  get criterion(): string | undefined {
    return this.of.criterion.get(this.at)
  }

  get criteria(): readonly string[] | undefined {
    return this.of.criteria.get(this.at)
  }

  get judged(): Label | undefined {
    return this.of.judged.get(this.at)
  }

  get score(): number | undefined {
    return this.of.score.get(this.at)
  }

  get truth(): (Label | null)[] {
    return this.of.truth.get(this.at)!
  }

  set truth(labels: (Label | null)[]) {
    this.of.truth.set(this.at, labels)
  }

  get trials(): readonly TrialVerdict[] {
    return this.of.trials.get(this.at)!
  }

  get longer(): number | undefined {
    return this.of.longer.get(this.at)
  }

  get models(): [string, string] | undefined {
    return this.of.models.get(this.at)
  }

  get p(): number | undefined {
    return this.of.p.get(this.at)
  }

  get chance(): number | undefined {
    return this.of.chance.get(this.at)
  }

  get probe(): JudgedItem['probe'] {
    return this.of.probe.get(this.at)
  }

  get groups(): (string | undefined)[] | undefined {
    return this.of.groups.get(this.at)
  }

  get cluster(): string | undefined {
    return this.of.cluster.get(this.at)
  }
}
