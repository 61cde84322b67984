/**
 * Reads the rows a second time, where what an item counts as is known only when all of its rows are in: from their files,
 * or for a pipe from a copy of it in a temporary file.
 */
import { statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { Spool } from '../files/spool.ts'
import { type BadRowPolicy, type Rows, readRows, type Source } from '../rows/reader.ts'
import { EXIT, Fatal } from '../rows/record.ts'
import { encode, type Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'

/** Bytes of a pipe that are kept in memory; all that follow are in a temporary file. */
const IN_MEMORY = 1024 * 1024
/** Part of the free space on the disk that the file may take. */
const OF_FREE = 1 / 4
/** Bytes that are kept of rows which a program passes on: each has to be written for it. */
const OF_PROGRAM = 16 * 1024 * 1024

/** Bytes of most batches. */
const MOST_BATCHES = 256 * 1024
const NEWLINE = 0x0a

/** Rows of a batch, as lines. */
interface Piece {
  name: string
  /** Lines that stand before it. */
  line: number
  /** Undefined for those that are in the file. */
  bytes: Buffer | undefined
}

export class TwoPasses {
  private readonly rows: AsyncIterator<Row[]>
  private readonly badRows: BadRowPolicy
  private readonly context: Context
  /** Whether they are in files, and can be read again. */
  private readonly inFiles: boolean
  private readonly pieces: Piece[] = []
  private spool: Spool | undefined
  private buffer = Buffer.alloc(0)
  private bytes = 0
  private limit: number
  /** Not all that was read can be read again. */
  private lost = false
  /** The batch for which there was no room when the first pass ended early. */
  private next: Row[] | undefined
  /** The second pass has come to rows that the first did not read. */
  isNew = false

  /** @param options those of the filter, --bad-rows among them */
  constructor(rows: Rows, options: object, context: Context) {
    this.rows = rows[Symbol.asyncIterator]()
    this.badRows = (options as { badRows?: BadRowPolicy }).badRows ?? 'stop'
    this.context = context
    const { sources } = context
    this.inFiles = sources.length > 0 && sources.every(({ path }) => path !== undefined && isFile(path))
    this.limit = sources.length > 0 ? Number.POSITIVE_INFINITY : OF_PROGRAM
  }

  /**
   * The rows as they come.
   * @param early ends where no more can be kept: see {@link endedEarly}
   */
  async *first(early = false): Rows {
    try {
      for (let batch = await this.take(); batch; batch = await this.take()) {
        if (!this.inFiles && !this.lost && !this.keep(batch)) {
          if (early) {
            this.next = batch
            return
          }
          this.lose()
        }
        yield batch
      }
    } finally {
      if (!this.next) await this.rows.return?.()
    }
  }

  /** Whether the first pass did not read all: the second reads on. */
  get endedEarly(): boolean {
    return this.next !== undefined
  }

  private async take(): Promise<Row[] | undefined> {
    const { done, value } = await this.rows.next()
    return done ? undefined : value
  }

  /** @returns false where there is no room for them */
  private keep(batch: readonly Row[]): boolean {
    if (batch.length === 0) return true
    const { file: name, line } = batch[0]!
    const bytes = this.bytesOf(batch)
    this.bytes += bytes.length
    const inMemory = this.bytes <= IN_MEMORY
    if (!inMemory && !this.putAway(bytes)) return false
    this.pieces.push({ name, line: line - 1, bytes: inMemory ? Buffer.from(bytes) : undefined })
    return true
  }

  /** Rows as lines; where they are as they were read, with all that stands between them. They are overwritten by the next. */
  private bytesOf(batch: readonly Row[]): Buffer {
    const first = batch[0]!.unchanged
    const last = batch.at(-1)!.unchanged
    if (!first || !last || !batch.every((row) => row.unchanged?.block === first.block)) return linesOf(batch)
    const length = last.end - first.begin + 1
    // A buffer of its own for each batch would take several times as long: its pages are fresh.
    if (length > this.buffer.length) this.buffer = Buffer.allocUnsafeSlow(Math.max(length, MOST_BATCHES))
    const { buffer } = this
    first.block.write(
      {
        bytes: (text) => buffer.latin1Write(text, 0),
        text: (text) => buffer.write(text),
        copy: (from, begin, end) => buffer.set(from.subarray(begin, end)),
      },
      first.begin,
      last.end,
    )
    buffer[length - 1] = NEWLINE
    return buffer.subarray(0, length)
  }

  private putAway(bytes: Buffer): boolean {
    try {
      if (!this.spool) {
        this.spool = new Spool()
        this.limit = Math.min(this.limit, this.spool.free * OF_FREE)
      }
      if (this.bytes > this.limit) return false
      this.spool.add(bytes)
      return true
    } catch {
      return false
    }
  }

  private lose(): void {
    this.lost = true
    this.pieces.length = 0
    this.close()
  }

  close(): void {
    this.spool?.close()
    this.spool = undefined
  }

  /**
   * The same rows, and those that an early end of the first pass left; bad ones are not reported again.
   * @param why begins the message where there is no second reading
   * @param judged see ReadOptions
   * @throws Fatal (data) where not all of a pipe could be kept
   */
  second(why: string, judged = false): Rows {
    if (this.lost)
      throw contradiction(
        `${why}, and to leave them out the input is read twice: name its file in place of a pipe, or make room for temporary files (TMPDIR)`,
      )
    const again = readRows(this.inFiles ? this.context.sources : this.kept(), {
      badRows: this.badRows,
      stage: this.context.stage,
      signal: this.context.stop,
      onBadRow: () => {},
      maskReplies: judged,
    })
    return this.next ? this.andRest(again) : again
  }

  private async *andRest(again: Rows): Rows {
    try {
      yield* again
      this.lose()
      this.isNew = true
      for (let batch = this.next; batch; batch = await this.take()) yield batch
    } finally {
      this.next = undefined
      await this.rows.return?.()
    }
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
