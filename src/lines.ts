/**
 * Bytes to rows.
 *
 * Lines are cut at `\n` alone (U+2028 is data), so a row is a view of the bytes read, and rows travel in
 * batches of what one read brought: a batch costs nothing, an async step a row costs a quarter.
 */
import { isAscii, isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { BadRow } from './jb_place.ts'
import type { StageName } from './record.ts'
import { RowFailure } from './record.ts'
import { Row } from './row.ts'

/** Batches of rows: what a stage reads and what it yields. */
export type Rows = AsyncIterable<Row[]>

/** A file operand or stdin. */
export interface Source {
  /** As messages name it; stdin is `(stdin)`. */
  name: string
  /** Undefined for stdin. */
  path?: string
  /** @param passing a chunk is used up at once: its bytes may be overwritten by the next */
  open(passing?: boolean): Readable
}

export type BadRowPolicy = 'stop' | 'skip' | 'pass'

export interface ReadOptions {
  badRows: BadRowPolicy
  stage: StageName
  /** Told of every bad row; the words name no place. */
  onBadRow(message: string, file: string, line: number): void
  onBytes?(count: number): void
  /** Aborted: no more is read. */
  signal: AbortSignal
}

const NEWLINE = 0x0a
const RETURN = 0x0d
/** A byte order mark, a character a byte. */
const BOM = '\xef\xbb\xbf'

/**
 * The rows of some sources, in batches of what one read brought. Blank lines are skipped, a BOM and
 * carriage returns accepted, a last line without its newline is read.
 * With `badRows: 'stop'` the first bad row ends the stream behind the rows before it.
 */
export async function* readRows(sources: Source[], options: ReadOptions): AsyncGenerator<Row[]> {
  for (const source of sources) {
    const cutter = new Cutter(source.name, options)
    const stream = source.open(true)
    const close = () => stream.destroy()
    options.signal.addEventListener('abort', close)
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        options.onBytes?.(chunk.length)
        const rows = cutter.take(chunk)
        if (rows.length > 0) yield rows
        if (cutter.stopped || options.signal.aborted) return
      }
      const rows = cutter.end()
      if (rows.length > 0) yield rows
      if (cutter.stopped) return
    } catch (error) {
      if (!options.signal.aborted) throw error
    } finally {
      options.signal.removeEventListener('abort', close)
      stream.destroy()
    }
    if (options.signal.aborted) return
  }
}

/** Cuts one source's chunks into rows. */
class Cutter {
  /** Set when a bad row ends the run. */
  stopped = false
  private readonly file: string
  private readonly options: ReadOptions
  private number = 0
  /** Pieces of a line that has not ended yet. */
  private carry: Buffer[] = []
  private rows: Row[] = []

  constructor(file: string, options: ReadOptions) {
    this.file = file
    this.options = options
  }

  take(chunk: Buffer): Row[] {
    this.rows = []
    let start = 0
    if (this.carry.length > 0) {
      const end = chunk.indexOf(NEWLINE)
      if (end >= 0) {
        this.carry.push(chunk.subarray(0, end))
        start = end + 1
        this.line(...this.joined())
      }
    }
    const last = chunk.lastIndexOf(NEWLINE)
    if (last >= start && !this.stopped) this.lines(chunk.subarray(start, last + 1))
    if (last + 1 < chunk.length) this.carry.push(Buffer.from(chunk.subarray(last + 1)))
    return this.rows
  }

  /** The last line, where it has no line end. */
  end(): Row[] {
    this.rows = []
    if (this.carry.length > 0) this.line(...this.joined())
    return this.rows
  }

  private joined(): [line: string, plain: boolean, checked: boolean] {
    const bytes = this.carry.length === 1 ? this.carry[0]! : Buffer.concat(this.carry)
    this.carry = []
    return [bytes.latin1Slice(0, bytes.length), isAscii(bytes), isUtf8(bytes)]
  }

  /** Whole lines, each with its line end. */
  private lines(block: Buffer): void {
    const text = block.latin1Slice(0, block.length)
    const plain = isAscii(block)
    const checked = plain || isUtf8(block)
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0 && !this.stopped; end = text.indexOf('\n', start)) {
      this.line(text.slice(start, end), plain, checked, text, start)
      start = end + 1
    }
  }

  /** One line, a character a byte, and where in which text it stands. `plain`: ASCII; `checked`: known to be UTF-8. */
  private line(line: string, plain: boolean, checked: boolean, text = line, base = 0): void {
    this.number++
    if (this.number === 1 && line.startsWith(BOM)) {
      line = line.slice(BOM.length)
      base += BOM.length
    }
    if (line.charCodeAt(line.length - 1) === RETURN) line = line.slice(0, -1)
    if (line === '') return
    try {
      if (!checked) checkUtf8(line)
      this.rows.push(Row.read(line, plain, this.file, this.number, text, base))
    } catch (error) {
      if (!(error instanceof BadRow)) throw error
      if (/^[ \t\r]*$/.test(line)) return
      this.bad(line, (this.number === 1 ? foreignFile(line) : undefined) ?? error.message)
    }
  }

  private bad(line: string, message: string): void {
    const { options, file, number } = this
    options.onBadRow(message, file, number)
    if (options.badRows === 'stop') this.stopped = true
    else if (options.badRows === 'pass') this.rows.push(unreadRow(line, message, file, number, options.stage))
  }
}

/** @throws BadRow that names the first byte that is not UTF-8 */
function checkUtf8(line: string): void {
  const bytes = Buffer.from(line, 'latin1')
  if (isUtf8(bytes)) return
  // Where decoding and encoding again first differs.
  const again = Buffer.from(bytes.toString('utf8'))
  let i = 0
  while (bytes[i] === again[i]) i++
  throw new BadRow(`not valid UTF-8 at byte ${i + 1}`)
}

/** What else a file may be whose first line is no row. */
function foreignFile(line: string): string | undefined {
  if (line.startsWith('\x1f\x8b'))
    return 'the input is gzip-compressed: name the file with .gz, or zcat it first'
  if (line.startsWith('\xff\xfe') || line.startsWith('\xfe\xff'))
    return 'the input is UTF-16: convert it with iconv -t UTF-8'
  if (line.startsWith('PAR1')) return 'the input is a Parquet file: read it with jb-read parquet'
  return undefined
}

/** A failed row that holds a line which is no row, given with one character a byte. */
export function unreadRow(
  line: string,
  message: string,
  file: string,
  number: number,
  stage: StageName,
): Row {
  const bytes = Buffer.from(line, 'latin1')
  const row = Row.make({}, file, number).fail(stage, new RowFailure('bad_row', message))
  return isUtf8(bytes)
    ? row.set('raw', bytes.toString('utf8'))
    : row.set('raw_base64', bytes.toString('base64'))
}
