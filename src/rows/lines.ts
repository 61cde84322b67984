/**
 * The lines of one source, one after the other, without an object for each: a stage that only adds up reads values where
 * they stand. Only `\n` ends a line (U+2028 is data).
 *
 * `jb` is found by its key, and trusted where it ends the line, as a filter writes it: what stands before it is not read.
 * Any other row is checked whole.
 */
import { isUtf8 } from 'node:buffer'
import { type Parts, parsedJb, unreadJb, wholeRow } from './check.ts'
import { BadRow } from './errors.ts'
import { type Held, Line } from './line.ts'
import { type Plan, scan } from './plan.ts'
import type { StageName } from './record.ts'
import { Row } from './row.ts'
import { beforeSpace, CLOSE, COMMA, OPEN, pastSpace } from './scan.ts'
import { checkUtf8, foreignFile, unreadRow } from './unreadable.ts'

export type BadRowPolicy = 'stop' | 'skip' | 'pass'

export interface LineOptions {
  badRows: BadRowPolicy
  stage: StageName
  /** Called for each bad row; the message does not name its place. */
  onBadRow(message: string, file: string, line: number): void
  /** No row is used after the next batch is requested: its bytes are overwritten. */
  transient?: boolean
}

const NEWLINE = 0x0a
const RETURN = 0x0d
const BOM = Buffer.from('\ufeff')
const JB_KEY = Buffer.from('"jb":')
const NO_PARTS: Parts = { jbBegin: -1, jbAt: -1, jbEnd: -1 }

/** Bytes that are read at once: into memory that is used again, or that rows keep. */
const READ = { again: 256 * 1024, kept: 64 * 1024 }
/** Bytes that a row may have: a little less than V8's longest string. */
const LONGEST = 500 * 1024 * 1024
/** Bytes of a longer one that --bad-rows pass passes on. */
const SHOWN = 1024

/** The lines of one source. @internal */
export class Lines {
  file: string
  /** The current line: its number, its bytes, where it begins and ends, and where `jb`'s object begins (-1: there is none). */
  line: number
  bytes: Buffer
  begin = 0
  end = 0
  jb = -1
  /** Where the user's part ends: at a `jb` that ends the line, else with the line. */
  userEnd = 0
  /** Called with the first row, unless it is a bad one. */
  onFirst: ((row: Row) => void) | undefined
  /** A bad row ended the run. */
  stopped = false
  private readonly options: LineOptions
  private readonly plan: Plan | undefined
  /** Bytes are overwritten by the next ones. */
  private readonly again: boolean
  private readonly read: number
  private buffer: Buffer
  private held: Held
  /** Bytes in the buffer; where the next line begins; where the last complete line ends. */
  private length = 0
  private at = 0
  private whole = 0
  /** Whether the complete lines are UTF-8. */
  private valid = true
  /** Bytes of a line that is too long, which are not kept. */
  private lost = 0
  /** Where the next key `jb` stands. */
  private key = -1
  private parts: Parts = NO_PARTS
  /** The current line as a row, once it was asked for; stands for a bad row (`--bad-rows pass`). */
  private made: Row | undefined
  private bad: BadRow | undefined

  /** @param plan is scanned for each line; without one, rows are made */
  constructor(file: string, options: LineOptions, plan?: Plan, line = 0) {
    this.file = file
    this.line = line
    this.options = options
    this.plan = plan
    this.again = plan !== undefined || options.transient === true
    this.read = this.again ? READ.again : READ.kept
    this.buffer = this.bytes = Buffer.allocUnsafeSlow(2 * this.read)
    // Changed once at the start: V8 compiles for a value that never changes as if it never would, and later again.
    this.held = { bytes: undefined }
    this.held.bytes = this.buffer
  }

  /** Room for more bytes, which {@link take} then need not copy. Rows made so far are given up. */
  space(): Buffer {
    this.drop(this.read)
    return this.buffer.subarray(this.length, this.length + this.read)
  }

  /** Takes more bytes of the source. Afterwards there are lines for {@link next} or {@link rows}. */
  take(chunk: Uint8Array): void {
    if (chunk.buffer !== this.buffer.buffer) {
      this.drop(chunk.length)
      this.buffer.set(chunk, this.length)
    }
    const begin = this.length
    this.length += chunk.length
    const last = this.buffer.subarray(begin, this.length).lastIndexOf(NEWLINE)
    if (last >= 0) this.complete(begin + last + 1)
    else if (this.lost > 0 || this.length > LONGEST) {
      this.lost += this.length - SHOWN
      this.length = SHOWN
    }
  }

  /** Completes the last line, which has no line end. */
  finish(): void {
    if (this.length > this.at) this.take(Buffer.of(NEWLINE))
  }

  /** Removes what was read, and makes room for so many bytes. */
  private drop(room: number): void {
    const { buffer, at, length } = this
    const rest = length - at
    const fits = rest + room <= buffer.length
    if (at === 0 && fits && this.whole === 0) return
    if (!fits || !this.again) {
      this.buffer = Buffer.allocUnsafeSlow(fits ? buffer.length : Math.max(2 * buffer.length, rest + room))
      buffer.copy(this.buffer, 0, at, length)
    } else buffer.copyWithin(0, at, length)
    if (this.again) this.held.bytes = undefined
    this.held = { bytes: this.buffer }
    this.length = rest
    this.at = this.whole = 0
  }

  private complete(end: number): void {
    this.whole = end
    this.valid = isUtf8(this.buffer.subarray(this.at, end))
    this.key = -1
  }

