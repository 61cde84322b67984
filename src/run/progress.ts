/** The bar on a terminal's stderr; without a terminal, a plain line now and then. */

import type { Out } from './host.ts'

export interface ProgressState {
  done: number
  /** Undefined where the end is not known. */
  total?: number
  words: string
}

const REDRAW_MS = 100
const PLAIN_MS = 30_000

export class Progress {
  private readonly timer: NodeJS.Timeout
  private readonly started = Date.now()
  private drawn = false
  private readonly name: string
  private readonly stream: Out
  private readonly state: () => ProgressState
  private readonly bar: boolean

  constructor(name: string, stream: Out, state: () => ProgressState) {
    this.name = name
    this.stream = stream
    this.state = state
    this.bar = stream.isTTY === true
    this.timer = setInterval(() => this.draw(), this.bar ? REDRAW_MS : PLAIN_MS)
    this.timer.unref()
  }

  /** Takes the bar away so that a line can be written; it comes back by itself. */
  clear(): void {
    if (this.drawn) this.stream.write('\r\u001b[K')
    this.drawn = false
  }

  end(): void {
    clearInterval(this.timer)
    this.clear()
  }

  private draw(): void {
    const line = this.line(this.bar ? (this.stream.columns || 80) - 1 : 200)
    if (!this.bar) this.stream.write(`${line}\n`)
    else {
      this.stream.write(`\r${line}\u001b[K`)
      this.drawn = true
    }
  }

  private line(width: number): string {
    const { done, total, words } = this.state()
    const seconds = (Date.now() - this.started) / 1000
    if (total === undefined || total === 0) return `${this.name} ${words} ${clock(seconds)}`.slice(0, width)
    const share = Math.min(1, done / total)
    const left = share > 0 ? `${clock((seconds * (1 - share)) / share)} left` : ''
    const tail = ` ${String(Math.floor(share * 100)).padStart(3)}% ${words}${left && `, ${left}`}`
    const room = Math.min(30, width - this.name.length - tail.length - 3)
    if (!this.bar || room < 5) return `${this.name}${tail}`.slice(0, width)
    const full = Math.round(share * room)
    return `${this.name} [${'#'.repeat(full)}${'.'.repeat(room - full)}]${tail}`.slice(0, width)
  }
}

/** `m:ss`, or `h:mm:ss`. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds)
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor(whole / 60) % 60
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}
