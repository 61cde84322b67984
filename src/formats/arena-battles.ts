/** Chatbot Arena's battles (a JSON array or NDJSON) and arena_hard_battles.jsonl: one row per battle of two models. */
import { Row } from '../rows/row.ts'
import {
  ANSWERS_OPTION,
  bothCounts,
  jsonFiles,
  type Metadata,
  metadataOf,
  ofAnswer,
} from './_arena_answers.ts'
import { lacking, rowsMade } from './_bad_rows.ts'
import { eitherRows } from './_either.ts'
import type { Format } from './_format.ts'

export const format: Format = {
  about:
    'battles of Chatbot Arena or arena-hard (NDJSON or a JSON array) → rows for jb-rank; votes that were not anonymous are left out',
  readOptions: [ANSWERS_OPTION],
  async *read(sources, options, context) {
    const folder = options.answers as string | undefined
    const metadata = folder === undefined ? undefined : await metadataOf(jsonFiles(folder), context)
    let open = 0
    for await (const batch of eitherRows(sources, options, context)) {
      const kept = batch.filter((row) => row.field('anony') !== false)
      open += batch.length - kept.length
      if (kept.length > 0) yield kept.flatMap((row) => rowsMade(row, (one) => battle(row, one, metadata)))
    }
    if (open > 0) context.note(`${open} votes that were not anonymous are left out`)
  },
}

/** The battle with the counts of both answers, unless it has its own. */
function battle(row: Row, { item }: Row, metadata: Metadata | undefined): Row {
  const lost =
    ['model_a', 'model_b'].find((name) => (row.field(name) ?? null) === null) ??
    (row.field('winner') === undefined ? 'winner' : undefined)
  if (lost !== undefined)
    return lacking(row, 'arena-battles', `no "${lost}": this is not a battle of two models`)
  if (!metadata || row.field('conv_metadata') !== undefined) return row
  const [a, b] = [item.model_a, item.model_b].map((model) => ofAnswer(metadata, model, item))
  const meta = bothCounts(a, b)
  return meta ? Row.make({ ...item, conv_metadata: meta }, row.file, row.line) : row
}
