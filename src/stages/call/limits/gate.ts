/** When a call may begin: one gate for each endpoint and model, which limits and pauses belong to. */

import { Tempo } from './rate_controller.ts'
import { Pace } from './rate_limiter.ts'
import { allowances, LONGEST_TIMER, LONGEST_WAIT } from './waits.ts'

export interface GateOptions {
  concurrency: number
  rpm?: number
  tpm?: number
  /** Width and rate follow what the endpoint refuses. */
  adapt: boolean
  /** Aborted: nobody is let in any more. */
  halt: AbortSignal
  /** Told when the endpoint is given a rest of so many ms. */
  paused(ms: number): void
}

/** The run is ending: the call was not begun. */
export class Halted extends Error {}

/** What is known of a call when it is over. */
export interface Outcome {
  /** The endpoint was too busy: 429, 503, 529. */
  refused: boolean
  headers?: Record<string, string>
  /** ms it asks to be left alone for. */
  wait?: number
  /** Tokens really used. */
  tokens?: number
}

/** A call that was let in. */
export interface Pass {
  started: number
  tokens: number
}

export class Gate {
  private readonly options: GateOptions
  private readonly requests: Pace | undefined
  private readonly tokens: Pace | undefined
  private readonly tempo: Tempo
  /** The pace found by itself. */
  private found: Pace | undefined
  private underWay = 0
  private readonly waiting: (() => void)[] = []
  private restUntil = 0

  constructor(options: GateOptions) {
    this.options = options
    if (options.rpm) this.requests = new Pace(options.rpm / 60)
    if (options.tpm) this.tokens = new Pace(options.tpm / 60)
    this.tempo = new Tempo(options.concurrency, (rate) => this.follow(rate))
    options.halt.addEventListener('abort', () => this.release())
  }

  /** Calls that may be under way just now. */
  get width(): number {
    return this.options.adapt ? Math.max(1, Math.floor(this.tempo.width)) : this.options.concurrency
  }

  /** Lets a call of about so many tokens in: at once where nothing holds it back. @throws Halted */
  enter(tokens: number): Pass | Promise<Pass> {
    const now = Date.now()
    const paced = this.requests ?? this.tokens ?? this.found
    if (paced || this.underWay >= this.width || this.restUntil > now || this.options.halt.aborted)
      return this.wait(tokens)
    this.underWay++
    return { started: now, tokens }
  }

  private async wait(tokens: number): Promise<Pass> {
    const { halt } = this.options
    while (this.underWay >= this.width && !halt.aborted)
      await new Promise<void>((free) => this.waiting.push(free))
    if (halt.aborted) throw new Halted()
    this.underWay++
    try {
      for (const permits of [this.requests?.take(1), this.tokens?.take(tokens), this.found?.take(1)])
        if (permits) await permits
      for (
        let rest = this.restUntil - Date.now();
        rest > 0 && !halt.aborted;
        rest = this.restUntil - Date.now()
      )
        await pause(rest, halt)
      if (halt.aborted) throw new Halted()
      return { started: Date.now(), tokens }
    } catch (error) {
      this.underWay--
      this.next()
      throw error
    }
  }

  leave({ started, tokens }: Pass, outcome: Outcome): void {
    const now = Date.now()
    this.underWay--
    if (outcome.tokens !== undefined) this.tokens?.correct(tokens - outcome.tokens)
    if (this.options.adapt) this.learn(started, now, outcome, tokens)
    this.next()
  }

  private learn(started: number, now: number, { refused, wait, headers }: Outcome, tokens: number): void {
    this.tempo.saw(refused, started, now, this.underWay)
    // One refusal among many good answers is that call's own affair; several mean everybody.
    if (refused && wait !== undefined && this.tempo.crowded) this.rest(now + wait, now)
    if (!headers) return
    for (const { of, remaining, reset } of allowances(headers, now))
      if (remaining < (of === 'requests' ? this.underWay + 1 : tokens)) this.rest(now + reset, now)
  }

  private rest(until: number, now: number): void {
    if (until <= this.restUntil || until - now > LONGEST_WAIT) return
    this.restUntil = until
    this.options.paused(until - now)
  }

  private follow(rate: number): void {
    if (rate === Number.POSITIVE_INFINITY) {
      this.found?.close()
      this.found = undefined
    } else if (this.found) this.found.set(rate)
    else this.found = new Pace(rate)
  }

  private next(): void {
    for (let room = this.width - this.underWay; room > 0 && this.waiting.length > 0; room--)
      this.waiting.shift()!()
  }

  private release(): void {
    for (const free of this.waiting.splice(0)) free()
    this.requests?.close()
    this.tokens?.close()
    this.found?.close()
  }
}

/** Waits so many ms, less where the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, Math.min(ms, LONGEST_TIMER))
    signal.addEventListener('abort', end)
  })
}
