/** Tables of reports: for a terminal, in Markdown, as CSV. */
import { inLine, inMarkdown } from '../rows/controls.ts'
import { isObject, type Json, type JsonObject } from '../rows/record.ts'
import { type SheetOptions, sheetWriter } from './_sheet.ts'
import { textWidth } from './_text_width.ts'

/** Printed cells; the first column is a name. */
export interface Table {
  head: string[]
  lines: string[][]
}

/** A column of records: its heading, a record's cell, and which records call for it (without this it is always shown). */
export type RecordColumn<T> = [heading: string, cell: (record: T) => string, wanted?: (record: T) => boolean]

/** A table with a line per record. */
export function recordTable<T>(columns: readonly RecordColumn<T>[], records: readonly T[]): Table {
  const shown = columns.filter(([, , wanted]) => !wanted || records.some(wanted))
  return {
    head: shown.map(([heading]) => heading),
    lines: records.map((record) => shown.map(([, cell]) => inLine(cell(record)))),
  }
}

export type Style = (code: number | string, text: string) => string

/** Colours a text, if `color`. */
export const styled =
  (color: boolean): Style =>
  (code, text) =>
    color ? `\u001b[${code}m${text}\u001b[0m` : text

/** Lines for a terminal. @param total set the last line apart; the first `names` columns are left-aligned */
export function tableLines(
  { head, lines }: Table,
  style: Style,
  { total = false, names = 1 } = {},
): string[] {
  const widths = columnWidths({ head, lines })
  const align = (text: string, i: number) => {
    const space = ' '.repeat(widths[i]! - textWidth(text))
    return i < names ? text + space : space + text
  }
  const rows = lines.map((cells) => cells.map(align).join('  ').trimEnd())
  const rule = widths.map((width) => '-'.repeat(width)).join('  ')
  const last = total ? [...(rows.length > 1 ? [rule] : []), style(1, rows.pop()!)] : []
  return [style(2, head.map(align).join('  ').trimEnd()), rule, ...rows, ...last]
}

export const columnWidths = ({ head, lines }: Table): number[] =>
  head.map((_, i) => [head, ...lines].reduce((most, cells) => Math.max(most, textWidth(cells[i]!)), 0))

export function markdownTable({ head, lines }: Table, names = 1): string {
  const row = (cells: string[]) => `| ${cells.map(inMarkdown).join(' | ')} |\n`
  return `${row(head)}|${head.map((_, i) => (i < names ? ' --- ' : ' ---: ')).join('|')}|\n${lines.map(row).join('')}`
}

/** Records as CSV or TSV; nested values become columns such as `ci_low` and `failures_timeout`. Empty columns are left out. */
export async function csvOf(records: readonly JsonObject[], options: SheetOptions): Promise<string> {
  const flat = records.map(columnsOf)
  const columns = [...new Set(flat.flatMap((record) => Object.keys(record)))].filter((column) =>
    flat.some((record) => (record[column] ?? '') !== ''),
  )
  const rows = flat.map((record) => columns.map((column) => cell(record[column])))
  return (await sheetWriter(options))([columns, ...rows])
}

function columnsOf(record: JsonObject): JsonObject {
  const columns: JsonObject = {}
  for (const [key, value] of Object.entries(record)) {
    if (Array.isArray(value) && value.length === 2 && value.every((bound) => typeof bound === 'number'))
      [columns[`${key}_low`], columns[`${key}_high`]] = value as [number, number]
    else if (isObject(value))
      for (const [inner, one] of Object.entries(value)) columns[`${key}_${inner}`] = one
    else columns[key] = value
  }
  return columns
}

const cell = (value: Json | undefined) =>
  value == null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)

/** Significant digits of a figure: JavaScript engines' exp and log differ beyond them. */
const DIGITS = 10

/** A value with its fractional numbers rounded, at any depth; NaN and infinities become null. */
export function rounded(value: unknown): Json {
  if (typeof value === 'number')
    return Number.isInteger(value) ? value : Number.isFinite(value) ? Number(value.toPrecision(DIGITS)) : null
  if (Array.isArray(value)) return value.map(rounded)
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, one]) => one !== undefined)
        .map(([key, one]) => [key, rounded(one)]),
    )
  return value as Json
}
