/** What rows of trials hold beside their verdict, kept until their item is complete: a result has none of it. */
import { itemId } from '../rows/item_id.ts'
import { getOrInsert } from '../rows/maps.ts'
import type { Rows } from '../rows/reader.ts'
import type { Reply } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { validMember } from './_cells.ts'

interface Kept<T> {
  part: T
  text: string
  failed: boolean
}

/** By item, judge and model, then by trial. */
export class KeptReplies<T> {
  private readonly open = new Map<string, Map<number, Kept<T>>>()
  /** Rows that came in scored: what is kept belongs to other items. */
  private readonly scored = new WeakSet<Row>()
  private readonly partOf: (row: Row, reply: Reply | undefined) => T

  /** @param partOf what is kept of a row */
  constructor(partOf: (row: Row, reply: Reply | undefined) => T) {
    this.partOf = partOf
  }

  /** Yields the same rows one at a time, so that an item is scored before the rows of the next one arrive. */
  async *of(rows: Rows): Rows {
    for await (const batch of rows)
      for (const row of batch) {
        if (row.has('result') || row.has('trials')) this.scored.add(row)
        else this.keep(row)
        yield [row]
      }
  }

  private keep(row: Row): void {
    const reply = validMember(row, 'reply')
    const trials = getOrInsert(this.open, keyOf(row, reply?.model), () => new Map<number, Kept<T>>())
    const n = validMember(row, 'trial')?.n ?? 0
    const known = trials.get(n)
    const failed = row.has('error')
    const text = reply?.text ?? ''
    // Of several replies to a trial one without an error counts, then the first by text: independent of the rows' order.
    if (known && (known.failed === failed ? text >= known.text : !known.failed)) return
    trials.set(n, { part: this.partOf(row, reply), text, failed })
  }

  /** Removes and returns what is kept of the trials of a result, by trial. */
  taken(row: Row): Map<number, T> {
    const found = new Map<number, T>()
    if (this.scored.has(row)) return found
    for (const model of new Set([undefined, ...(validMember(row, 'trials') ?? []).map((one) => one.model)])) {
      const key = keyOf(row, model)
      for (const [n, { part }] of this.open.get(key) ?? []) found.set(n, part)
      this.open.delete(key)
    }
    return found
  }
}

const keyOf = (row: Row, model: string | undefined): string =>
  JSON.stringify([
    validMember(row, 'item') ?? itemId(row),
    ...(['judge', 'judge_digest', 'name', 'variant'] as const).map((key) => validMember(row, key)),
    model,
  ])
