/** What is known of each item before a judge: by the ledger, or with --value of each row as it is. */
import { clusterField } from '../../options/common.ts'
import { sha256 } from '../../rows/crypto.ts'
import { RowFailure } from '../../rows/errors.ts'
import { itemId } from '../../rows/item_id.ts'
import { MODEL_FIELDS, textsIn } from '../../rows/pair_fields.ts'
import type { Rows } from '../../rows/reader.ts'
import type { Criterion, Result } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { atRow, type Context } from '../../rows/stage.ts'
import { type FigureAmounts, figureAmounts } from '../../scoring/group.ts'
import { groupName } from '../../scoring/group_name.ts'
import type { Item } from '../../scoring/item.ts'
import { type CountedTrial, countedTrials, whyConflict } from '../../scoring/item_result.ts'
import { canonical, scoreSettings } from '../../scoring/kind.ts'
import { firstOf, labelFields } from '../../scoring/label.ts'
import { meantBy } from '../../scoring/label_map.ts'
import { labelNumber } from '../../scoring/label_terms.ts'
import { Ledger } from '../../scoring/ledger.ts'
import { onResults } from '../../scoring/options.ts'
import type { ProvenanceSums } from '../../scoring/provenance.ts'
import { noteRepeats } from '../../scoring/repeats.ts'
import type { RunIdentity } from '../../scoring/run_identity.ts'
import { askedIn } from '../../scoring/same_items.ts'
import type { OwnFields, RawLabel, TrialVerdict } from './items.ts'
import { chanceIn, longerBy } from './numbers.ts'
import type { AuditOptions } from './options.ts'

/** An item before a judge. */
export interface Judgement {
  /** What the item's own fields say. */
  own: OwnFields
  identity: RunIdentity
  /** Where its run comes from; undefined for rows of --value. */
  provenance?: ProvenanceSums | undefined
  /** Undefined if it failed. */
  result: Result | undefined
  /** Those that count; none of a conflict, of which it is not known which replies count. */
  trials: readonly TrialVerdict[]
  criteria: readonly Criterion[]
  /** What it adds to the figures of every report; undefined for rows of --value. */
  figures?: FigureAmounts
  /** With --watch: digest of all that was asked; undefined where that is not known. */
  asked?: string | undefined
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

/** Reads the fields of rows. */
class FieldReader {
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
    const { options, fields } = this
    const { value, p, label, id, weight } = options
    const cluster = clusterField(options)
    const models = textsIn(row, MODEL_FIELDS)
    return {
      id: id === undefined ? (row.get('item') ?? itemId(row)) : itemId(row, id),
      first: this.meant(firstOf(row, labelFields({ label }))),
      label: this.meant(row.field(label ?? 'label')),
      truth: fields.length === 0 ? NONE : this.truthOf(row),
      value: value === undefined ? undefined : row.field(value),
      longer: longerBy(row, options),
      models,
      p: p === undefined ? undefined : labelNumber(row.field(p)),
      chance: weight === undefined ? undefined : chanceIn(row, weight),
      probe: row.get('probe'),
      groups: options.by.length > 0 ? options.by.map((field) => this.group(row, field)) : undefined,
      cluster: cluster === undefined ? undefined : this.group(row, cluster),
      criteria: criteriaIn(row),
      ...(options.bridge !== undefined && { asks: askedIn(row) }),
    }
  }

  private truthOf(row: Row): readonly RawLabel[] {
    return this.fields.flatMap((field) => [row.field(field)].flat()).map((one) => this.meant(one))
  }

  /** A label, as --label-map says. */
  private meant(label: RawLabel): RawLabel {
    return meantBy(label, this.options.labelMap)
  }

  private group(row: Row, field: string): string | undefined {
    const value = row.field(field) ?? null
    return value === null ? undefined : groupName(row, field)
  }
}

/** Where judgements come from, and what takes them. */
interface Taking {
  /** The fields of --truth. */
  fields: readonly string[]
  /** Called for each row whose fields count. */
  see(row: Row): void
  /** Called for each item before a judge, when all rows are in. */
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
  { take }: Taking,
  reader: FieldReader,
): Promise<void> {
  const kept = (row: Row): Omit<Judgement, 'identity'> => {
    const own = reader.of(row)
    return {
      own,
      result: row.has('error') ? undefined : row.get('result'),
      trials: row.get('trials') ?? NONE,
      criteria: own.criteria ?? NONE,
    }
  }
  const settings = { subject: subjectOf, fields: fieldsRead(options), probes: true }
  const ledger = new Ledger({ ...settings, keepTrial: kept, keepResult: kept }, context)
  for await (const batch of rows) for (const row of batch) ledger.add(row)
  if (context.cut()) return
  const conflicts = new Set<Item>()
  for (const item of ledger.items()) {
    const { kept: trials, differing } = countedTrials(item)
    const isConflict = item.isWhole && whyConflict(item, differing) !== undefined
    if (isConflict) conflicts.add(item)
    const given = item.given && !item.plain ? [item.given.kept] : trials.map(({ told }) => told.kept)
    for (const one of new Set(given as ReturnType<typeof kept>[]))
      take({
        ...one,
        identity: item.run.identity,
        ...(isConflict && { result: undefined, trials: NONE }),
      })
  }
  noteRepeats(ledger.all, conflicts, context.note)
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
  const onResult = onResults({ label: options.truth.length > 0 ? undefined : options.label }, context)
  const settings = {
    ...{ ...options, isLabelled: labelledBy(options, reader.fields), by: fieldsRead(options) },
    ...{ subject: subjectOf, probes: true, reads: ['confidence', 'probabilities', 'said'], onResult },
    own: (row: Row) => reader.of(row),
  }
  const ledger = new Ledger(await scoreSettings(settings), context)
  for await (const batch of rows) for (const row of batch) ledger.add(row)
  if (context.cut()) return
  for (const found of ledger.results()) {
    const { item, run, result, failure, trials, counted, asked } = found
    const own = item.own as OwnFields
    taking.take({
      own,
      identity: run.identity,
      provenance: run.provenance,
      result,
      trials: failure?.code === 'conflict' ? NONE : trials.map(({ trial, verdict }) => ({ trial, verdict })),
      criteria: asked.length > 0 ? asked : (own.criteria ?? NONE),
      figures: figureAmounts(found),
      ...(options.watch !== undefined && item.isWhole && { asked: promptsOf(counted) }),
    })
    // Where rows are that contradict each other is told at the end.
    if (failure?.code !== 'conflict') item.letGo()
  }
}

/** The characters of a digest: among thousands of anchors no two prompts have the same. */
const DIGITS = 12

/** Digest of all that an item was asked; undefined where a row does not say. */
function promptsOf(counted: readonly CountedTrial[]): string | undefined {
  const all = new Set<string>()
  for (const { told } of counted) {
    if (told.asked === 0) return undefined
    const { n: _, of: __, sample: ___, seed: ____, ...question } = told.trial
    all.add(canonical([question, told.asked]))
  }
  return sha256([...all].sort().join('\n')).slice(0, DIGITS)
}
