/** What a run says on stderr: notes, repeats of one kind capped, and one line at its end. */

import { withoutControls } from '../rows/controls.ts'
import type { Row } from '../rows/row.ts'
import { type Host, stderrOf } from './host.ts'
import { CLEAR_LINE, type Progress } from './progress.ts'
import type { PieceReport } from './threads/protocol.ts'

/** Repeats of one kind of message that are printed. */
export const REPEATS = 3

export interface MessagePlace {
  file?: string
  line?: number
  /** Messages of one kind are capped together; else those of the same words. */
  kind?: string
}

/** Rows that are written, counted by how they failed. */
export abstract class RowCounts {
  rows = 0
  protected strict = false
  protected failedBefore = 0
  protected readonly failures = new Map<string, number>()

  abstract note(words: string, place?: MessagePlace): void

  /** Counts a row that is written, and says how it failed where it did. */
  count(row: Row): void {
    this.rows++
    const { failure, file, line } = row
    if (failure) {
      this.failed(failure.code)
      if (!this.strict) this.note(`${failure.code}: ${failure.message}`, { file, line, kind: failure.code })
    } else if (row.has('error')) this.failedBefore++
  }

  failed(code: string, times = 1): void {
    this.failures.set(code, (this.failures.get(code) ?? 0) + times)
  }
}

export class Messages extends RowCounts {
  /** The bar, which gives way to a line. */
  progress: Progress | undefined
  private readonly name: string
  private readonly host: Host
  private quiet = false
  private verbose = false
  /** Notes by kind; of the run, those of this thread. */
  private readonly repeats = new Map<string, number>()
  private readonly spoken = new Map<string, number>()

  constructor(name: string, host: Host) {
    super()
    this.name = name
    this.host = host
  }

  configure({ quiet, strict, verbose }: { quiet: boolean; strict: boolean; verbose: boolean }): void {
    Object.assign(this, { quiet, strict, verbose })
  }

  /** A line, whatever the options say. */
  say(words: string): void {
    this.progress?.clear()
    // On a terminal the bar of another filter of the pipe may stand in this line.
    const stream = stderrOf(this.host)
    stream.write(`${stream.isTTY ? CLEAR_LINE : ''}${this.name}: ${withoutControls(words)}\n`)
  }

  /** A line about a row or the run, unless there were enough of its kind. */
  note(words: string, { file, line, kind = words }: MessagePlace = {}): void {
    if (file === undefined) {
      const time = (this.spoken.get(kind) ?? 0) + 1
      this.spoken.set(kind, time)
      this.once(words, kind, time)
    } else this.print(words, { file, line, kind })
  }

  private print(words: string, { file, line, kind = words }: MessagePlace): void {
    if (this.quiet) return
    const count = (this.repeats.get(kind) ?? 0) + 1
    this.repeats.set(kind, count)
    if (count > REPEATS) return
    this.say(`${file === undefined ? '' : `${file}:${line === undefined ? '' : `${line}:`} `}${words}`)
  }

  /**
   * Counts and says what a thread did, as if it had been said here.
   * @param line how many lines stand before those of its rows
   */
  add({ rows, failedBefore, failures, notes }: PieceReport, line: number): void {
    this.rows += rows
    this.failedBefore += failedBefore
    for (const [code, times] of failures) this.failed(code, times)
    for (const { words, file, kind, ...note } of notes) {
      // Each thread begins with what is to be said of the run: all of them say the same.
      if (file === undefined) this.once(words, kind, note.time ?? 1)
      else this.note(words, { file, kind, ...(note.line !== undefined && { line: line + note.line }) })
    }
  }

  /** A note on the run that a thread says for the `time`th time; unprinted where another has said it as often. */
  private once(words: string, kind: string, time: number): void {
    if (time > (this.repeats.get(kind) ?? 0)) this.print(words, { kind })
  }

  /** Whether anything of that would be printed. */
  wouldSay({ notes }: PieceReport): boolean {
    return !this.quiet && notes.some(({ kind }) => (this.repeats.get(kind) ?? 0) < REPEATS)
  }

  /** How many rows there were and how many failed of which code; and `words` of the stage itself. */
  summarise(words: string | undefined): void {
    if (this.quiet || (this.failures.size === 0 && !words && !this.verbose)) return
    // A stage that writes a report has words of its own for what it did.
    const parts = this.rows > 0 || !words ? [`${this.rows} row${this.rows === 1 ? '' : 's'}`] : []
    const codes = [...this.failures]
    const total = codes.reduce((sum, [, count]) => sum + count, 0)
    if (total > 0) parts.push(`${total} failed here (${codes.map((entry) => entry.join(' ')).join(', ')})`)
    if (this.failedBefore > 0) parts.push(`${this.failedBefore} failed before`)
    if (words) parts.push(words)
    this.say(parts.join(', '))
  }
}
