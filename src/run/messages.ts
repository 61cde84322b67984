/** A run's messages on stderr: notes, with repeats of one kind capped, and a summary at the end. */

import { inMessage } from '../rows/controls.ts'
import type { Row } from '../rows/row.ts'
import type { CommonOptions } from './arguments.ts'
import { type Host, stderrOf } from './host.ts'
import { CLEAR_LINE, type Progress } from './progress.ts'

/** How many messages of one kind are printed. */
const REPEATS = 3

interface MessagePlace {
  file?: string
  line?: number
  /** Messages of one kind are capped together; by default those with the same words. */
  kind?: string
}

/** Counts rows that are written, and failures by code. */
export class Messages {
  rows = 0
  /** What is written is a text: there are no rows to count. */
  writesText = false
  /** The progress bar, which is cleared before a line is printed. */
  progress: Progress | undefined
  private readonly name: string
  private readonly host: Host
  private quiet = false
  private strict = false
  private verbose = false
  private badRows = 'stop'
  private failedBefore = 0
  private readonly failures = new Map<string, number>()
  /** Messages by kind. */
  private readonly repeats = new Map<string, number>()

  constructor(name: string, host: Host) {
    this.name = name
    this.host = host
  }

  configure({ quiet, strict, verbose, badRows }: CommonOptions): void {
    Object.assign(this, { quiet, strict, verbose, badRows })
  }

  /** Prints a line, even with --quiet. */
  say(words: string): void {
    this.progress?.clear()
    // On a terminal another filter's progress bar may be in this line.
    const stream = stderrOf(this.host)
    stream.write(`${stream.isTTY ? CLEAR_LINE : ''}${this.name}: ${inMessage(words)}\n`)
  }

  /** Prints a line about a row or the run, unless enough of its kind were printed. */
  note(words: string, { file, line, kind = words }: MessagePlace = {}): void {
    if (this.quiet) return
    const count = (this.repeats.get(kind) ?? 0) + 1
    this.repeats.set(kind, count)
    if (count > REPEATS) return
    this.say(`${file === undefined ? '' : `${file}:${line === undefined ? '' : `${line}:`} `}${words}`)
  }

  /** Counts a row that is written, with a note if it failed. */
  count(row: Row): void {
    this.rows++
    const { failure, file, line } = row
    if (failure) {
      this.failed(failure.code)
      if (!this.strict) this.note(`${failure.code}: ${failure.message}`, { file, line, kind: failure.code })
    } else if (row.has('error')) this.failedBefore++
  }

  failed(code: string): void {
    this.failures.set(code, (this.failures.get(code) ?? 0) + 1)
  }

  /** Prints the summary: rows, failures by code, and `words` of the stage. */
  summarise(words: string | undefined): void {
    if (this.quiet || (this.failures.size === 0 && !words && !this.verbose)) return
    // A stage that writes a report has its own summary.
    const counted = this.rows > 0 || !(words || this.writesText)
    // Bad rows that are not passed on are not among those that are written.
    const rows = this.rows + (this.badRows === 'pass' ? 0 : (this.failures.get('bad_row') ?? 0))
    const parts = counted ? [`${rows} row${rows === 1 ? '' : 's'}`] : []
    const codes = [...this.failures]
    const total = codes.reduce((sum, [, count]) => sum + count, 0)
    if (total > 0) parts.push(`${total} failed here (${codes.map((entry) => entry.join(' ')).join(', ')})`)
    if (this.failedBefore > 0) parts.push(`${this.failedBefore} failed before`)
    if (words) parts.push(words)
    if (parts.length > 0) this.say(parts.join(', '))
  }
}
