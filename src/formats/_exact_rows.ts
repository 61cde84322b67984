/** Rows of figures as --format says, numbers printed as Python prints them. */

import { pythonJson, type Exact as Value } from '../python/json.ts'
import { floatRepr } from '../python/numbers.ts'
import { inLine } from '../rows/controls.ts'
import type { Context } from '../rows/stage.ts'
import { roomOf, tableForms } from './_fit.ts'
import { sheetWriter } from './_sheet.ts'
import { styled } from './_table.ts'

/** @param options without `format`: a table on a terminal, else JSON lines */
export async function printExact(
  rows: readonly Record<string, Value>[],
  options: { format?: string },
  context: Context,
): Promise<string> {
  const { terminal } = context
  const format = options.format ?? (terminal.output ? 'table' : 'json')
  if (format === 'json') return rows.map((row) => `${pythonJson(row, { unicode: true })}\n`).join('')
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const values = rows.map((row) => columns.map((name) => cell(row[name])))
  if (format === 'csv' || format === 'tsv') return (await sheetWriter({ format }))([columns, ...values])
  const names = columns.filter((name) => rows.every((row) => typeof row[name] === 'string')).length
  const table = { head: columns.map(inLine), lines: values.map((cells) => cells.map(inLine)) }
  const forms = tableForms(table, [], names)
  return format === 'markdown' ? forms.markdown() : forms.table(styled(terminal.color), roomOf(context))
}

function cell(value: Value | undefined): string {
  if (value == null) return ''
  if (typeof value === 'number') return floatRepr(value)
  if (Array.isArray(value)) return value.map(cell).join(' ')
  return typeof value === 'object' ? pythonJson(value) : String(value)
}
