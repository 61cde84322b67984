/** Files that are NDJSON, a JSON document or a JSON array. */
import { peek } from '../files/files.ts'
import type { Rows, Source } from '../rows/reader.ts'
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
