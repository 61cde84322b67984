/** Files that are NDJSON, a JSON document or a JSON array. */
import { peek } from '../files/files.ts'
import type { Rows, Source } from '../rows/reader.ts'
import type { Context } from '../rows/stage.ts'
import type { FormatOptions } from './_format.ts'
import { elementRows } from './json.ts'

/**
 * Rows of sources of either kind: an array begins with `[`, a document of several lines with `{` alone in its line.
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
    const text = start.toString('latin1', 0, 1024)
    if (/^(?:\xef\xbb\xbf)?\s*\[/.test(text)) yield* elementRows([again], options, context)
    else if (/^(?:\xef\xbb\xbf)?\s*\{[ \t]*\r?\n/.test(text))
      yield* elementRows([again], { ...options, ...(at !== undefined && { at }) }, context)
    else yield* context.rows([again])
    if (context.stop.aborted) return
  }
}
