/** The progress bar on stderr; without a terminal, a plain line every 30 seconds. */

import { clock } from '../options/clock.ts'
import { monotonicMs } from '../rows/clock.ts'
import type { Out } from './host.ts'

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

export class Progress {
  private readonly timer: NodeJS.Timeout
  private readonly started = monotonicMs()
  private drawn = false
  private wroteLine = false
  private readonly name: string
  private readonly stream: Out
  private readonly state: () => ProgressState
  /** The stream is a terminal. */
  private readonly bar: boolean

  constructor(name: string, stream: Out, state: () => ProgressState) {
    this.name = name
    this.stream = stream
    this.state = state
    this.bar = stream.isTTY === true
    this.timer = setInterval(() => this.draw(), this.bar ? REDRAW_MS : PLAIN_MS)
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
    if (this.wroteLine) this.writeLine()
  }

  private draw(): void {
    if (this.bar) {
      this.stream.write(`\r${this.line((this.stream.columns || 80) - 1)}\u001b[K`)
      this.drawn = true
    } else this.writeLine()
  }

  private writeLine(): void {
    this.wroteLine = true
    this.stream.write(`${this.line(200)}\n`)
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
