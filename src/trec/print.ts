/** Rows of numbers as JSON lines, CSV, or a table. */

import { pythonJson, type Exact as Value } from '../python/json.ts'
import { floatRepr } from '../python/numbers.ts'
import { inLine, inMarkdown } from '../rows/controls.ts'
import type { Context } from '../rows/stage.ts'

export type PrintedRow = Record<string, Value>

/** @param given json (one object per line), table, csv, tsv or markdown; by default a table on a terminal, else json */
export async function printRows(
  rows: readonly PrintedRow[],
  given: string | undefined,
  { terminal }: Context,
): Promise<string> {
  const format = given ?? (terminal.output ? 'table' : 'json')
  if (format === 'json') return rows.map((row) => `${pythonJson(row, { unicode: true })}\n`).join('')
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const values = rows.map((row) => names.map((name) => cell(row[name])))
  if (format === 'csv' || format === 'tsv') {
    const { stringify } = await import('csv-stringify/sync')
    return stringify([names, ...values], { delimiter: format === 'csv' ? ',' : '\t' })
  }
  const [columns, ...lines] = [names, ...values].map((cells) => cells.map(inLine)) as [
    string[],
    ...string[][],
  ]
  if (format === 'markdown') {
    const row = (cells: string[]) => `| ${cells.map(inMarkdown).join(' | ')} |\n`
    return row(columns) + row(columns.map(() => '---')) + lines.map(row).join('')
  }
  const widths = columns.map((column, i) =>
    Math.max(column.length, ...lines.map((cells) => cells[i]!.length)),
  )
  const numeric = names.map((column) => rows.every((row) => typeof row[column] !== 'string'))
  const row = (cells: string[]) =>
    `${cells
      .map((text, i) => (numeric[i] ? text.padStart(widths[i]!) : text.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd()}\n`
  return row(columns) + lines.map(row).join('')
}

function cell(value: Value | undefined): string {
  if (value == null) return ''
  if (typeof value === 'number') return floatRepr(value)
  if (Array.isArray(value)) return value.map(cell).join(' ')
  return typeof value === 'object' ? pythonJson(value) : String(value)
}
