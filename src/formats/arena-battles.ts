/** Chatbot Arena's battles (a JSON array or NDJSON) and arena_hard_battles.jsonl: one row per battle of two models. */
import { statSync } from 'node:fs'
import { Readable } from 'node:stream'
import type { Rows, Source } from '../rows/reader.ts'
import { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { bothCounts, jsonFiles, type Metadata, metadataOf, ofAnswer } from './_arena_answers.ts'
import { lacking, rowsMade } from './_bad_rows.ts'
import type { Format, FormatOptions } from './_format.ts'
import { elementRows } from './json.ts'

export const format: Format = {
  about:
    'battles of Chatbot Arena or arena-hard (NDJSON or a JSON array) → rows for jb-rank; votes that were not anonymous are left out',
  async *read(sources, options, context) {
    const folder = options.answers as string | undefined
    const metadata = folder === undefined ? undefined : await metadataOf(jsonFiles(folder), context)
    let open = 0
    for await (const batch of eitherRows(sources, options, context)) {
      const kept = batch.filter((row) => row.field('anony') !== false)
      open += batch.length - kept.length
      if (kept.length > 0) yield kept.flatMap((row) => rowsMade(row, () => battle(row, metadata)))
    }
    if (open > 0) context.note(`${open} votes that were not anonymous are left out`)
  },
}

/** Rows of sources that are NDJSON or a JSON array. */
async function* eitherRows(sources: Source[], options: FormatOptions, context: Context): Rows {
  for (const source of sources) {
    const { isArray, again } = await beginning(source)
    if (!isArray) yield* context.rows([again])
    else yield* elementRows([again], options, context)
  }
}

/** Whether a source begins with an array, and a source to read it from the start. */
async function beginning(source: Source): Promise<{ isArray: boolean; again: Source }> {
  const stream = source.open()
  const chunks = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  const first = await chunks.next()
  const isArray = !first.done && /^(?:\xef\xbb\xbf)?\s*\[/.test(first.value.toString('latin1', 0, 1024))
  if (source.path !== undefined && statSync(source.path).isFile()) {
    stream.destroy()
    return { isArray, again: source }
  }
  const all = async function* () {
    for (let one = first; !one.done; one = await chunks.next()) yield one.value
  }
  return { isArray, again: { name: source.name, open: () => Readable.from(all()) } }
}

/** The battle with the counts of both answers, unless it has its own. */
function battle(row: Row, metadata: Metadata | undefined): Row {
  const lost = ['model_a', 'model_b', 'winner'].find((name) => row.field(name) === undefined)
  if (lost !== undefined) return lacking(row, `no "${lost}": this is no battle of two models`)
  if (!metadata || row.field('conv_metadata') !== undefined) return row
  const { item } = row
  const [a, b] = [item.model_a, item.model_b].map((model) => ofAnswer(metadata, model, item))
  const meta = bothCounts(a, b)
  return meta ? Row.make({ ...item, conv_metadata: meta }, row.file, row.line) : row
}
