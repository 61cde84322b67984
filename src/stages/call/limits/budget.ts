/** Enforces `--max-cost` and `--max-requests`. Calls in flight count at what they may cost by the replies so far. */
import { RowFailure } from '../../../rows/record.ts'
import { type CallCost, dollars } from './money.ts'

export class Budget {
  spent = 0
  requests = 0
  private reserved = 0
  private inFlight = 0
  private waiting: (() => void)[] = []
  private readonly maxCost: number
  private readonly maxRequests: number

  constructor(maxCost = Number.POSITIVE_INFINITY, maxRequests = Number.POSITIVE_INFINITY) {
    this.maxCost = maxCost
    this.maxRequests = maxRequests
  }

  /** Whether prices must be known. */
  get limitsCost(): boolean {
    return this.maxCost < Number.POSITIVE_INFINITY
  }

  /**
   * Reserves what a call may cost. If that is not known yet, the first call goes alone where it may cost more than is left.
   * @returns the dollars that are reserved; undefined if the call must wait until others have ended ({@link settled})
   * @throws RowFailure budget if the budget is used up
   */
  take({ expected, least, learnt }: CallCost): number | undefined {
    const { maxCost, maxRequests } = this
    const left = maxCost - this.spent - this.reserved
    const missing = Math.max(0, expected - left)
    const over =
      this.requests >= maxRequests
        ? `--max-requests ${maxRequests} is reached`
        : this.costReached(learnt || this.spent > 0 ? expected : least)
    if (over) throw new RowFailure('budget', over, { retryable: true })
    if (this.inFlight > 0 && missing > 0) return undefined
    const taken = Math.min(expected, Math.max(0, left))
    this.requests++
    this.inFlight++
    this.reserved += taken
    return taken
  }

  /** Why no call of this cost can be made, whatever those in flight cost. */
  private costReached(cost: number): string | undefined {
    const { maxCost, spent } = this
    if (spent + cost <= maxCost) return undefined
    if (cost > maxCost)
      return `--max-cost ${maxCost} is less than one call may cost (${dollars(cost)}): raise it`
    return `--max-cost ${maxCost} is reached (${dollars(spent)} spent, a call may cost ${dollars(cost)})`
  }

  /** Resolves when a call has ended, for one waiting call at a time, which then calls `next`. */
  settled(): Promise<void> {
    return new Promise((free) => this.waiting.push(free))
  }

  /** Wakes the next waiting call. */
  next(): void {
    this.waiting.shift()?.()
  }

  /** Replaces a call's reservation by its cost. */
  settle(taken: number, cost: number): void {
    // Sums of fractions are inexact.
    this.reserved = --this.inFlight === 0 ? 0 : Math.max(0, this.reserved - taken)
    this.spent += cost
    this.next()
  }
}
