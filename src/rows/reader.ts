/** Sources to rows. */
import { isUtf8 } from 'node:buffer'
import { type Bytes, stoppable } from './chunks.ts'
import { BadRow } from './errors.ts'
import type { StageName } from './record.ts'
import { Row } from './row.ts'
import { checkUtf8, foreignFile, unreadRow } from './unreadable.ts'

/** Batches of rows: what a stage reads and what it yields. The rows of one read are one batch. */
export type Rows = AsyncIterable<Row[]>

/** What becomes of a bad row: the run ends, it is left out, or it goes on as a failed row. */
export type BadRowPolicy = 'stop' | 'skip' | 'pass'

/** A file operand or stdin. */
export interface Source {
  /** Its name in messages; stdin is `(stdin)`. */
  name: string
  /** NAME of an operand NAME=FILE. */
  label?: string
  /** Undefined for stdin. */
  path?: string
  /** The number of lines before it, for messages. @internal */
  line?: number
  open(): Bytes
}

export interface ReadOptions {
  badRows: BadRowPolicy
  stage: StageName
  /** Called for each bad row; the message does not name its place. */
  onBadRow(message: string, file: string, line: number): void
  /** Called with the size of each chunk. */
  onChunk?(bytes: number): void
  /** Called with the first row of each source, unless it is a bad one. */
  onFirst?(row: Row): void
  /** Called when everything is read. */
  onEnd?(): Promise<void>
  /** Stops reading when aborted. */
  signal: AbortSignal
}

/** The rows of some sources, one after the other. With `badRows: 'stop'` the first bad row ends them. */
class Reader implements Rows {
  private readonly sources: readonly Source[]
  private readonly options: ReadOptions

  constructor(sources: readonly Source[], options: ReadOptions) {
    this.sources = sources
    this.options = options
  }

  /** The same rows; a function is called with the first one of each source. */
  seen(onFirst: (row: Row) => void): Rows {
    const before = this.options.onFirst
    const both = (row: Row) => {
      before?.(row)
      onFirst(row)
    }
    return new Reader(this.sources, { ...this.options, onFirst: both })
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Row[]> {
    const { signal, onChunk, onEnd } = this.options
    for (const source of this.sources) {
      const lines = new Lines(source.name, this.options, source.line)
      try {
        for await (const chunk of stoppable(source.open(), signal)) {
          onChunk?.(chunk.length)
          yield* lines.take(chunk)
          if (lines.stopped || signal.aborted) break
        }
      } catch (error) {
        if (!signal.aborted) throw error
      }
      if (!lines.stopped && !signal.aborted) yield* lines.finish()
      if (lines.stopped || signal.aborted) break
    }
    await onEnd?.()
  }
}

export const readRows = (sources: readonly Source[], options: ReadOptions): Rows =>
  new Reader(sources, options)

const NEWLINE = 0x0a
const RETURN = 0x0d
const OPEN = 0x7b
const BOM = Buffer.from('\ufeff')
const BLANK = /^[ \t\r]*$/

/** Bytes that a row may have: a little less than V8's longest string. */
const LONGEST = 500 * 1024 * 1024
/** Bytes of a longer one that --bad-rows pass passes on. */
const SHOWN = 1024

/** The lines of one source. Only `\n` ends a line (U+2028 is data). */
class Lines {
  /** A bad row ended the run. */
  stopped = false
  private readonly file: string
  private readonly options: ReadOptions
  /** The number of the current line. */
  private line: number
  /** A line whose end was not read yet: its pieces, and their bytes. */
  private begun: Uint8Array[] = []
  private length = 0
  /** A line is too long: its first bytes are all that is kept. */
  private isTooLong = false
  private first = true
  private batch: Row[] = []

  constructor(file: string, options: ReadOptions, line = 0) {
    this.file = file
    this.options = options
    this.line = line
  }

