/** What is known of each item before a judge: by the ledger, or with --value of each row as it is. */
import { clusterField } from '../../options/common.ts'
import { OwnedTexts, ownedText } from '../../rows/bytes.ts'
import { RowFailure } from '../../rows/errors.ts'
import { itemId } from '../../rows/item_id.ts'
import { MODEL_FIELDS, textsIn } from '../../rows/pair_fields.ts'
import type { Rows } from '../../rows/reader.ts'
import type { Criterion, Json, Result } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { atRow, type Context } from '../../rows/stage.ts'
import { settled } from '../../scoring/already_scored.ts'
import { Collected } from '../../scoring/collected.ts'
import { countedRows } from '../../scoring/counted_rows.ts'
import type { Scored } from '../../scoring/kind.ts'
import { firstOf, labelFields } from '../../scoring/label.ts'
import { meantBy } from '../../scoring/label_map.ts'
import { labelNumber } from '../../scoring/label_terms.ts'
import { groupName } from '../../scoring/leads.ts'
import { lostItems } from '../../scoring/lost.ts'
import { identityOf, type RunIdentity } from '../../scoring/run_identity.ts'
import { isContradiction } from '../../scoring/trial_result.ts'
import { ItemLabels, ItemNumbers, SharedColumn } from './columns.ts'
import { chanceIn, longerBy } from './numbers.ts'
import type { AuditOptions } from './options.ts'

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
  models: [a: string, b: string] | undefined
  /** Of --p. */
  p: number | undefined
  probe: { kind: string; of: string; answer?: number } | undefined
  /** Of --weight. */
  chance: number | undefined
  groups: (string | undefined)[] | undefined
  cluster: string | undefined
  criteria: readonly Criterion[] | undefined
}

/** What the items' own fields say, in columns. */
class OwnColumns {
  private readonly ids: string[] = []
  private readonly labels = ['first', 'label', 'value'].map(() => new ItemLabels<RawLabel>())
  private readonly truth = new SharedColumn<readonly RawLabel[]>()
  private readonly numbers = ['longer', 'p', 'chance'].map(() => new ItemNumbers())
  private readonly models = new SharedColumn<[string, string]>()
  private readonly probe = new SharedColumn<NonNullable<OwnFields['probe']>>()
  private readonly groups = new SharedColumn<(string | undefined)[]>()
  private readonly cluster = new SharedColumn<string>()
  private readonly criteria = new SharedColumn<readonly Criterion[]>()

  has(item: number): boolean {
    return this.ids[item] !== undefined
  }

  set(item: number, own: OwnFields): void {
    this.ids[item] = own.id
    for (const [i, key] of (['first', 'label', 'value'] as const).entries())
      this.labels[i]!.set(item, own[key])
    for (const [i, key] of (['longer', 'p', 'chance'] as const).entries())
      this.numbers[i]!.set(item, own[key])
    this.truth.set(item, own.truth)
    this.models.set(item, own.models)
    this.probe.set(item, own.probe)
    this.groups.set(item, own.groups)
    this.cluster.set(item, own.cluster)
    this.criteria.set(item, own.criteria)
  }

  get(item: number): OwnFields {
    const [first, label, value] = this.labels.map((column) => column.get(item))
    const [longer, p, chance] = this.numbers.map((column) => column.get(item))
    return {
      id: this.ids[item]!,
      ...{ first, label, value, longer, p, chance },
      truth: this.truth.get(item)!,
      models: this.models.get(item),
      probe: this.probe.get(item),
      groups: this.groups.get(item),
      cluster: this.cluster.get(item),
      criteria: this.criteria.get(item),
    }
  }
}

/** An item before a judge. */
export interface Judgement {
  own: OwnFields
  identity: RunIdentity
  /** Undefined if it failed. */
  result: Result | undefined
  /** Those that count; none of a conflict, of which it is not known which replies count. */
  trials: readonly TrialVerdict[]
  criteria: readonly Criterion[]
}

/** Fields on which figures depend, besides the answers. */
const fieldsRead = ({
  label,
  truth,
  value,
  p,
  weight,
  by,
  lengthA,
  lengthB,
  ...of
}: AuditOptions): string[] =>
  [labelFields({ label }), truth, value, p, weight, by, lengthA, lengthB, clusterField(of)]
    .flat()
    .filter((field) => field !== undefined)

const NONE: readonly never[] = []

/** The row's criteria; of a choice that has invalid ones the ledger fails the item, and no other kind needs them. */
function criteriaIn(row: Row): readonly Criterion[] | undefined {
  try {
    return row.get('criteria')
  } catch (error) {
    if (error instanceof RowFailure) return undefined
    throw error
  }
}

/** Reads the fields of rows. Texts that several items have are kept once. */
class FieldReader {
  private readonly names = new OwnedTexts()
  private readonly options: AuditOptions
  /** Of --truth. */
  readonly fields: readonly string[]
  private readonly seen: (row: Row) => void

  /** @param fields of --truth @param seen is called for each row that is read */
  constructor(options: AuditOptions, fields: readonly string[], seen: (row: Row) => void) {
    this.options = options
    this.fields = fields
    this.seen = seen
  }

  of(row: Row): OwnFields {
    try {
      this.seen(row)
      return this.read(row)
    } catch (error) {
      throw atRow(error, row)
    }
  }

