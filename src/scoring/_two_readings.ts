/**
 * The rows again, where what an item counts as is known only when all of its rows are in: from their files, or
 * from memory, where the first of them are kept.
 */
import { statSync } from 'node:fs'
import { type BadRowPolicy, type Rows, readRows } from '../rows/reader.ts'
import { EXIT, Fatal } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'

/** Bytes of rows that are kept of an input that cannot be read again: a pipe. */
const KEPT = 16 * 1024 * 1024

export class TwoReadings {
  private readonly rows: Rows
  private readonly badRows: BadRowPolicy
  private readonly context: Context
  private readonly readable: boolean
  private kept: Row[][] = []
  private bytes = 0

  /** @param options those of the filter, --bad-rows among them */
  constructor(rows: Rows, options: object, context: Context) {
    this.rows = rows
    this.badRows = (options as { badRows?: BadRowPolicy }).badRows ?? 'stop'
    this.context = context
    const { sources } = context
    this.readable = sources.length > 0 && sources.every(({ path }) => path !== undefined && isFile(path))
  }

  /** The rows as they come. */
  async *first(): Rows {
    for await (const batch of this.rows) {
      if (!this.readable && this.bytes <= KEPT) this.keep(batch)
      yield batch
    }
  }

  private keep(batch: Row[]): void {
    for (const row of batch) {
      this.bytes += row.bytes
      row.keep()
    }
    if (this.bytes <= KEPT) this.kept.push(batch)
    else this.kept = []
  }

  /**
   * The same rows, without words about those that are none.
   * @param why of the message where they are gone
   * @throws Fatal (data) where they are
   */
  second(why: string): Rows {
    if (this.readable)
      return readRows(this.context.sources, {
        badRows: this.badRows,
        stage: this.context.stage,
        signal: this.context.stop,
        onBadRow: () => {},
      })
    if (this.bytes > KEPT)
      throw contradiction(
        `${why}, and to leave them out the input is read twice: name its file in place of a pipe`,
      )
    return of(this.kept)
  }
}

/** Rows that contradict each other, and cannot be left out. */
export const contradiction = (why: string) =>
  new Fatal(
    EXIT.data,
    `${why} (two runs in one input? jb-render --name tells them apart, --combine takes all replies)`,
  )

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true

async function* of(batches: Row[][]): Rows {
  yield* batches
}
