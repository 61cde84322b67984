/** What an item's own fields say for a report: its label, the models that it compares, and the groups it counts in. */
import { sha256 } from '../rows/crypto.ts'
import { fieldNames } from '../rows/item_id.ts'
import { getOrInsert } from '../rows/maps.ts'
import { MODEL_FIELDS, textsIn } from '../rows/pair_fields.ts'
import { type Criterion, type Json, type Kind, RowFailure } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Cluster } from './by_cluster.ts'
import { groupName } from './group_name.ts'
import type { About, ScoreSettings } from './kind.ts'
import { KIND } from './kinds.ts'
import { labelFields, labelIn } from './label.ts'

/** Without --by, a report has groups by the first of these fields that rows have. */
export const BY_DEFAULT = ['source', 'category', 'subset', 'task']

/** Fields of --by; undefined without the option. */
export const groupFields = (by: readonly string[] = []): readonly string[] | undefined =>
  by.includes('none') ? [] : by.length > 0 ? by : undefined

const MODELS = MODEL_FIELDS.flat()

/** Of rows that contradict each other whatever the groups are by. */
export const ALWAYS = -1
/** Of rows that do not: more than there are fields. */
export const NEVER = 2 ** 30

/** What a row says of its item. Rows that say the same have one object. */
export interface ItemFields extends Pick<About, 'label' | 'lack'> {
  /** What its label means, as text; empty without one. */
  meaning: string
  /** Its values of the fields of --by; without --by one value, of the first usual field that it has. */
  groups: readonly (string | undefined)[]
  /** Without --by: the index of that field. */
  usual: number
  /** The models whose answers a pair compares, if the row names them. */
  models: [string, string] | undefined
  /** Its value of the field of --cluster, null without one; undefined without --cluster. */
  cluster?: Cluster | undefined
  /** Those of --criteria. */
  criteria?: readonly Criterion[] | undefined
  /** Why these cannot be read. */
  failure?: RowFailure | undefined
  /** Of a command that names fields: their texts, or the digest of all. */
  text?: string | undefined
}

/** What is read of an item's fields. */
export interface FieldSettings extends ScoreSettings {
  /** The fields that make groups; none for the usual ones. */
  by?: readonly string[]
  /** The field whose values make clusters. */
  clusters?: string | undefined
  /** In place of label and groups: fields in which the rows of an item's first trial may not differ. */
  fields?: readonly string[] | 'all' | undefined
}

export class FieldReader {
  /** The fields of --by; undefined for the usual ones. */
  readonly by: readonly string[] | undefined
  /** Names of the fields of a row that lacks one of --by. */
  names: string[] | undefined
  /** The index of the first usual field that any item has: known once all rows are in. */
  best = BY_DEFAULT.length
  /** The field of --cluster. */
  readonly clusters: string | undefined
  private readonly settings: FieldSettings
  private readonly labels: readonly string[]
  private readonly known = new Map<Kind | undefined, Map<string, ItemFields>>()

  constructor(settings: FieldSettings) {
    this.settings = settings
    this.by = groupFields(settings.by)
    this.clusters = settings.clusters
    this.labels = labelFields(settings)
  }

  /** @param kind of the row's verdict or result; undefined for a failure, whose label is not read */
  of(row: Row, kind: Kind | undefined): ItemFields {
    const { by, settings } = this
    const text = settings.fields && textOf(row, settings.fields)
    const { criteria, failure } = this.criteriaOf(row, kind)
    const made = () => this.read(row, kind, { text, criteria, failure })
    // Few items have all fields alike.
    if (settings.fields === 'all') return made()
    let key = text ?? this.keyOf(row, kind)
    if (criteria) key += JSON.stringify(criteria)
    if (failure) key += failure.message
    const known = getOrInsert(this.known, kind, () => new Map<string, ItemFields>())
    const found = getOrInsert(known, key, made)
    if (by?.length && found.groups.includes(undefined)) this.names ??= fieldNames(row)
    return found
  }

  /** What the fields are known by. */
  private keyOf(row: Row, kind: Kind | undefined): string {
    let key = ''
    for (const field of this.labels) key += written(row, field)
    for (const field of this.by ?? BY_DEFAULT) key += written(row, field)
    if (kind === 'pairwise') for (const field of MODELS) key += written(row, field)
    return this.clusters === undefined ? key : key + written(row, this.clusters)
  }

