/**
 * Bytes to rows.
 *
 * Only `\n` ends a line (U+2028 is data). A row is a view of the bytes that were read. The rows of one read are one
 * batch: an async step for each row would cost a quarter of the time.
 */
import { isUtf8 } from 'node:buffer'
import { Block } from './block.ts'
import { type Bytes, streamChunks } from './chunks.ts'
import { Line } from './line.ts'
import { BadRow } from './line_search.ts'
import { LineIndexer, RECORD, type RecordTable, SHORT_RECORD, STATE } from './measure.ts'
import type { StageName } from './record.ts'
import { type Latin1, Row } from './row.ts'
import { checkUtf8, foreignFile, unreadRow } from './unreadable.ts'

/** Batches of rows: what a stage reads and what it yields. */
export type Rows = AsyncIterable<Row[]>

/** A file operand or stdin. */
export interface Source {
  /** Its name in messages; stdin is `(stdin)`. */
  name: string
  /** NAME of an operand NAME=FILE. */
  label?: string
  /** Undefined for stdin. */
  path?: string
  open(): Bytes
  /** Its bytes without a stream, where possible: each chunk overwrites the one before. `space`: the buffer to use. @internal */
  chunks?(signal: AbortSignal, space?: () => Buffer | undefined): AsyncIterable<Uint8Array>
  /** Stdin that can be read a second time by `chunks`. A file with a path can as well. @internal */
  rereads?: boolean
  /** For a part of a file: the number of lines before it. */
  line?: number
  /** The part ends in the middle of a file: an unfinished line at its end belongs to the next part. */
  goesOn?: boolean
}

export type BadRowPolicy = 'stop' | 'skip' | 'pass'

export interface ReadOptions {
  badRows: BadRowPolicy
  stage: StageName
  /** Called for each bad row; the message does not name its place. */
  onBadRow(message: string, file: string, line: number): void
  /** Called after each chunk with its size and the number of the last complete line. */
  onChunk?(bytes: number, line: number): void
  /** Stops reading when aborted. */
  signal: AbortSignal
  /** No row is used after the next batch is requested: long rows are read from the input buffer, without a copy. */
  transient?: boolean
  /** Rows have verdicts: the request and most of the reply are masked when rows are compared (see SharedJb). */
  maskReplies?: boolean
}

const NEWLINE = 0x0a
const RETURN = 0x0d
/** A byte order mark, as Latin-1. */
const BOM = '\xef\xbb\xbf'
/** Bytes from which rows are long: slicing shorter ones from one string is faster than decoding each. */
const LONG = 2048
/** Bytes of one read of long rows. */
const SPACE = 256 * 1024
/** Bytes that a row may have: a little less than V8's longest string. */
const LONGEST = 500 * 1024 * 1024
/** Bytes of a longer row that --bad-rows pass passes on. */
const SHOWN = 1024
const LINE_END = Buffer.from('\n')

/**
 * The rows of some sources, one batch for each read. Skips blank lines; accepts a BOM, carriage returns, and a last line
 * without a newline.
 * With `badRows: 'stop'` the first bad row ends the stream after the rows before it.
 */
export async function* readRows(sources: Source[], options: ReadOptions): AsyncGenerator<Row[]> {
  for (const source of sources) {
    const cutter = new Cutter(source, options)
    try {
      if (!(yield* cutRows(source, cutter, options))) return
    } catch (error) {
      if (options.signal.aborted) return
      throw error
    } finally {
      cutter.close()
    }
  }
}

/** The rows of one source. @returns whether the next one is to be read */
async function* cutRows(
  source: Source,
  cutter: Cutter,
  { signal, onChunk }: ReadOptions,
): AsyncGenerator<Row[], boolean> {
  for await (const chunk of source.chunks?.(signal, () => cutter.space()) ??
    streamChunks(source.open(), signal)) {
    const rows = cutter.take(Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk))
    onChunk?.(chunk.length, cutter.number)
    yield* cutter.inOrder(rows)
    if (cutter.stopped() || signal.aborted) return false
  }
  if (signal.aborted) return false
  yield* cutter.inOrder(source.goesOn ? [] : cutter.end())
  return !cutter.stopped() && !signal.aborted
}

/** Cuts one source's chunks into rows. */
class Cutter {
  private readonly file: string
  private readonly options: ReadOptions
  /** The number of the last complete line. */
  number: number
  /** Measures lines in its buffer, which keeps an unfinished line. */
  private readonly indexer = LineIndexer.take()
  /** Pieces of an unfinished line that does not fit into it. */
  private long: Buffer[] = []
  /** The size of these pieces; of a line over LONGEST, all bytes read so far. */
  private longBytes = 0
  private rows: Row[] = []
  /** The block of the batch before, if it is a view of the buffer, and the batch's size in the buffer. */
  private view: Block | undefined
  private used = 0
  /** Reports the bad row that ends the run. */
  private stop: (() => void) | undefined
  /** Reports of bad rows, each with the number of rows of the batch before it. */
  private reports: { before: number; report: () => void }[] = []

  constructor({ name, line = 0 }: Source, options: ReadOptions) {
    this.file = name
    this.number = line
    this.options = options
  }

