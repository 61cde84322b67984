/** What is known of each item before a judge: by the ledger, or with --value of each row as it is. */
import { clusterField } from '../../options/common.ts'
import { OwnedTexts, ownedText } from '../../rows/bytes.ts'
import { RowFailure } from '../../rows/errors.ts'
import { itemId } from '../../rows/item_id.ts'
import { MODEL_FIELDS, textsIn } from '../../rows/pair_fields.ts'
import type { Rows } from '../../rows/reader.ts'
import type { Criterion, Result } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { atRow, type Context } from '../../rows/stage.ts'
import { settled } from '../../scoring/already_scored.ts'
import { Collected } from '../../scoring/collected.ts'
import { countedRows } from '../../scoring/counted_rows.ts'
import { firstOf, labelFields } from '../../scoring/label.ts'
import { meantBy } from '../../scoring/label_map.ts'
import { labelNumber } from '../../scoring/label_terms.ts'
import { groupName } from '../../scoring/leads.ts'
import { grown } from '../../scoring/ledger.ts'
import { lostItems } from '../../scoring/lost.ts'
import type { ProvenanceSums } from '../../scoring/provenance.ts'
import { identityOf, type RunIdentity } from '../../scoring/run_identity.ts'
import { isContradiction } from '../../scoring/trial_result.ts'
import type { OwnColumns, OwnFields, RawLabel, TrialVerdict } from './items.ts'
import { chanceIn, longerBy } from './numbers.ts'
import type { AuditOptions } from './options.ts'

/** An item before a judge. */
export interface Judgement {
  /** Its place in the columns of what the items' own fields say, and what it says. */
  place: number
  own: OwnFields
  identity: RunIdentity
  /** Where its run comes from; undefined for rows of --value. */
  provenance?: ProvenanceSums | undefined
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
  private readonly see: (row: Row) => void

  /** @param fields of --truth @param see is called for each row that is read */
  constructor(options: AuditOptions, fields: readonly string[], see: (row: Row) => void) {
    this.options = options
    this.fields = fields
    this.see = see
  }

  of(row: Row): OwnFields {
    try {
      this.see(row)
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

/** Where judgements come from, and what takes them. */
export interface Taking {
  /** What the items' own fields say. */
  own: OwnColumns
  /** The fields of --truth. */
  fields: readonly string[]
  /** Called for each row whose fields count. */
  see(row: Row): void
  /** Called for each item before a judge, when all rows are in: as a generator, a million of them would take a second and much memory. */
  take(judgement: Judgement): void
}

/** @throws Fatal (usage) for options of scoring beside results */
export async function takeJudgements(
  rows: Rows,
  options: AuditOptions,
  context: Context,
  taking: Taking,
): Promise<void> {
  const reader = new FieldReader(options, taking.fields, taking.see)
  await (options.value === undefined ? ofLedger : ofRows)(rows, options, context, taking, reader)
}

/** What a row is about besides its item: the models that wrote the answers. */
const subjectOf = (row: Row): string => JSON.stringify(textsIn(row, MODEL_FIELDS) ?? null)

async function ofRows(
  rows: Rows,
  options: AuditOptions,
  context: Context,
  { own: columns, take }: Taking,
  reader: FieldReader,
): Promise<void> {
  let place = 0
  const settings = { subject: subjectOf, fields: fieldsRead(options), probes: true }
  for await (const batch of countedRows(rows, settings, context))
    for (const row of batch) {
      const own = reader.of(row)
      columns.set(++place, own)
      const isConflict = row.has('error') && isContradiction(row.get('error')!)
      take({
        ...{ place, own },
        identity: identityOf(row),
        result: row.has('error') ? undefined : row.get('result'),
        trials: isConflict ? [] : (row.get('trials') ?? []),
        criteria: own.criteria ?? [],
      })
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

async function ofLedger(
  rows: Rows,
  options: AuditOptions,
  context: Context,
  taking: Taking,
  reader: FieldReader,
): Promise<void> {
  // With --truth, --label names a field of its files.
  const onResult = settled({ label: options.truth.length > 0 ? undefined : options.label }, context)
  const settings = {
    ...{ ...options, isLabelled: labelledBy(options, reader.fields), by: fieldsRead(options) },
    ...{ subject: subjectOf, probes: true, reads: ['confidence'], costs: false },
  }
  const collected = await Collected.create(settings, context, onResult)
  await readFields(rows, collected, taking.own, reader)
  if (!context.cut()) takeAll(collected, taking)
}

/** Takes what each item comes to, when all rows are in. */
function takeAll(collected: Collected, { own, take }: Taking): void {
  const { intake } = collected
  const { ledger } = intake
  const ofKey = new Map([...lostItems(intake)].map(([item]) => [ledger.keyOf(item).join(), item]))
  const shared = new Map<object, Map<object | string | undefined, TrialVerdict>>()
  const share = (one: TrialVerdict) => sharedOf(one, shared)
  for (const [item, { result, trials, code, asked }, given] of collected.items()) {
    const place = given ? ofKey.get(ledger.keyOf(item).join())! : item
    const fields = own.get(place)
    take({
      place,
      own: fields,
      identity: intake.runs.values[ledger.runOf(item)]!,
      provenance: intake.provenance[ledger.runOf(item)],
      result,
      trials: code === 'conflict' ? NONE : trials.map(share),
      criteria: asked.length > 0 ? asked : (fields.criteria ?? NONE),
    })
  }
}

/** Takes all rows, and what the fields of each item say, of the row whose fields count. */
async function readFields(
  rows: Rows,
  { intake, leads }: Collected,
  own: OwnColumns,
  reader: FieldReader,
): Promise<void> {
  let leadOf = new Uint32Array(64)
  for await (const lines of intake.lines(rows))
    while (lines.next()) {
      leads.taken = 0
      const item = intake.take(lines)
      if (item === 0) continue
      const isLead = leads.taken !== 0 && leads.taken === leads.from(intake.ledger.leadOf(item))
      if (own.has(item) && (!isLead || leadOf[item] === leads.taken)) continue
      own.set(item, reader.of(intake.current.row()))
      if (item >= leadOf.length) leadOf = grown(leadOf, item + 1)
      leadOf[item] = leads.taken
    }
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
