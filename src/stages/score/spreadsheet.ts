/** jb-score --format csv: one flat line an item. */
import { jbCells, type ReplyText, soundOf, userCells } from '../../formats/_cells.ts'
import { spreadsheet } from '../../formats/_spreadsheet.ts'
import { firstRows } from '../../rows/first.ts'
import { itemId } from '../../rows/item_id.ts'
import type { Rows } from '../../rows/reader.ts'
import { usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { scoredOnce } from './once.ts'
import type { ScoreOptions } from './options.ts'

/** Columns of an item, in the order in which they stand. */
const FIRST = [
  'item',
  'judge',
  'name',
  'model',
  'verdict',
  'score',
  'option',
  'correct',
  'consistent',
  'reason',
  'error',
  'reply',
]

/** Yields the text of one table. @throws Fatal (usage) with --as */
export async function* itemLines(
  rows: Rows,
  options: ScoreOptions,
  context: Context,
): AsyncGenerator<string> {
  if (options.as !== undefined) throw usageError('--format is for results, not for --as')
  const replies = new Replies()
  const scored = firstRows(scoredOnce(replies.watched(rows), options, context), options.limit)
  async function* lines() {
    for await (const batch of scored)
      yield batch.map((row) => ({ user: userCells(row), jb: jbCells(row, replies.take(row)) }))
  }
  yield* spreadsheet(lines(), options, { first: FIRST, what: 'items' }, context)
}

/** Texts of replies, kept until their item is complete: a result has none. */
class Replies {
  private readonly texts = new Map<string, Map<number, ReplyText>>()

  async *watched(rows: Rows): Rows {
    for await (const batch of rows) {
      for (const row of batch) if (row.has('reply')) this.keep(row)
      yield batch
    }
  }

  private keep(row: Row): void {
    const reply = soundOf(row, 'reply')
    if (!reply) return
    const { text, model, reasoning: reason } = reply
    const key = keyOf(row, model)
    const kept = this.texts.get(key) ?? new Map<number, ReplyText>()
    this.texts.set(key, kept.set(soundOf(row, 'trial')?.n ?? 0, { text, ...(reason && { reason }) }))
  }

  /** The texts of a result's trials, which are kept no longer. */
  take(row: Row): Map<number, ReplyText> {
    const found = new Map<number, ReplyText>()
    const models = new Set(soundOf(row, 'trials')?.map(({ model }) => model))
    for (const model of models) {
      const key = keyOf(row, model)
      for (const [n, text] of this.texts.get(key) ?? []) found.set(n, text)
      this.texts.delete(key)
    }
    return found
  }
}

const keyOf = (row: Row, model: string | undefined): string =>
  JSON.stringify([soundOf(row, 'item') ?? itemId(row), soundOf(row, 'judge'), soundOf(row, 'name'), model])
