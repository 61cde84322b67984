/** A report in the form that --format names; by default a table on a terminal, JSON elsewhere. */
import type { JsonObject } from '../rows/record.ts'
import type { Context } from '../rows/stage.ts'
import { type Room, roomOf } from './_fit.ts'
import { csvOf, type Style, styled } from './_table.ts'

/** A report in each form. */
export interface ReportForms {
  /** Printed one per line. */
  json(): readonly JsonObject[]
  /** For CSV and TSV, if not the objects of `json`. */
  records?(): readonly JsonObject[]
  table(style: Style, room: Room): string
  markdown(): string
}

export async function writtenReport(
  { json, records = json, table, markdown }: ReportForms,
  options: { format?: string },
  context: Context,
): Promise<string> {
  const { terminal } = context
  switch (options.format ?? (terminal.output ? 'table' : 'json')) {
    case 'table':
      return table(styled(terminal.color), roomOf(context))
    case 'markdown':
      return markdown()
    case 'csv':
    case 'tsv':
      return csvOf(records(), options)
    default:
      return jsonLines(json())
  }
}

/** Objects as NDJSON. */
export const jsonLines = (objects: readonly JsonObject[]) =>
  objects.map((one) => `${JSON.stringify(one)}\n`).join('')
