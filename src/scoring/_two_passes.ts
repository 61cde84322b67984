/**
 * Reads the rows a second time, if what an item counts as is known only when all of its rows are read: from their files,
 * or for a pipe from a copy in a temporary file.
 */
import { statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { Spool } from '../files/spool.ts'
import type { BadRowPolicy } from '../rows/lines.ts'
import { type Rows, readRows, type Source } from '../rows/reader.ts'
import { EXIT, Fatal } from '../rows/record.ts'
import { encode, type Latin1, type Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'

/** The share of the free disk space that the copy may take. */
const OF_FREE = 1 / 4
/** Bytes that are kept of rows from a program (not from files or stdin): each row has to be written for it. */
const OF_PROGRAM = 16 * 1024 * 1024

/** The place of a piece's rows. */
interface Place {
  name: string
  /** Lines before it. */
  line: number
}

export class TwoPasses {
  private readonly rows: AsyncIterator<Row[]>
  private readonly badRows: BadRowPolicy
  private readonly context: Context
  /** Whether the rows are in files, which can be read again. */
  private readonly inFiles: boolean
  /** Of each piece in the spool. */
  private readonly places: Place[] = []
  private spool: Spool | undefined
  private readonly limit: number
  /** Whether some of what was read cannot be read again. */
  private lost = false
  /** The batch for which there was no room when the first pass ended early. */
  private next: Row[] | undefined
  /** Whether the second pass has reached rows that the first did not read. */
  isNew = false

  /** @param options those of the filter, --bad-rows among them */
  constructor(rows: Rows, options: object, context: Context) {
    this.rows = rows[Symbol.asyncIterator]()
    this.badRows = (options as { badRows?: BadRowPolicy }).badRows ?? 'stop'
    this.context = context
    const { sources } = context
    this.inFiles =
      sources.length > 0 &&
      sources.every(({ path, rereads }) => rereads ?? (path !== undefined && isFile(path)))
    this.limit = sources.length > 0 ? Number.POSITIVE_INFINITY : OF_PROGRAM
  }

  /**
   * The rows as they come.
   * @param early whether to end when no more can be kept: see {@link endedEarly}
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

  /** Whether the first pass ended early: the second continues. */
  get endedEarly(): boolean {
    return this.next !== undefined
  }

  private async take(): Promise<Row[] | undefined> {
    const { done, value } = await this.rows.next()
    return done ? undefined : value
  }

  /** @returns false if there is no room for them */
  private keep(batch: readonly Row[]): boolean {
    if (batch.length === 0) return true
    const { file: name, line } = batch[0]!
    const bytes = linesOf(batch)
    const spool = (this.spool ??= new Spool())
    if (spool.size + bytes.length > Math.min(this.limit, spool.free * OF_FREE)) return false
    try {
      spool.add(bytes)
    } catch {
      return false
    }
    this.places.push({ name, line: line - 1 })
    return true
  }

  private lose(): void {
    this.lost = true
    this.places.length = 0
    this.close()
  }

  close(): void {
    this.spool?.close()
    this.spool = undefined
  }

  /**
   * The same rows, and those that an early end of the first pass left; bad ones are not reported again.
   * @param why begins the message if the rows cannot be read again
   * @throws Fatal (data) if not all of a pipe could be kept
   */
  second(why: string): Rows {
    if (this.lost)
      throw contradiction(
        `${why}, and to leave them out the input is read twice: name its file in place of a pipe, or make room for temporary files (TMPDIR)`,
      )
    const again = readRows(this.inFiles ? this.context.sources : this.kept(), {
      badRows: this.badRows,
      stage: this.context.stage,
      signal: this.context.stop,
      onBadRow: () => {},
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
    const { places, spool } = this
    return places.map((place, i) => {
      async function* chunks() {
        yield spool!.read(i)
      }
      return { ...place, open: () => Readable.from(chunks()), chunks }
    })
  }
}

/** Rows as lines, with an empty line for each that was left out between them, so that line numbers stay the same. */
function linesOf(batch: readonly Row[]): Latin1 {
  const parts: string[] = []
  let last = batch[0]!.line - 1
  for (const row of batch) {
    parts.push('\n'.repeat(Math.max(0, row.line - last - 1)))
    last = row.line
    row.write({ bytes: (text) => parts.push(text), text: (text) => parts.push(encode(text)) })
  }
  return parts.join('') as Latin1
}

/** The error for rows that contradict each other and cannot be left out. */
export const contradiction = (why: string) =>
  new Fatal(
    EXIT.data,
    `${why} (two runs in one input? jb-render --name tells them apart, --combine takes all replies)`,
  )

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true