  private read(
    row: Row,
    kind: Kind | undefined,
    { text, criteria, failure }: Pick<ItemFields, 'text' | 'criteria' | 'failure'>,
  ): ItemFields {
    const { by, clusters } = this
    const { label, lack }: Pick<About, 'label' | 'lack'> =
      kind === undefined ? {} : labelIn(row, KIND[kind], this.settings)
    const has = (field: string) => row.field(field) !== undefined
    // Items that are told apart by their texts are in no group.
    const usual = by || text !== undefined ? -1 : BY_DEFAULT.findIndex(has)
    const fields = by ?? (usual < 0 ? NONE : [BY_DEFAULT[usual]!])
    return {
      label,
      lack,
      meaning: meaningOf(label ?? lack, (label) => (kind ? KIND[kind].meaning(label) : '')),
      groups:
        fields === NONE ? NONE : fields.map((field) => (has(field) ? groupName(row, field) : undefined)),
      usual: by ? -1 : usual < 0 ? BY_DEFAULT.length : usual,
      models: kind === 'pairwise' && text === undefined ? textsIn(row, MODEL_FIELDS) : undefined,
      cluster: clusters === undefined ? undefined : clusterOf(row, clusters),
      criteria,
      failure,
      text,
    }
  }

  private criteriaOf(row: Row, kind: Kind | undefined): Pick<ItemFields, 'criteria' | 'failure'> {
    const { criteriaSource } = this.settings
    if (!criteriaSource || kind !== 'choice') return {}
    if (criteriaSource.fixed) return { criteria: criteriaSource.fixed }
    try {
      return { criteria: criteriaSource.of(row) }
    } catch (failure) {
      if (failure instanceof RowFailure) return { failure }
      throw failure
    }
  }

  /** In which usual field two replies differ first, or {@link ALWAYS}, or {@link NEVER}. */
  apart(a: ItemFields, b: ItemFields): number {
    if (a.text !== undefined) return a.text === b.text ? NEVER : ALWAYS
    if (a.meaning !== b.meaning || String(a.models) !== String(b.models)) return ALWAYS
    if (a.cluster !== b.cluster) return ALWAYS
    if (a.usual === b.usual && a.groups.every((group, i) => group === b.groups[i])) return NEVER
    return this.by ? ALWAYS : Math.min(a.usual, b.usual)
  }

  /** The groups of an item by field: those that it counts in, once all rows are in. */
  groupsOf({ groups, usual }: ItemFields): [field: string, value: string][] {
    if (!this.by)
      return usual === this.best && usual < BY_DEFAULT.length ? [[BY_DEFAULT[usual]!, groups[0]!]] : []
    return this.by.flatMap((field, i) =>
      groups[i] === undefined ? [] : [[field, groups[i]] as [string, string]],
    )
  }
}

const NONE: readonly string[] = []

/** The order of what rows say: by their groups, then by their labels; a group comes before none. */
export function compareFields(a: ItemFields, b: ItemFields): number {
  if (a.text !== undefined) return compareTexts(a.text, b.text)
  if (a.usual !== b.usual) return a.usual - b.usual
  for (const [i, group] of a.groups.entries()) {
    const order = compareTexts(group, b.groups[i])
    if (order !== 0) return order
  }
  return (
    compareTexts(a.meaning, b.meaning) ||
    compareTexts(a.models?.join(), b.models?.join()) ||
    compareTexts(a.cluster ?? undefined, b.cluster ?? undefined)
  )
}

const compareTexts = (a: string | undefined, b: string | undefined) =>
  a === b ? 0 : b === undefined ? -1 : a === undefined ? 1 : a < b ? -1 : 1

/** An empty cell is no cluster. */
function clusterOf(row: Row, field: string): string | null {
  const value = row.field(field) ?? ''
  return value === '' ? null : groupName(row, field)
}

/** Of all fields a digest: an item may have texts of any length. */
const textOf = (row: Row, fields: readonly string[] | 'all'): string =>
  fields === 'all' ? sha256(row.itemText()) : fields.map((field) => row.fieldText(field) ?? '').join('\n')

/** A field as a part of a key: as it is written. */
function written(row: Row, field: string): string {
  const value = row.field(field)
  if (value === undefined) return '\n'
  return typeof value === 'string' ? `"${value}\n` : `${row.fieldText(field)}\n`
}

function meaningOf(label: Json | undefined, meaning: (label: Json) => string): string {
  if (label === undefined) return ''
  try {
    return meaning(label)
  } catch {
    // It is nested too deeply to be compared by value.
    return JSON.stringify([typeof label])
  }
}
