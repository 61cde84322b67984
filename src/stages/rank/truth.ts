/** --truth: who people say won some of the battles. */
import { labelPlaces, labelsOf, numbersOf } from '../../formats/_label_file.ts'
import { append } from '../../rows/maps.ts'
import { MODEL_FIELDS, textsIn } from '../../rows/pair_fields.ts'
import { EXIT, Fatal, type Json } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import { labelledShare } from '../../scoring/amount.ts'
import { isLabel } from '../../scoring/label.ts'
import { meantBy } from '../../scoring/label_map.ts'
import { UnreadLabels } from '../../scoring/label_terms.ts'
import { LabelScales } from '../../scoring/scale.ts'
import type { Battle } from './battles.ts'
import type { ResolvedOptions } from './resolve_options.ts'

interface ItemLabel {
  label: Json
  /** The models that it is about, its A and B; undefined for those of the item's row. */
  models: [string, string] | undefined
  place: string
}

/** A battle for --truth: of all its games together. */
export interface JudgedBattle {
  a: string
  b: string
  /** a's share by the judge. */
  judge: number
  /** a's share by people, the mean of several; NaN without a label. */
  people: number
  /** Undefined for one of its own. */
  cluster: string | undefined
}

export class PeoplesBattles {
  private readonly byItem = new Map<string, ItemLabel[]>()
  readonly fields: readonly string[]
  private readonly labelMap: string | undefined
  private readonly unread = new UnreadLabels()
  private scales = new LabelScales(undefined)
  private readonly used = new Set<string>()
  /** The models of the battle that a label without models was taken for. */
  private readonly pairOf = new Map<ItemLabel, string>()

  private constructor(fields: readonly string[], labelMap: string | undefined) {
    this.fields = fields
    this.labelMap = labelMap
  }

  /** @throws Fatal (data) */
  static async read(options: ResolvedOptions, context: Context): Promise<PeoplesBattles> {
    const { files, fields } = labelPlaces(options.truth, '--truth')
    const people = new PeoplesBattles(fields, options.labelMap)
    const paths = files.map(({ path }) => path)
    for await (const { item, label, row, file, line } of labelsOf(paths, options, context))
      if (label !== null)
        append(people.byItem, item, { label, models: textsIn(row, MODEL_FIELDS), place: `${file}:${line}` })
    const all = [...people.byItem.values()].flat().map(({ label }) => label)
    people.scales = new LabelScales(undefined, numbersOf(all))
    return people
  }

  /** a's share by people, the mean of several; NaN without a label. */
  shareOf({ a, b, item, row }: Battle): number {
    const shares: number[] = []
    const add = (label: Json, place: string, turned = false) => {
      const share = label === a ? 1 : label === b ? 0 : labelledShare(label, this.scales)
      if (share === undefined)
        this.unread.add(label, 'A>B, B>A, A=B, model_a, model_b, tie or the name of one of the two', place)
      else shares.push(turned && label !== a && label !== b ? 1 - share : share)
    }
    for (const field of this.fields)
      for (const label of [row.field(field) ?? null].flat())
        if (isLabel(label)) add(meantBy(label, this.labelMap), row.place)
    for (const one of this.byItem.get(item ?? '') ?? []) {
      if (one.models ? !(one.models.includes(a) && one.models.includes(b)) : !this.isOnly(one, a, b)) continue
      this.used.add(item!)
      add(one.label, item!, one.models?.[0] === b)
    }
    return shares.length === 0 ? Number.NaN : shares.reduce((sum, one) => sum + one, 0) / shares.length
  }

  /** Without models a label is of the item's one battle. @throws Fatal (data) where it has several */
  private isOnly(one: ItemLabel, a: string, b: string): boolean {
    const pair = JSON.stringify([a, b])
    const before = this.pairOf.get(one) ?? pair
    if (before !== pair)
      throw new Fatal(
        EXIT.data,
        `${one.place}: the item has battles of ${before} and ${pair}, and the label does not say of which it is (columns model_a and model_b)`,
      )
    this.pairOf.set(one, pair)
    return true
  }

  tell(note: Context['note']): void {
    this.unread.tell('--truth: ', note)
    const lost = [...this.byItem.keys()].filter((item) => !this.used.has(item))
    if (lost.length > 0)
      note(
        `--truth: labels of ${lost.length} of ${this.byItem.size} items are of no battle, such as ${lost[0]}`,
      )
  }
}
