/** Files of people's labels: the one door to them. */
import { existsSync, statSync } from 'node:fs'
import { fileSource } from '../files/files.ts'
import type { Option } from '../options/option.ts'
import { fieldNames, idField, thereAre } from '../rows/item_id.ts'
import { count } from '../rows/maps.ts'
import type { Rows } from '../rows/reader.ts'
import { EXIT, Fatal, type Json } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { isLabel } from '../scoring/label.ts'
import { LABEL_MAP_OPTION, meantBy } from '../scoring/label_map.ts'
import { labelNumber } from '../scoring/label_terms.ts'
import { LABEL_OPTION } from '../scoring/options.ts'
import { annotationsIn, isPeoples, labelName } from './_annotations.ts'
import { eitherRows } from './_either.ts'
import type { Format } from './_format.ts'
import { markedFormat } from './_marks.ts'

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
  /** `--bad-rows`. */
  badRows?: string | undefined
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
 * The labels of files: NDJSON, CSV and TSV by their names, or what a tool that keeps labels exports.
 * @throws Fatal (data) for a row without the columns of an item or a label, for annotations without one of --label
 */
export async function* labelsOf(
  files: readonly string[],
  options: LabelFileOptions,
  context: Context,
): AsyncGenerator<FileLabel> {
  for (const file of files) {
    const annotated: Row[] = []
    for await (const batch of await rowsOf(file, options, context))
      for (const row of batch) {
        if (columnOf(row, options) === undefined && annotationsIn(row)) annotated.push(row)
        // A trace that failed, beside those with annotations.
        else if (annotated.length === 0 || !row.has('error')) yield* labelsIn(row, options)
      }
    if (annotated.length > 0) yield* annotatedLabels(annotated, file, options)
  }
}

/** Tools that keep labels, by their formats: a file of theirs is read as jb-read reads it. */
const TOOLS: { [format: string]: () => Promise<{ format: Format }> } = {
  deepeval: () => import('./deepeval.ts'),
  langfuse: () => import('./langfuse.ts'),
  mlflow: () => import('./mlflow.ts'),
  phoenix: () => import('./phoenix.ts'),
}

async function rowsOf(file: string, { badRows }: LabelFileOptions, context: Context): Promise<Rows> {
  const open = async (): Promise<Rows> => {
    if (!/\.[ct]sv(\.gz)?$/i.test(file)) return eitherRows([fileSource(file)], { badRows }, context)
    const { format } = await import('./csv.ts')
    return format.read!([fileSource(file)], { badRows }, context)
  }
  const tool = TOOLS[(await firstMark(await open())) ?? '']
  return tool ? (await tool()).format.read!([fileSource(file)], { badRows }, context) : open()
}

async function firstMark(rows: Rows): Promise<string | undefined> {
  for await (const [row] of rows) if (row) return markedFormat(row)
  return undefined
}

/**
 * The annotations that --label names; without it people's, if these have one name.
 * @throws Fatal (data) that lists what there is
 */
function* annotatedLabels(
  rows: readonly Row[],
  file: string,
  options: LabelFileOptions,
): Generator<FileLabel> {
  const all = rows.flatMap((row) => annotationsIn(row)!.map((one) => ({ row, one })))
  const counts = new Map<string, number>()
  for (const { one } of all) count(counts, labelName(one), 1)
  const peoples = new Set(all.flatMap(({ one }) => (isPeoples(one) ? one.name : [])))
  const [only, ...more] = peoples
  const name = options.label ?? (more.length === 0 ? only : undefined)
  if (name === undefined || !counts.has(name)) {
    const lack =
      name !== undefined
        ? `no label is called "${name}"`
        : more.length > 0
          ? 'people gave several labels'
          : 'no label is a person’s'
    const there = [...counts].map(([one, n]) => `${one} (${n})`)
    throw new Fatal(
      EXIT.data,
      `${file}: ${lack}${thereAre(there)}${there.length > 0 ? ' (--label NAME takes one)' : ', and there is no other'}`,
    )
  }
  for (const { row, one } of all)
    if (labelName(one) === name)
      yield {
        item: itemIn(row, options),
        criterion: undefined,
        annotator: one.by ?? one.source,
        label: isLabel(one.value) ? meantBy(one.value, options.labelMap) : null,
        note: one.note,
        ...{ row, file: row.file, line: row.line },
      }
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

const columnOf = (row: Row, { label }: LabelFileOptions): Json | undefined =>
  label === undefined ? (row.field('labels') ?? row.field('label')) : row.field(label)

function labelIn(row: Row, options: LabelFileOptions): Json {
  const value = columnOf(row, options)
  const { label } = options
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
