/** Files of people's labels: the one door to them. */
import { existsSync, statSync } from 'node:fs'
import { fileSource } from '../files/files.ts'
import type { Option } from '../options/option.ts'
import { fieldNames, idField, thereAre } from '../rows/item_id.ts'
import type { Rows } from '../rows/reader.ts'
import { EXIT, Fatal, type Json } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { isLabel } from '../scoring/label.ts'
import { LABEL_MAP_OPTION, meantBy } from '../scoring/label_map.ts'
import { labelNumber } from '../scoring/label_terms.ts'
import { LABEL_OPTION } from '../scoring/options.ts'

/** @param option that names the file */
export const itemOption = (option: string) =>
  ({
    name: 'item',
    type: 'string',
    value: 'FIELD',
    about: `of the file of ${option}: the column with the item’s id [item, else that of --id, pair_id, question_id, id, uid, idx]`,
  }) as const satisfies Option

/** Options of all that read label files; jb-aggregate has the last two among those of scoring. @param about that of --label */
export const labelFileOptions = (option: string, about: string = LABEL_OPTION.about) =>
  [itemOption(option), { ...LABEL_OPTION, about }, LABEL_MAP_OPTION] as const satisfies readonly Option[]

interface LabelFileOptions {
  /** `--item`: the column with the item's id; without it `item`, else that of `--id`, else one of those of ids. */
  item?: string | undefined
  id?: string | undefined
  /** `--label`: the column with the label; without it `labels` (of several people), else `label`. */
  label?: string | undefined
  labelMap?: string | undefined
}

export interface LabelFile {
  path: string
  /** Of NAME=FILE. */
  name: string | undefined
}

/**
 * The files and the fields that an option such as --truth names.
 * @param named a file may be NAME=FILE @throws Fatal (no input) for one that is not there
 */
export function labelPlaces(
  places: readonly string[],
  option: string,
  named = false,
): { files: LabelFile[]; fields: string[] } {
  const files: LabelFile[] = []
  const fields: string[] = []
  for (const place of places) {
    const [, name, rest] = (named && !existsSync(place) && /^([^=]+)=(.+)$/s.exec(place)) || []
    const path = rest ?? place
    if (statSync(path, { throwIfNoEntry: false })?.isFile()) files.push({ path, name })
    else if (rest === undefined) fields.push(place)
    else throw new Fatal(EXIT.noInput, `${option} ${place}: no such file`)
  }
  return { files, fields }
}

/** A label of one person. */
export interface FileLabel {
  item: string
  criterion: string | undefined
  annotator: string
  /** Null without one, as an empty cell is. */
  label: Json
  note: Json | undefined
  /** It may have more: a run, two models, a probability. */
  row: Row
  file: string
  line: number
}

/**
 * The labels of files: NDJSON, or CSV and TSV by their names.
 * @throws Fatal (data) for a row without the columns of an item or a label
 */
export async function* labelsOf(
  files: readonly string[],
  options: LabelFileOptions,
  context: Context,
): AsyncGenerator<FileLabel> {
  for (const file of files)
    for await (const batch of await rowsOf(file, context))
      for (const row of batch) yield* labelsIn(row, options)
}

async function rowsOf(file: string, context: Context): Promise<Rows> {
  if (!/\.[ct]sv(\.gz)?$/i.test(file)) return context.rows([fileSource(file)])
  const { format } = await import('./csv.ts')
  return format.read!([fileSource(file)], {}, context)
}

function* labelsIn(row: Row, options: LabelFileOptions): Generator<FileLabel> {
  const { criterion, note } = row.item
  const annotator = row.field('annotator') ?? row.field('labeler') ?? row.file
  const item = itemIn(row, options)
  const value = labelIn(row, options)
  const several = Array.isArray(value)
  for (const [i, label] of (several ? value : [value]).entries())
    yield {
      item,
      criterion: typeof criterion === 'string' ? criterion : undefined,
      annotator: several ? `${annotator}#${i}` : String(annotator),
      label: isLabel(label) ? meantBy(label, options.labelMap) : null,
      note,
      row,
      file: row.file,
      line: row.line,
    }
}

/** The id, as it stands in the row: 20 digits are not read as a number. */
function itemIn(row: Row, { item, id }: LabelFileOptions): string {
  const name = item ?? ['item', id].find((one) => one && (row.field(one) ?? null) !== null) ?? idField(row)
  const value = name === undefined ? undefined : row.field(name)
  if (typeof value === 'string' && value !== '') return value
  if (typeof value === 'number') return row.fieldText(name!)!
  throw lacking(
    row,
    name === undefined ? "no column has the item's id" : `column "${name}" has no id`,
    'item',
  )
}

function labelIn(row: Row, { label }: LabelFileOptions): Json {
  const value = label === undefined ? (row.field('labels') ?? row.field('label')) : row.field(label)
  if (value === undefined) throw lacking(row, `no column "${label ?? 'label'}"`, 'label')
  return value
}

const lacking = (row: Row, what: string, option: string) =>
  new Fatal(
    EXIT.data,
    `${row.place}: not a row of labels: ${what}${thereAre(fieldNames(row))} (--${option} FIELD names it)`,
  )

/** The numbers among labels, which show how they count. */
export function numbersOf(labels: Iterable<Json>): Set<number> {
  const numbers = new Set<number>()
  for (const label of labels) {
    const number = typeof label === 'boolean' ? undefined : labelNumber(label)
    if (number !== undefined) numbers.add(number)
  }
  return numbers
}
