/**
 * When the calls to an endpoint are sent. There are `-j` places for calls in flight, and rows take them in turn. What the
 * endpoint says (Retry-After, rate headers) and its refusals (HTTP 429, 503, 529, no connection) slow the calls down:
 *
 * - A place whose call was refused rests, longer each time until one is granted, and the row goes to the end of the queue.
 *   So fewer calls are sent the more are refused, no row waits much longer than others, and no rate has to be learnt.
 * - In a pause that the server asks for, no call is sent but one, when another one is granted. The pause ends early where a
 *   call that was sent after the refused one is granted: that one was refused by chance, or for too many at once.
 * - In an outage one call at a time tries the endpoint. The first call that is granted ends the outage.
 */
import { monotonicMs } from '../../../rows/clock.ts'
import type { RowFailure } from '../../../rows/record.ts'
import { backoff } from './waits.ts'

/** It is an outage when so many calls in a row, and as many as there are rows, were refused, and none granted for so many ms. */
const IN_A_ROW = 10
const UNGRANTED_MS = 300
/** ms before the first call that tries the endpoint, and before the second one; then twice as many each time up to the longest. */
const FIRST_TRY_MS = 500
const SECOND_TRY_MS = 1000
const LONGEST_TRY_MS = 4000

/** Statuses of an endpoint that is too busy to take a call. */
const BUSY = new Set<unknown>([429, 503, 529])
/** Errors of a connection that could not be made. */
export const UNREACHABLE = new Set<unknown>([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** Whether the endpoint did not take the call. Other failures are those of a call that it took. */
export const isRefusal = ({ detail }: RowFailure): boolean =>
  detail.retryable === true && (BUSY.has(detail.status) || UNREACHABLE.has(detail.cause))

/** A place among the calls in flight. */
export interface CallPlace {
  /** Calls from this place that were refused since the last one that was granted. */
  refusals: number
  /** Its call tries the endpoint in an outage or a pause. */
  tries: boolean
  /** The call's number in the order of sending. */
  n: number
}

export interface PaceUse {
  /** The number of places. */
  width: number
  /** Whether rows are left to begin. */
  rowsLeft(): boolean
  /** Times of a place's rest, in ms: the first, and the longest. */
  retryMin: number
  retryMax: number
  /** How long all calls may be refused, in ms. */
  refusedFor: number
  /** Called at each refusal. @param ms since the first of those in a row */
  refused(ms: number, failure: RowFailure): void
  /** Called when a call is granted after refusals. @param ms since the first of those in a row */
  grantedAgain(ms: number): void
  /** Called when all calls were refused for longer than `refusedFor`. @param rows in progress */
  gaveUp(ms: number, failure: RowFailure, rows: number): void
}

/** The rest of a place. */
interface Rest {
  /** By monotonicMs(). */
  due: number
  timer: NodeJS.Timeout
  end(): void
}

export class Pace {
  private readonly use: PaceUse
  /** Rows that wait for a place. */
  private queue: ((place: CallPlace) => void)[] = []
  /** Places with a call; free ones that were used before; those that rest, with their timers. */
  busy = 0
  private readonly free: CallPlace[] = []
  private readonly resting = new Map<CallPlace, Rest>()
  private sent = 0
  /** The end of the server's pause by monotonicMs(), its timer, and the number of the refused call with which it began. */
  private pausedUntil = 0
  private pauseTimer: NodeJS.Timeout | undefined
  private pausedBy = Number.POSITIVE_INFINITY
  private pauseTried = false
  private refusedInARow = 0
  /** When the first of them was refused, and when a call was last granted, by monotonicMs(). */
  private refusedSince = 0
  private granted = monotonicMs()
  private outage = false
  /** In an outage, the timer of the next call, ms to the one after it, and whether it may be sent now. */
  private tryTimer: NodeJS.Timeout | undefined
  private nextTry = 0
  private tryNow = false

  constructor(use: PaceUse) {
    this.use = use
  }

  /** Rows with a place, and those that wait for one. */
  get rows(): number {
    return this.busy + this.queue.length
  }

  /** Neither a pause nor an outage keeps calls from being sent. */
  get isOpen(): boolean {
    return !this.outage && this.pauseTimer === undefined
  }

  /** Takes a place: first come, first served. */
  take(): CallPlace | Promise<CallPlace> {
    if (this.queue.length === 0 && this.isOpen && this.roomFor(1)) return this.next()
    return new Promise((resolve) => {
      this.queue.push(resolve)
      this.serve()
    })
  }

  /** Counts the call that is sent from a place. */
  send(place: CallPlace): void {
    place.n = ++this.sent
  }

  /** Gives a place back whose call showed nothing, or was not sent. */
  leave(place: CallPlace): void {
    this.busy--
    if (place.tries) this.tryAgain()
    else this.free.push(place)
    this.serve()
  }

  /** Gives a place back whose call was granted. */
  grant(place: CallPlace): void {
    const now = monotonicMs()
    this.busy--
    place.refusals = 0
    if (!place.tries) this.free.push(place)
    if (this.refusedInARow > 0) this.use.grantedAgain(now - this.refusedSince)
    this.refusedInARow = 0
    this.granted = now
    if (place.n > this.pausedBy) this.endPause()
    else if (this.pausedBy < Number.POSITIVE_INFINITY && !this.pauseTried) this.pauseTried = this.try()
    if (this.outage) this.endOutage()
    // No row is left to begin: this place takes the next row, in place of the one that would rest longest.
    else if (this.resting.size >= this.queue.length && !this.use.rowsLeft()) this.longestRest()?.end()
    this.serve()
  }

  /** Gives a place back whose call was refused. @param told ms to wait, as the server asks */
  refuse(place: CallPlace, failure: RowFailure, told: number | undefined): void {
    const now = monotonicMs()
    const { rows } = this
    this.busy--
    if (this.refusedInARow++ === 0) this.refusedSince = now
    if (place.tries) this.tryAgain()
    else this.rest(place, told || backoff(++place.refusals, this.use.retryMin, this.use.retryMax))
    const enough = this.refusedInARow >= Math.max(IN_A_ROW, rows)
    if (!this.outage && enough && now - this.granted > UNGRANTED_MS) {
      this.outage = true
      this.nextTry = SECOND_TRY_MS
      this.tryIn(FIRST_TRY_MS)
    }
    const ms = now - this.refusedSince
    this.use.refused(ms, failure)
    // One row alone may be one that is always refused: it fails, and the next one shows.
    if (ms >= this.use.refusedFor * (rows > 1 ? 1 : 2) && this.busy === 0) this.use.gaveUp(ms, failure, rows)
  }

  /**
   * No call is sent for so long, as the server asks.
   * @param by the place of the refused call, if one was
   * @returns whether this is longer than the pause there is
   */
  pause(ms: number, by?: CallPlace): boolean {
    const until = monotonicMs() + ms
    if (until <= this.pausedUntil) return false
    if (!this.pauseTimer) this.pauseTried = false
    this.pausedUntil = until
    this.pausedBy = by?.n ?? Number.POSITIVE_INFINITY
    clearTimeout(this.pauseTimer)
    this.pauseTimer = setTimeout(() => {
      this.endPause()
      this.serve()
    }, ms)
    return true
  }

  /** Gives places to the rows that may have one. */
  private serve(): void {
    if (this.pauseTimer) return
    if (!this.outage) while (this.roomFor(this.queue.length)) this.queue.shift()!(this.next())
    else if (this.tryNow) this.tryNow = !this.try()
  }

  /** Ends all waits: the rows that wait get places. */
  close(): void {
    clearTimeout(this.tryTimer)
    clearTimeout(this.pauseTimer)
    for (const { timer } of this.resting.values()) clearTimeout(timer)
    for (const resolve of this.queue.splice(0)) resolve({ refusals: 0, tries: false, n: 0 })
  }

  /** Of the places, as many are in use as there are rows: a refused row does not just take another one. */
  private roomFor(rows: number): boolean {
    const { size } = this.resting
    return size < rows && this.busy + size < this.use.width
  }

  private next(): CallPlace {
    this.busy++
    return this.free.pop() ?? { refusals: 0, tries: false, n: 0 }
  }

  /** Lets the next row try the endpoint. @returns false if there is none */
  private try(): boolean {
    const row = this.queue.shift()
    if (!row) return false
    this.busy++
    row({ refusals: 0, tries: true, n: 0 })
    return true
  }

  private rest(place: CallPlace, ms: number): void {
    const end = () => {
      clearTimeout(timer)
      this.resting.delete(place)
      // Places whose calls were granted are taken first.
      this.free.unshift(place)
    }
    const timer = setTimeout(() => this.endRest(rest), ms)
    const rest = { due: monotonicMs() + ms, timer, end }
    this.resting.set(place, rest)
  }

  /** A place that has rested takes the next row. */
  private endRest(rest: Rest): void {
    rest.end()
    if (this.isOpen && this.queue.length > 0 && this.busy + this.resting.size < this.use.width)
      this.queue.shift()!(this.next())
  }

  private longestRest(): Rest | undefined {
    let longest: Rest | undefined
    for (const rest of this.resting.values()) if (!longest || rest.due > longest.due) longest = rest
    return longest
  }

  private endPause(): void {
    clearTimeout(this.pauseTimer)
    this.pauseTimer = undefined
    this.pausedUntil = 0
    this.pausedBy = Number.POSITIVE_INFINITY
  }

  private endOutage(): void {
    this.outage = this.tryNow = false
    clearTimeout(this.tryTimer)
    for (const rest of this.resting.values()) rest.end()
  }

  private tryAgain(): void {
    if (!this.outage) return
    this.tryIn(this.nextTry)
    this.nextTry = Math.min(LONGEST_TRY_MS, 2 * this.nextTry)
  }

  private tryIn(ms: number): void {
    this.tryTimer = setTimeout(() => {
      this.tryNow = true
      this.serve()
    }, ms)
  }
}
