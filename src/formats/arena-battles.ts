/** Chatbot Arena's battles, and arena_hard_battles.jsonl: two models and who won, a row a battle. */
import type { Format } from './_format.ts'

export const format: Format = {
  about:
    'battles of Chatbot Arena or arena-hard (NDJSON) → rows for jb-rank; votes that were not anonymous are left out',
  async *read(sources, _options, context) {
    let open = 0
    for await (const batch of context.rows(sources)) {
      const kept = batch.filter((row) => row.field('anony') !== false)
      open += batch.length - kept.length
      if (kept.length > 0) yield kept
    }
    if (open > 0) context.note(`${open} votes that were not anonymous are left out`)
  },
}
