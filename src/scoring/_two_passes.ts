/**
 * Reads the rows a second time, where what an item counts as is known only when all of its rows are in: from their files,
 * or for a pipe from memory and a temporary file, where its first rows are kept.
 */
import { statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { Spool } from '../files/spool.ts'
import { type BadRowPolicy, type Rows, readRows, type Source } from '../rows/reader.ts'
import { EXIT, Fatal } from '../rows/record.ts'
import { encode, type Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'

/** Bytes of rows that are kept of a pipe, which cannot be read again. */
const KEPT = 16 * 1024 * 1024
/** Of these, the bytes that are held in memory. */
const HELD = 1024 * 1024

/** Rows of a batch, as lines. */
interface Piece {
  name: string
  /** Lines that stand before it. */
  line: number
  /** Undefined for those that are in the file. */
  bytes: Buffer | undefined
}

export class TwoPasses {
  private readonly rows: Rows
  private readonly badRows: BadRowPolicy
  private readonly context: Context
  /** Whether they are in files, and can be read again. */
  readonly inFiles: boolean
  private readonly pieces: Piece[] = []
  private spool: Spool | undefined
  private bytes = 0

  /** @param options those of the filter, --bad-rows among them */
  constructor(rows: Rows, options: object, context: Context) {
    this.rows = rows
    this.badRows = (options as { badRows?: BadRowPolicy }).badRows ?? 'stop'
    this.context = context
    const { sources } = context
    this.inFiles = sources.length > 0 && sources.every(({ path }) => path !== undefined && isFile(path))
  }

  /** The rows as they come. */
  async *first(): Rows {
    for await (const batch of this.rows) {
      if (!this.inFiles && this.bytes <= KEPT && batch.length > 0) this.keep(batch)
      yield batch
    }
  }

  private keep(batch: readonly Row[]): void {
    const { file: name, line } = batch[0]!
    const bytes = linesOf(batch)
    this.bytes += bytes.length
    const held = this.bytes <= HELD
    if (!held) this.putAway(bytes)
    this.pieces.push({ name, line: line - 1, bytes: held ? bytes : undefined })
  }

  private putAway(bytes: Buffer): void {
    try {
      if (this.bytes > KEPT) throw new Error('too many')
      this.spool ??= new Spool()
      this.spool.add(bytes)
    } catch {
      // No room for them, either: there is no second reading.
      this.bytes = Number.POSITIVE_INFINITY
      this.pieces.length = 0
      this.close()
    }
  }

  close(): void {
    this.spool?.close()
    this.spool = undefined
  }

  /**
   * The same rows; bad ones are not reported again.
   * @param why begins the message where there is no second reading
   * @param judged see ReadOptions
   * @throws Fatal (data) where more came from a pipe than is kept
   */
  second(why: string, judged = false): Rows {
    if (this.bytes > KEPT)
      throw contradiction(
        `${why}, and to leave them out the input is read twice: name its file in place of a pipe`,
      )
    return readRows(this.inFiles ? this.context.sources : this.kept(), {
      badRows: this.badRows,
      stage: this.context.stage,
      signal: this.context.stop,
      onBadRow: () => {},
      judged,
    })
  }

  private kept(): Source[] {
    let away = 0
    return this.pieces.map(({ name, line, bytes }) => {
      const place = bytes ? 0 : away++
      return { name, line, open: () => Readable.from([bytes ?? this.spool!.read(place)]) }
    })
  }
}

/** Rows as lines, with an empty line for each that was left out between them, so that line numbers stay the same. */
function linesOf(batch: readonly Row[]): Buffer {
  const parts: string[] = []
  let last = batch[0]!.line - 1
  for (const row of batch) {
    parts.push('\n'.repeat(Math.max(0, row.line - last - 1)))
    last = row.line
    row.write({ bytes: (text) => parts.push(text), text: (text) => parts.push(encode(text)) })
  }
  return Buffer.from(parts.join(''), 'latin1')
}

/** Rows that contradict each other, and cannot be left out. */
export const contradiction = (why: string) =>
  new Fatal(
    EXIT.data,
    `${why} (two runs in one input? jb-render --name tells them apart, --combine takes all replies)`,
  )

/** Items of a state are in one before it; 0 where all of them are. */
export const mergedTwice = (place: string, items: number) =>
  new Fatal(
    EXIT.data,
    `${place}: ${items > 0 ? `${items} of its items are` : 'all of it is'} in a state before it as well: each shard is merged once, and no two have an item in common`,
  )

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true