  /** The rows that more bytes complete, in batches: a bad row is told of after the rows before it were taken, which may be enough (--limit). */
  *take(chunk: Uint8Array): Generator<Row[]> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    const complete = bytes.lastIndexOf(NEWLINE) + 1
    // One check for all of them takes less time than one for each.
    const valid = isUtf8(bytes.subarray(bytes.indexOf(NEWLINE) + 1, complete))
    for (let at = 0; at < complete; ) {
      const end = bytes.indexOf(NEWLINE, at)
      if (this.length > 0) yield* this.add(this.whole(bytes.subarray(at, end)), false)
      else yield* this.add(bytes.subarray(at, end), valid && at > 0)
      if (this.stopped) return
      at = end + 1
    }
    if (complete < bytes.length) this.begin(bytes.subarray(complete))
    if (this.batch.length > 0) yield this.taken()
  }

  /** The last row, which has no line end. */
  *finish(): Generator<Row[]> {
    if (this.length > 0) yield* this.add(this.whole(Buffer.alloc(0)), false)
    if (this.batch.length > 0) yield this.taken()
  }

  /** Copies the first bytes of a line. */
  private begin(bytes: Uint8Array): void {
    this.length += bytes.length
    this.isTooLong ||= this.length > LONGEST
    if (!this.isTooLong || this.begun.length === 0) this.begun.push(Buffer.from(bytes))
    else this.begun = [Buffer.concat(this.begun).subarray(0, SHOWN)]
  }

  /** The bytes of a line that ends with these. */
  private whole(last: Uint8Array): Buffer {
    const bytes = this.isTooLong ? this.begun[0]! : Buffer.concat([...this.begun, last])
    this.begun = []
    this.length = 0
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  private taken(): Row[] {
    const { batch } = this
    this.batch = []
    return batch
  }

  /** Adds the row of a line to the batch. @param valid the bytes are known to be UTF-8 */
  private *add(bytes: Buffer, valid: boolean): Generator<Row[]> {
    this.line++
    const begin = this.line === 1 && BOM.equals(bytes.subarray(0, BOM.length)) ? BOM.length : 0
    const line = bytes.subarray(begin, bytes[bytes.length - 1] === RETURN ? bytes.length - 1 : undefined)
    try {
      const row = this.read(line, valid)
      if (row) this.batch.push(row)
    } catch (error) {
      if (!(error instanceof BadRow)) throw error
      if (this.batch.length > 0) yield this.taken()
      this.tell(error, line)
    }
  }

  /** The row of a line; undefined if it is blank. @throws BadRow */
  private read(bytes: Buffer, valid: boolean): Row | undefined {
    if (this.isTooLong) {
      this.isTooLong = false
      throw new BadRow(`too long: a row may have ${LONGEST} bytes`)
    }
    if (!valid) checkUtf8(bytes)
    const text = bytes.toString()
    if (text.charCodeAt(0) !== OPEN && BLANK.test(text)) return undefined
    const row = Row.read(text, this.file, this.line)
    if (this.first) {
      this.first = false
      this.options.onFirst?.(row)
    }
    return row
  }

  /** Tells of a bad row, and does with it what --bad-rows says. */
  private tell(bad: BadRow, bytes: Buffer): void {
    const { options, file, line } = this
    const message = (line === 1 ? foreignFile(bytes.toString('latin1')) : undefined) ?? bad.message
    options.onBadRow(message, file, line)
    if (options.badRows === 'stop') this.stopped = true
    if (options.badRows === 'pass') this.batch.push(unreadRow(bytes, message, file, line, options.stage))
  }
}

/** The same rows; a function is called with the first one, before it is used. */
export function seenFirst(rows: Rows, onFirst: (row: Row) => void): Rows {
  return rows instanceof Reader ? rows.seen(onFirst) : withFirst(rows, onFirst)
}

async function* withFirst(rows: Rows, onFirst: (row: Row) => void): Rows {
  let first = true
  for await (const batch of rows) {
    if (first && batch[0]) onFirst(batch[0])
    first &&= batch.length === 0
    yield batch
  }
}
