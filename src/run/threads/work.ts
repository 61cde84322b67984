/** A thread: runs the filter's stage over ranges of the input. */
import { fileSource } from '../../files/files.ts'
import type { FilterSpec } from '../../options/option.ts'
import { fileChunks, hasLineEnd, type LinePlace, lineBegin, linesAmong } from '../../rows/chunks.ts'
import { type BadRowPolicy, type Rows, readRows, type Source } from '../../rows/reader.ts'
import { EXIT, Fatal, type StageName } from '../../rows/record.ts'
import type { Latin1, Row } from '../../rows/row.ts'
import { type Context, type LoadStage, type Split, type Stage, writeOrFail } from '../../rows/stage.ts'
import { OutputBuffer } from '../../rows/writer.ts'
import { REPEATS, RowCounts, type MessagePlace as Where } from '../messages.ts'
import {
  type ByteRange,
  LINES,
  type MainPort,
  type OutputPiece,
  type PieceReport,
  type ThreadSetup,
} from './protocol.ts'

/** A byte order mark, as Latin-1. */
const BOM = /^\xef\xbb\xbf/
/** Bytes of a piece of output, and those that may wait to be written before the thread pauses. */
const PIECE = 256 * 1024
const WAITING = 2 * 1024 * 1024

/** Processes the ranges that arrive at a port, until the thread is ended or the signal aborts. */
export async function work(
  spec: FilterSpec,
  load: LoadStage,
  setting: ThreadSetup,
  port: MainPort,
  stop: AbortSignal = new AbortController().signal,
): Promise<void> {
  const thread = new Thread(spec, setting, port, stop)
  try {
    const stage = await load()
    port.postMessage('ready', [])
    await thread.go(stage)
  } catch {
    // The main thread processes the rest of the input and reports the error.
    port.postMessage('stuck', [])
  }
}

/** Thrown if a row depends on earlier ones, or if something ends the run. */
const stuck = () => new Fatal(EXIT.bug, 'not for a thread')

class Thread {
  private readonly stage: StageName
  private readonly transient: boolean
  private readonly maskReplies: boolean
  private readonly setting: ThreadSetup
  private readonly port: MainPort
  private readonly ranges: ByteRange[] = []
  private readonly output = new OutputBuffer(2 * PIECE)
  private readonly recorder: Recorder
  /** Buffers that can be reused. */
  private readonly spare: Buffer[] = []
  /** Bytes that were handed over and not yet written. */
  private unwritten = 0
  private inParts = false
  private wake = () => {}
  private readonly stop: AbortSignal

  constructor(spec: FilterSpec, setting: ThreadSetup, port: MainPort, stop: AbortSignal) {
    this.stage = spec.name.slice('jb-'.length) as StageName
    this.transient = spec.transient?.(setting.options) === true
    this.maskReplies = spec.maskReplies === true
    this.setting = setting
    this.port = port
    this.stop = stop
    this.recorder = new Recorder()
    port.on('message', (order) => {
      if ('range' in order) this.ranges.push(order.range)
      else {
        this.unwritten -= order.written
        this.spare.push(Buffer.from(order.buffer))
      }
      this.wake()
    })
  }

  async go(stage: Stage<unknown>): Promise<void> {
    const { options } = this.setting
    if (stage.split) return this.parts(await stage.split.part(options, this.context()))
    for await (const batch of stage(this.rows(), options, this.context())) {
      if (typeof batch === 'string') throw stuck()
      for (const row of batch) this.write(row)
    }
  }

  private write(row: Row): void {
    writeOrFail(row, this.stage, this.output)
    this.recorder.count(row)
    if (row.failure && this.setting.options.strict) throw stuck()
  }

  /** Processes ranges of a stage with Stage.split. */
  private async parts(part: Awaited<ReturnType<Split<unknown>['part']>>): Promise<void> {
    this.inParts = true
    for (;;) {
      const range = await this.range()
      const reading = this.read(range)
      const path = fileSource(this.setting.files[range.file]!).path!
      const value = await part(reading.rows, (numbers) => {
        const lines = numbers.map((number) => number % LINES)
        return linesAmong(path, reading.places, lines).map((text, i) => ({
          text: text.latin1Slice(0, text.length).replace(BOM, '') as Latin1,
          line: lines[i]!,
        }))
      })
      this.recorder.settle()
      await this.handOver({ ...reading.place(), end: true, value })
    }
  }

  /** The rows of one range after the other. */
  private async *rows(): Rows {
    for (;;) {
      const { rows, place } = this.read(await this.range())
      let done: LinePlace | undefined
      for await (const batch of rows) {
        if (done && this.output.size >= PIECE) await this.handOver({ ...done, end: false })
        yield batch
        // The stage asks for the next batch, so it has yielded its output for this one.
        done = place()
        this.recorder.settle()
      }
      this.recorder.settle()
      await this.handOver({ ...place(), end: true })
    }
  }

