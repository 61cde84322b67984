/** Rows of numbers as JSON lines, CSV, or a table. */
import { pythonJson, type Exact as Value } from '../python/json.ts'
import { floatRepr } from '../python/numbers.ts'

export type PrintedRow = Record<string, Value>

/** @param format json (one object a line), table, csv, tsv or markdown */
export async function printRows(rows: readonly PrintedRow[], format: string): Promise<string> {
  if (format === 'json') return rows.map((row) => `${pythonJson(row, { unicode: true })}\n`).join('')
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const lines = rows.map((row) => columns.map((column) => cell(row[column])))
  if (format === 'csv' || format === 'tsv') {
    const { stringify } = await import('csv-stringify/sync')
    return stringify([columns, ...lines], { delimiter: format === 'csv' ? ',' : '\t' })
  }
  if (format === 'markdown') {
    const row = (cells: string[]) => `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |\n`
    return row(columns) + row(columns.map(() => '---')) + lines.map(row).join('')
  }
  const widths = columns.map((column, i) =>
    Math.max(column.length, ...lines.map((cells) => cells[i]!.length)),
  )
  const numeric = columns.map((column) => rows.every((row) => typeof row[column] !== 'string'))
  const row = (cells: string[]) =>
    `${cells
      .map((text, i) => (numeric[i] ? text.padStart(widths[i]!) : text.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd()}\n`
  return row(columns) + lines.map(row).join('')
}

function cell(value: Value | undefined): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number') return floatRepr(value)
  if (Array.isArray(value)) return value.map(cell).join(' ')
  return typeof value === 'object' ? pythonJson(value) : String(value)
}