  private read(row: Row): OwnFields {
    const { options, fields, names } = this
    const { value, p, label, id, weight } = options
    const cluster = clusterField(options)
    const models = textsIn(row, MODEL_FIELDS)
    return {
      id: ownedText(id === undefined ? (row.get('item') ?? itemId(row)) : itemId(row, id)),
      first: this.meant(firstOf(row, labelFields({ label }))),
      label: this.meant(row.field(label ?? 'label')),
      truth: fields.length === 0 ? NONE : this.truthOf(row),
      value: value === undefined ? undefined : this.owned(row.field(value)),
      longer: longerBy(row, options),
      models: models && [names.own(models[0]), names.own(models[1])],
      p: p === undefined ? undefined : labelNumber(row.field(p)),
      chance: weight === undefined ? undefined : chanceIn(row, weight),
      probe: row.get('probe') as OwnFields['probe'],
      groups: options.by.length > 0 ? options.by.map((field) => this.group(row, field)) : undefined,
      cluster: cluster === undefined ? undefined : this.group(row, cluster),
      criteria: criteriaIn(row),
    }
  }

  private truthOf(row: Row): readonly RawLabel[] {
    return this.fields.flatMap((field) => [row.field(field)].flat()).map((one) => this.meant(one))
  }

  /** A label, as --label-map says. */
  private meant(label: RawLabel): RawLabel {
    return this.owned(meantBy(label, this.options.labelMap))
  }

  private owned(label: RawLabel): RawLabel {
    return typeof label === 'string' ? this.names.own(label) : label
  }

  private group(row: Row, field: string): string | undefined {
    const value = row.field(field) ?? null
    return value === null ? undefined : this.names.own(groupName(row, field))
  }
}

/** @param seen is called for each row whose fields count. @throws Fatal (usage) for options of scoring beside results */
export async function* judgements(
  rows: Rows,
  options: AuditOptions,
  context: Context,
  fields: readonly string[],
  seen: (row: Row) => void,
): AsyncGenerator<Judgement> {
  const reader = new FieldReader(options, fields, seen)
  if (options.value === undefined) yield* ofLedger(rows, options, context, reader)
  else yield* ofRows(rows, options, context, reader)
}

/** What a row is about besides its item: the models that wrote the answers. */
const subjectOf = (row: Row): string => JSON.stringify(textsIn(row, MODEL_FIELDS) ?? null)

async function* ofRows(
  rows: Rows,
  options: AuditOptions,
  context: Context,
  reader: FieldReader,
): AsyncGenerator<Judgement> {
  const settings = { subject: subjectOf, fields: fieldsRead(options), probes: true }
  for await (const batch of countedRows(rows, settings, context))
    for (const row of batch) {
      const own = reader.of(row)
      const isConflict = row.has('error') && isContradiction(row.get('error')!)
      yield {
        own,
        identity: identityOf(row),
        result: row.has('error') ? undefined : row.get('result'),
        trials: isConflict ? [] : ((row.get('trials') ?? []) as Scored[]),
        criteria: own.criteria ?? [],
      }
    }
}

/** The item's label is read unless people's are in another place, or it is a list of several people's. */
function labelledBy(
  { label, truth }: AuditOptions,
  fields: readonly string[],
): ((row: Row) => boolean) | undefined {
  // Beside files of labels, --label names their column.
  if (truth.length > fields.length) return () => false
  if (truth.length > 0) return label === undefined ? () => false : undefined
  return (row) => !Array.isArray(row.field(label ?? 'label'))
}

async function* ofLedger(
  rows: Rows,
  options: AuditOptions,
  context: Context,
  reader: FieldReader,
): AsyncGenerator<Judgement> {
  // With --truth, --label names a field of its files.
  const onResult = settled({ label: options.truth.length > 0 ? undefined : options.label }, context)
  const settings = {
    ...{ ...options, isLabelled: labelledBy(options, reader.fields), by: fieldsRead(options) },
    ...{ subject: subjectOf, probes: true, reads: ['confidence'] },
  }
  const collected = await Collected.create(settings, context, onResult)
  const { intake } = collected
  const { ledger } = intake
  const own = await ownFields(rows, collected, reader)
  if (context.cut()) return
  const lost = [...lostItems(intake)]
  const ofKey = new Map(lost.map(([item]) => [ledger.keyOf(item).join(), own.get(item)]))
  const shared = new Map<object, Map<object | string | undefined, TrialVerdict>>()
  for (const [item, { result, trials, code, asked }, given] of collected.items()) {
    const fields = given ? ofKey.get(ledger.keyOf(item).join())! : own.get(item)
    yield {
      own: fields,
      identity: intake.runs.values[ledger.runOf(item)]!,
      result,
      trials: code === 'conflict' ? [] : trials.map((one) => sharedOf(one, shared)),
      criteria: asked.length > 0 ? asked : (fields.criteria ?? []),
    }
  }
}

/** Takes all rows. @returns what the fields of each item say, of the row whose fields count */
async function ownFields(rows: Rows, { intake, leads }: Collected, reader: FieldReader): Promise<OwnColumns> {
  const own = new OwnColumns()
  const leadOf: number[] = []
  for await (const lines of intake.lines(rows))
    while (lines.next()) {
      leads.taken = 0
      const item = intake.take(lines)
      if (item === 0) continue
      const isLead = leads.taken !== 0 && leads.taken === leads.from(intake.ledger.leadOf(item))
      if (own.has(item) && (!isLead || leadOf[item] === leads.taken)) continue
      own.set(item, reader.of(intake.current.row()))
      leadOf[item] = leads.taken
    }
  return own
}

/** One object for all trials that ask and say the same. */
function sharedOf(
  one: TrialVerdict,
  shared: Map<object, Map<object | string | undefined, TrialVerdict>>,
): TrialVerdict {
  let of = shared.get(one.trial)
  if (!of) shared.set(one.trial, (of = new Map()))
  const known = of.get(one.verdict)
  if (known) return known
  // Of a verdict with a number of its own the object is another in each row.
  const key = typeof one.verdict?.score === 'number' ? JSON.stringify(one.verdict) : one.verdict
  const same = of.get(key)
  if (!same) of.set(key, one)
  return same ?? one
}
