/** Items that wait for the end of the input: what is to be written of them is in a file, if there are many. */
import { Spool } from '../../files/spool.ts'
import type { Verdict } from '../../rows/record.ts'
import { Row } from '../../rows/row.ts'
import type { Item } from '../../scoring/item.ts'
import type { Told } from '../../scoring/trial_result.ts'

/** Items that wait in memory; more wait in a file. */
export const IN_MEMORY = 4096
/** The share of the free disk space that they may take, and bytes that are written together. */
const OF_FREE = 1 / 4
const PIECE = 64 * 1024

export class Parked {
  private spool: Spool | undefined
  /** Items in the order in which they were parked, and texts that are not in the spool yet. */
  private readonly items: { item: Item; rows: Told[] }[] = []
  private parts: string[] = []
  private size = 0
  private isFull = false

  /** Puts an item's row and verdicts into the file. @returns false if there is no room for it */
  add(item: Item): boolean {
    // One without a model may be one of another run.
    if (this.isFull || item.given || item.run.identity.model === undefined) return false
    const row = item.own as Row
    const rows = item.rows()
    const verdicts = rows.map(({ verdict }) => verdict ?? null)
    const text = `${JSON.stringify([row.file, row.line, verdicts])}\n${row.toText()}\n`
    this.parts.push(text)
    this.size += text.length
    this.items.push({ item, rows })
    item.own = undefined
    for (const told of rows) told.verdict = undefined
    if (this.size >= PIECE) this.flush()
    return true
  }

  private flush(): void {
    try {
      this.spool ??= new Spool()
      this.spool.add(this.parts.join(''))
    } catch {
      // Without room for temporary files, these and all further ones stay in memory.
      this.isFull = true
      return
    }
    const { size, free } = this.spool
    this.isFull = size > free * OF_FREE
    this.parts = []
    this.size = 0
  }

  /** The items in that order, each whole again, with what later rows say of it. */
  *restored(): Generator<Item> {
    const items = this.items.values()
    for (let i = 0; i < (this.spool?.pieces ?? 0); i++)
      yield* this.restoredFrom(this.spool!.read(i).toString(), items)
    yield* this.restoredFrom(this.parts.join(''), items)
  }

  private *restoredFrom(text: string, items: Iterator<{ item: Item; rows: Told[] }>): Generator<Item> {
    const lines = text.split('\n')
    for (let i = 0; i + 1 < lines.length; i += 2) {
      const { item, rows } = items.next().value!
      const [file, line, verdicts] = JSON.parse(lines[i]!) as [string, number, (Verdict | null)[]]
      // A later row's fields may be those that count.
      item.own ??= Row.read(lines[i + 1]!, file, line)
      for (const [place, verdict] of verdicts.entries()) if (verdict) rows[place]!.verdict = verdict
      yield item
    }
  }

  close(): void {
    this.spool?.close()
  }
}
