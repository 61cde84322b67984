/** Chatbot Arena's battles, and arena_hard_battles.jsonl: two models and who won, a row a battle. */
import { Row } from '../rows/row.ts'
import { bothCounts, jsonFiles, type Metadata, metadataOf, ofAnswer } from './_arena_answers.ts'
import type { Format } from './_format.ts'

export const format: Format = {
  about:
    'battles of Chatbot Arena or arena-hard (NDJSON) → rows for jb-rank; votes that were not anonymous are left out',
  async *read(sources, options, context) {
    const folder = options.answers as string | undefined
    const metadata = folder === undefined ? undefined : await metadataOf(jsonFiles(folder), context)
    let open = 0
    for await (const batch of context.rows(sources)) {
      const kept = batch.filter((row) => row.field('anony') !== false)
      open += batch.length - kept.length
      if (kept.length > 0) yield metadata ? kept.map((row) => withCounts(row, metadata)) : kept
    }
    if (open > 0) context.note(`${open} votes that were not anonymous are left out`)
  },
}

/** The battle with both answers' counts, where it has none of its own. */
function withCounts(row: Row, metadata: Metadata): Row {
  if (row.has('error') || row.field('conv_metadata') !== undefined) return row
  const { item } = row
  const [a, b] = [item.model_a, item.model_b].map((model) => ofAnswer(metadata, model, item))
  const meta = bothCounts(a, b)
  return meta ? Row.make({ ...item, conv_metadata: meta }, row.file, row.line) : row
}
