/** Files that are NDJSON, a JSON document or a JSON array. */
import { peek } from '../files/files.ts'
import type { Rows, Source } from '../rows/reader.ts'
import { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { opensDocument } from '../rows/unreadable.ts'
import type { FormatOptions } from './_format.ts'
import { elementRows } from './json.ts'

/**
 * Rows of sources of either kind: an array begins with `[`, a document of several lines with a line that ends within it.
 * @param at where the rows are in a document (a row of NDJSON stays whole)
 */
export async function* eitherRows(
  sources: readonly Source[],
  options: FormatOptions,
  context: Context,
  at?: string,
): Rows {
  for (const source of sources) {
    const { start, again } = await peek(source)
    const [, line = '', end = ''] = /^(?:\xef\xbb\xbf)?\s*([^\n]*)(\n?)/.exec(start.toString('latin1')) ?? []
    if (line.startsWith('[')) yield* elementRows([again], options, context)
    else if (end !== '' && opensDocument(line))
      yield* elementRows([again], { ...options, ...(at !== undefined && { at }) }, context)
    else yield* context.rows([again])
    if (context.stop.aborted) return
  }
}

/**
 * The records of a tool's exports: rows as {@link eitherRows} reads them, or of CSV; of a document that holds a list of records,
 * such as an API's answer, each of them.
 * @param lists the keys under which such a list may stand
 */
export async function* recordRows(
  sources: readonly Source[],
  options: FormatOptions,
  context: Context,
  ...lists: string[]
): Rows {
  for (const source of sources) {
    const { start, again } = await peek(source)
    const isJson = /^(?:\xef\xbb\xbf)?\s*[[{]/.test(start.toString('latin1', 0, 1024))
    const { format: csv } = isJson ? { format: undefined } : await import('./csv.ts')
    for await (const batch of csv
      ? csv.read!([again], options, context)
      : eitherRows([again], options, context))
      yield batch.flatMap((row) => recordsIn(row, lists))
    if (context.stop.aborted) return
  }
}

function recordsIn(row: Row, lists: readonly string[]): Row[] {
  const list = lists.map((key) => row.field(key)).find(Array.isArray)
  if (!list || row.has('error')) return [row]
  const { item } = row.exact()
  const records = lists.map((key) => item[key]).find(Array.isArray) as unknown[]
  return records.map((one) => Row.make(Object(one) as object, row.file, row.line))
}
