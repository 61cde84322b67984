/** The progress bar on stderr; without a terminal, a plain line every 30 seconds. */

import { fstatSync } from 'node:fs'
import { clock } from '../options/clock.ts'
import { monotonicMs } from '../rows/clock.ts'
import type { Out } from './host.ts'
import { TerminalLock } from './terminal_lock.ts'

export interface ProgressState {
  done: number
  /** Undefined if unknown. */
  total?: number
  /** What runs, such as a model. */
  label?: string
  words: string
}

/** Moves to the first column and clears the line. */
export const CLEAR_LINE = '\r\u001b[K'
const REDRAW_MS = 100
const PLAIN_MS = 30_000
/** How often a process without the terminal's lock asks for it again. */
const ASK_MS = 1000

export class Progress {
  private readonly timer: NodeJS.Timeout
  private readonly started = monotonicMs()
  /** When the last plain line was written. */
  private written = this.started
  private asked = this.started
  private drawn = false
  private readonly name: string
  private readonly stream: Out
  private readonly state: () => ProgressState
  /** Of several processes on a terminal one draws its bar; the others write lines. */
  private readonly lock: TerminalLock | undefined
  private bar: boolean

  constructor(name: string, stream: Out, state: () => ProgressState, folder?: string) {
    this.name = name
    this.stream = stream
    this.state = state
    const terminal = stream.isTTY === true
    this.lock = terminal && folder !== undefined ? lockOf(stream, folder) : undefined
    this.bar = terminal && (this.lock?.take() ?? true)
    this.timer = setInterval(() => this.draw(), terminal ? REDRAW_MS : PLAIN_MS)
    this.timer.unref()
  }

  /** Clears the bar so that a line can be written; the next draw shows it again. */
  clear(): void {
    if (this.drawn) this.stream.write(CLEAR_LINE)
    this.drawn = false
  }

  /** Clears the bar; if lines were written, writes a last one. */
  end(): void {
    clearInterval(this.timer)
    this.clear()
    if (!this.bar && this.written !== this.started) this.writeLine()
    this.lock?.release()
  }

  private draw(): void {
    const now = monotonicMs()
    if (!this.bar && this.lock && now - this.asked > ASK_MS) {
      this.asked = now
      this.bar = this.lock.take()
    }
    if (this.bar) {
      this.stream.write(`\r${this.line((this.stream.columns || 80) - 1)}\u001b[K`)
      this.drawn = true
    } else if (now - this.written >= PLAIN_MS - REDRAW_MS) this.writeLine()
  }

  private writeLine(): void {
    this.written = monotonicMs()
    // On a terminal another process's bar is in this line.
    this.stream.write(`${this.stream.isTTY ? CLEAR_LINE : ''}${this.line(200)}\n`)
  }

  private line(width: number): string {
    const { done, total, label, words } = this.state()
    const seconds = (monotonicMs() - this.started) / 1000
    const name = label === undefined ? this.name : `${this.name} ${label}`
    if (total === undefined || total === 0) return `${name} ${words}, ${clock(seconds)}`.slice(0, width)
    const share = Math.min(1, done / total)
    const left =
      share > 0 && share < 1 ? `, ${clock((seconds * (1 - share)) / share)} left` : `, ${clock(seconds)}`
    const percent = ` ${String(Math.floor(share * 100)).padStart(3)}% `
    const tail = percent + fitted(words, width - name.length - percent.length - left.length) + left
    const room = Math.min(30, width - name.length - tail.length - 3)
    if (!this.bar || room < 5) return `${name}${tail}`.slice(0, width)
    const full = Math.round(share * room)
    return `${name} [${'#'.repeat(full)}${'.'.repeat(room - full)}]${tail}`.slice(0, width)
  }
}

/** Drops the last of words joined by commas until they fit. */
function fitted(words: string, room: number): string {
  let some = words
  while (some.length > room && some.includes(', ')) some = some.slice(0, some.lastIndexOf(', '))
  return some
}

/** The lock of the terminal that the stream writes to. */
function lockOf(stream: Out, folder: string): TerminalLock | undefined {
  const { fd } = stream as { fd?: number }
  if (fd === undefined) return undefined
  try {
    return new TerminalLock(folder, fstatSync(fd).rdev)
  } catch {
    return undefined
  }
}