  /** Goes to the next line that is a row, and scans it. @returns false: more bytes are needed, or a bad row ends the run */
  next(): boolean {
    while (this.step()) {
      if (!this.bad) return true
      this.tell(this.bad)
      if (this.stopped) return false
      if (this.options.badRows === 'pass') return true
    }
    return false
  }

  /** Batches of rows: bad rows are told of after the rows before them were taken, which may be enough (--limit). */
  *rows(): Generator<Row[]> {
    let batch: Row[] = []
    while (this.step()) {
      if (this.bad) {
        if (batch.length > 0) yield batch
        batch = []
        this.tell(this.bad)
        if (this.stopped) return
        if (this.options.badRows !== 'pass') continue
      }
      batch.push(this.row())
    }
    if (batch.length > 0) yield batch
  }

  /** The current line as a row. It can be read until more bytes are taken. */
  row(): Row {
    const { parts, plan, bytes } = this
    // A plan's scan parses nothing, and checks nothing of what it skips.
    if (plan && this.jb >= 0)
      parts.jb ??= parsedJb(bytes, this.jb, parts.jbEnd) ?? unreadJb(bytes, this.jb, this.end)
    this.made ??= new Row(new Line(this.held, this.begin, this.end, parts), this.file, this.line)
    return this.made
  }

  /** Goes to the next line that is not blank; `bad` says why it is no row. */
  private step(): boolean {
    this.made = undefined
    this.bytes = this.buffer
    while (this.at < this.whole) {
      this.begin = this.at
      this.end = this.buffer.indexOf(NEWLINE, this.at)
      this.at = this.end + 1
      this.line++
      if (this.end > this.begin && this.buffer[this.end - 1] === RETURN) this.end--
      if (this.line === 1 && BOM.equals(this.buffer.subarray(0, BOM.length))) this.begin += BOM.length
      if (this.begin === this.end) continue
      this.bad = this.isTrusted() ? undefined : this.check()
      if (this.onFirst && !this.bad) this.first()
      if (!this.bad || pastSpace(this.buffer, this.begin) < this.end) return true
    }
    return false
  }

  private first(): void {
    const { onFirst } = this
    this.onFirst = undefined
    onFirst?.(this.row())
  }

  /** Whether `jb` ends the line, and is understood. */
  private isTrusted(): boolean {
    const { buffer, begin, end } = this
    if (!this.valid || this.lost > 0) return false
    if (this.key < begin) this.key = buffer.indexOf(JB_KEY, begin)
    if (this.key < 0) this.key = Number.MAX_SAFE_INTEGER
    if (this.key >= end) return false
    const first = pastSpace(buffer, begin)
    let before = this.key - 1
    while (before > first && pastSpace(buffer, before) > before) before--
    if (buffer[first] !== OPEN || (before > first && buffer[before] !== COMMA)) return false
    this.userEnd = before > first ? before : end
    const jbAt = pastSpace(buffer, this.key + JB_KEY.length)
    const close = beforeSpace(buffer, end) - 1
    if (buffer[close] !== CLOSE) return false
    const jbEnd = beforeSpace(buffer, close)
    const jb = this.plan ? undefined : parsedJb(buffer, jbAt, jbEnd)
    if (this.plan ? scan(buffer, jbAt, end, this.plan) !== jbEnd : jb === undefined) return false
    this.jb = jbAt
    this.parts = { jbBegin: before > first ? before : this.key, jbAt, jbEnd, jb }
    return true
  }

  /** Checks the whole line. @returns why it is no row */
  private check(): BadRow | undefined {
    const { buffer, begin, end } = this
    try {
      if (this.lost > 0) throw new BadRow(`too long: a row may have ${LONGEST} bytes`)
      if (!this.valid) checkUtf8(buffer.subarray(begin, end))
      this.find(buffer, begin, end)
      return undefined
    } catch (error) {
      if (error instanceof BadRow) return error
      throw error
    } finally {
      this.lost = 0
    }
  }

  /** @throws BadRow */
  private find(bytes: Buffer, begin: number, end: number): void {
    this.parts = wholeRow(bytes, begin, end)
    this.bytes = bytes
    this.begin = begin
    this.end = end
    this.userEnd = end
    this.jb = this.parts.jbAt
    if (this.jb < 0) this.plan?.clear()
    else if (this.plan) scan(bytes, this.jb, end, this.plan)
  }

  /** Tells of a bad row, and does with it what --bad-rows says. */
  private tell(bad: BadRow): void {
    const { options, file, line, buffer, begin, end } = this
    const text = buffer.subarray(begin, end)
    const message = (line === 1 ? foreignFile(text.latin1Slice(0, text.length)) : undefined) ?? bad.message
    options.onBadRow(message, file, line)
    if (options.badRows === 'stop') this.stopped = true
    if (options.badRows !== 'pass') return
    const row = unreadRow(text, message, file, line, options.stage)
    this.made = row
    const bytes = this.plan && bytesOf([row])
    if (bytes) this.find(bytes, 0, bytes.length - 1)
  }
}

/** Rows as lines. */
const bytesOf = (rows: readonly Row[]) =>
  Buffer.from(rows.map((row) => `${row.written()}\n`).join(''), 'latin1')

/** The same of rows that are there already. @internal */
export class RowLines extends Lines {
  private readonly given: readonly Row[]
  private index = -1

  constructor(rows: readonly Row[], plan: Plan) {
    super('', { badRows: 'stop', stage: 'read', onBadRow() {} }, plan)
    this.given = rows
    this.take(bytesOf(rows))
  }

  override next(): boolean {
    if (!super.next()) return false
    const { file, line } = this.given[++this.index]!
    this.file = file
    this.line = line
    return true
  }

  override row(): Row {
    return this.given[this.index]!
  }
}