  take(chunk: Buffer): Row[] {
    this.rows = []
    this.drop()
    const { indexer, long } = this
    const end = chunk.lastIndexOf(NEWLINE) + 1
    if (indexer && long.length === 0 && indexer.add(chunk)) {
      if (end > 0) this.lines(indexer, indexer.length - chunk.length + end)
      return this.rows
    }
    if (indexer && indexer.length > 0) {
      this.keep(indexer.first(indexer.length))
      indexer.drop(indexer.length)
    }
    if (this.longBytes + chunk.indexOf(NEWLINE) > LONGEST) return this.tooLong(chunk)
    this.keep(chunk.subarray(0, end || chunk.length))
    if (end > 0) {
      this.long = []
      this.longBytes = 0
      this.longLines(Buffer.concat(long))
      const rest = chunk.subarray(end)
      if (rest.length > 0 && !indexer?.add(rest)) this.keep(rest)
    }
    return this.rows
  }

  private keep(bytes: Buffer): void {
    this.long.push(Buffer.from(bytes))
    this.longBytes += bytes.length
  }

  /** Skips more of a line that is too long, and keeps its first piece for the message. */
  private tooLong(chunk: Buffer): Row[] {
    this.long.length = 1
    const end = chunk.indexOf(NEWLINE) + 1
    this.longBytes += end || chunk.length
    if (end === 0) return this.rows
    this.number++
    const [first] = this.long as [Buffer]
    this.bad(first.latin1Slice(0, SHOWN), `too long: a row may have ${LONGEST} bytes`)
    this.long = []
    this.longBytes = 0
    const { rows } = this
    return this.stop ? rows : rows.concat(this.take(chunk.subarray(end)))
  }

  /** The last line, if it has no line end. */
  end(): Row[] {
    this.drop()
    return this.long.length > 0 || (this.indexer && this.indexer.length > 0) ? this.take(LINE_END) : []
  }

  /** Yields the rows and calls the reports of bad rows, in the order of the lines. */
  *inOrder(rows: Row[]): Generator<Row[]> {
    let from = 0
    for (const { before, report } of this.reports.splice(0)) {
      if (before > from) yield rows.slice(from, before)
      from = before
      report()
    }
    if (rows.length > from) yield from === 0 ? rows : rows.slice(from)
  }

  /** Whether a bad row ends the run. Asked only after the rows before it were taken: with --limit they may be enough. */
  stopped(): boolean {
    this.stop?.()
    return this.stop !== undefined
  }

  close(): void {
    this.drop()
    this.indexer?.release()
  }

  /** For long rows, free space in the input buffer: bytes that are read into it need not be copied. */
  space(): Buffer | undefined {
    if (!this.view?.long) return undefined
    this.drop()
    return this.indexer!.free(SPACE)
  }

  /** Frees the bytes of the batch before. */
  private drop(): void {
    this.view?.end()
    this.view = undefined
    if (this.used > 0) this.indexer!.drop(this.used)
    this.used = 0
  }

  /** Reads the lines in the first `count` bytes of the buffer. */
  private lines(indexer: LineIndexer, count: number): void {
    this.used = count
    const bytes = indexer.first(count)
    if (!isUtf8(bytes)) {
      this.longLines(bytes, false)
      return
    }
    const from = this.number === 0 && bytes.toString('latin1', 0, BOM.length) === BOM ? BOM.length : 0
    const { transient, maskReplies } = this.options
    const tables = indexer.measure(from, count, transient, maskReplies)
    if (transient) this.view = Block.view(bytes, hasLongRows(tables))
    const block = this.view ?? Block.of(bytes.latin1Slice(0, count))
    for (const table of tables) this.table(block, table)
  }

  /** Makes rows of the records in a table. */
  private table(block: Block, { records: table, sharedJbs }: RecordTable): void {
    for (let at = 0; at < table.length && !this.stop; ) {
      this.number++
      const state = table[at + RECORD.state]! & STATE.mask
      if (state === STATE.row) {
        this.rows.push(new Row(Line.measured(block, table, at, sharedJbs), this.file, this.number))
        at += table[at + RECORD.size]!
      } else {
        if (state === STATE.unmeasured)
          this.line(block.slice(table[at + RECORD.begin]!, table[at + RECORD.end]!))
        at += SHORT_RECORD
      }
    }
  }

  /** Reads lines that cannot be measured. @param checked known to be UTF-8 */
  private longLines(block: Buffer, checked = isUtf8(block)): void {
    const text = block.latin1Slice(0, block.length)
    let start = this.number === 0 && text.startsWith(BOM) ? BOM.length : 0
    for (let end = text.indexOf('\n', start); end >= 0 && !this.stop; end = text.indexOf('\n', start)) {
      this.number++
      const last = text.charCodeAt(end - 1) === RETURN ? end - 1 : end
      this.line(text.slice(start, last) as Latin1, checked)
      start = end + 1
    }
  }

  /** Reads one line. @param checked known to be UTF-8 */
  private line(line: Latin1, checked = true): void {
    if (line === '') return
    try {
      if (!checked) checkUtf8(line)
      this.rows.push(Row.read(line, this.file, this.number))
    } catch (error) {
      if (!(error instanceof BadRow)) throw error
      if (/^[ \t\r]*$/.test(line)) return
      this.bad(line, (this.number === 1 ? foreignFile(line) : undefined) ?? error.message)
    }
  }

  private bad(line: string, message: string): void {
    const { options, file, number } = this
    const report = () => options.onBadRow(message, file, number)
    if (options.badRows === 'stop') {
      this.stop = report
      return
    }
    this.reports.push({ before: this.rows.length, report })
    if (options.badRows === 'pass') this.rows.push(unreadRow(line, message, file, number, options.stage))
  }
}

/** Whether the rows are long, judged by the first. */
function hasLongRows([table]: RecordTable[]): boolean {
  const { records } = table!
  return records[RECORD.end]! - records[RECORD.begin]! >= LONG
}