  private async range(): Promise<ByteRange> {
    while (this.ranges.length === 0) await this.woken()
    return this.ranges.shift()!
  }

  /** The rows of a range, the place up to which they were read, and the places after each chunk, from the first line on. */
  private read(range: ByteRange): { rows: Rows; places: LinePlace[]; place(): LinePlace } {
    const { source, begin } = this.sourceOf(range)
    let at = begin
    let place = { at: range.from, lines: 0 }
    const places: LinePlace[] = [{ at, lines: 0 }]
    const rows = readRows(source ? [source] : [], {
      badRows: this.setting.options.badRows as BadRowPolicy,
      stage: this.stage,
      signal: this.stop,
      transient: this.transient,
      maskReplies: this.maskReplies,
      onBadRow: this.badRow,
      onChunk: (bytes, line) => {
        at += bytes
        const lines = line - source!.line!
        place = { at: Math.max(range.from, at), lines }
        if (this.inParts) places.push({ at, lines })
      },
    })
    return { rows, places, place: () => place }
  }

  /** A source of the lines that end in a range, and where the first of them begins; no source if no line ends in it. */
  private sourceOf({ file, from, to }: ByteRange): { source?: Source; begin: number } {
    const named = fileSource(this.setting.files[file]!)
    const path = named.path!
    if (to !== undefined && !hasLineEnd(path, from, to)) return { begin: from }
    const begin = lineBegin(path, from)
    return { source: filePart(named, begin, to, begin === 0 ? 0 : LINES), begin }
  }

  private async handOver(done: Omit<OutputPiece, 'bytes' | 'report'>): Promise<void> {
    const bytes = this.output.take(this.spare.pop() ?? Buffer.allocUnsafeSlow(2 * PIECE))
    this.unwritten += bytes.length
    const report = this.recorder.take()
    this.port.postMessage({ ...done, bytes, report }, [bytes.buffer as ArrayBuffer])
    while (this.unwritten > WAITING) await this.woken()
  }

  private woken(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve
    })
  }

  private readonly badRow = (message: string, file: string, line?: number) => {
    const { badRows } = this.setting.options
    if (badRows === 'stop') throw stuck()
    if (badRows === 'pass') return
    this.recorder.failed('bad_row')
    this.recorder.note(message, { file, kind: 'bad_row', ...(line !== undefined && { line }) })
  }

  private context(): Context {
    const { positional, files, terminal } = this.setting
    return {
      stage: this.stage,
      positional,
      terminal,
      sources: files.map(fileSource),
      env: process.env,
      stop: this.stop,
      cut: () => false,
      note: (words, place) => this.recorder.note(words, place),
      badRow: this.badRow,
      alone() {
        throw stuck()
      },
      rows() {
        throw stuck()
      },
      finish() {
        throw stuck()
      },
      ended() {},
      summary() {},
      progress() {},
    }
  }
}

/**
 * A part of a file as a source.
 * @param from where a line begins
 * @param to the end of the part; undefined: that of the file
 * @param line the number of lines before it
 */
export function filePart(file: Source, from: number, to: number | undefined, line: number): Source {
  const chunks: Source['chunks'] = (_, space) => fileChunks(file.path!, true, space, { from, to })
  return { ...file, chunks, line, goesOn: to !== undefined }
}

/** Counts rows and collects messages about them. */
class Recorder extends RowCounts {
  private notes: PieceReport['notes'] = []
  /** Notes by kind: on rows, since the last piece; on the run, in all. */
  private readonly kinds = new Map<string, number>()
  private readonly times = new Map<string, number>()
  /** The report of the rows whose output is complete. */
  private settled = nothingSaid()

  note(words: string, { file, line, kind = words }: Where = {}): void {
    const counts = file === undefined ? this.times : this.kinds
    const time = (counts.get(kind) ?? 0) + 1
    counts.set(kind, time)
    if (time > REPEATS) return
    this.notes.push({ words, file, line: line === undefined ? undefined : line % LINES, kind, time })
  }

  /** The output of all rows so far is complete. */
  settle(): void {
    const { settled } = this
    settled.rows += this.rows
    settled.failedBefore += this.failedBefore
    settled.failures.push(...this.failures)
    settled.notes.push(...this.notes)
    this.rows = 0
    this.failedBefore = 0
    this.failures.clear()
    this.notes = []
  }

  /** Returns the report and begins a new one. */
  take(): PieceReport {
    const { settled } = this
    this.settled = nothingSaid()
    this.kinds.clear()
    return settled
  }
}

const nothingSaid = (): PieceReport => ({ rows: 0, failedBefore: 0, failures: [], notes: [] })
