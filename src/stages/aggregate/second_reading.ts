/**
 * The rows again, where what an item counts as is known only when all of its rows are in: from their files, or
 * from memory, where the first of them are kept.
 */
import { statSync } from 'node:fs'
import { type BadRowPolicy, type Rows, readRows } from '../../rows/reader.ts'
import { EXIT, Fatal } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'

/** Bytes of rows that are kept of an input that cannot be read again: a pipe. */
const KEPT = 16 * 1024 * 1024
/** Items that can be in doubt: all their rows are held. */
const HELD = 10_000

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
    for (const row of batch) this.bytes += row.bytes
    if (this.bytes <= KEPT) this.kept.push(batch)
    else this.kept = []
  }

  /**
   * The same rows, without words about those that are none.
   * @param doubtful how many items there are that have to be held
   * @throws Fatal (data) where they are too many, or the rows are gone
   */
  second(doubtful: number): Rows {
    const refused = (why: string) =>
      new Fatal(
        EXIT.data,
        `${doubtful} item${doubtful === 1 ? ' has' : 's have'} several replies that differ, ${why} (two runs in one input? jb-render --name tells them apart, --combine takes all replies)`,
      )
    if (doubtful > HELD) throw refused('more than can be left out one by one')
    if (this.readable)
      return readRows(this.context.sources, {
        badRows: this.badRows,
        stage: this.context.stage,
        signal: this.context.stop,
        onBadRow: () => {},
      })
    if (this.bytes > KEPT)
      throw refused('and to leave them out the input is read twice: name its file in place of a pipe')
    return of(this.kept)
  }
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true

async function* of(batches: Row[][]): Rows {
  yield* batches
}
