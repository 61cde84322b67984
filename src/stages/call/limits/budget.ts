/** Enforces `--max-cost` and `--max-requests`. Calls in flight count at their highest possible cost. */
import { RowFailure } from '../../../rows/record.ts'
import { dollars } from './money.ts'

/** A budget that several processes share: each takes parts of it. */
export interface SharedBudget {
  /** @returns the amount taken, at least `need`, or 0 if less is left. Never rejects. */
  take(field: 'cost' | 'requests', need: number): Promise<number>
  /** Returns what was not spent; a negative amount was spent in excess. */
  give(field: 'cost' | 'requests', amount: number): Promise<void>
}

export class Budget {
  spent = 0
  requests = 0
  private reserved = 0
  private inFlight = 0
  private waiting: (() => void)[] = []
  private readonly maxCost: number
  private readonly maxRequests: number
  private readonly shared: SharedBudget | undefined
  /** What this process may spend: all, or what it took from the shared budget. */
  private readonly allowed: { cost: number; requests: number }
  private fetching = false
  /** The shared budget is used up. */
  private empty = false

  constructor(
    maxCost = Number.POSITIVE_INFINITY,
    maxRequests = Number.POSITIVE_INFINITY,
    shared?: SharedBudget,
  ) {
    this.maxCost = maxCost
    this.maxRequests = maxRequests
    this.shared = shared
    const own = (most: number) => (shared && most < Number.POSITIVE_INFINITY ? 0 : most)
    this.allowed = { cost: own(maxCost), requests: own(maxRequests) }
  }

  /** Whether prices must be known. */
  get limitsCost(): boolean {
    return this.maxCost < Number.POSITIVE_INFINITY
  }

  /**
   * Reserves the highest possible cost of a request.
   * @returns false if the call must wait until others have ended ({@link settled})
   * @throws RowFailure budget if the budget is used up
   */
  take(most: number): boolean {
    const { allowed } = this
    const cost = this.spent + this.reserved + most - allowed.cost
    const short = cost > 0 || this.requests >= allowed.requests
    if (short && this.shared && !this.empty) {
      this.fetch(this.shared, Math.max(0, cost))
      return false
    }
    const over =
      this.requests >= allowed.requests
        ? `--max-requests ${this.maxRequests} is reached`
        : most > this.maxCost
          ? `--max-cost ${this.maxCost} is less than one call may cost (${dollars(most)}): raise it`
          : this.spent + most > allowed.cost
            ? `--max-cost ${this.maxCost} is reached (${dollars(this.spent)} spent${this.shared ? ' by this process' : ''}, a call may cost ${dollars(most)})`
            : undefined
    if (over && !(this.shared && this.inFlight > 0 && this.requests < allowed.requests))
      throw new RowFailure('budget', over, { retryable: true })
    if (over || (this.inFlight > 0 && cost > 0)) return false
    this.requests++
    this.inFlight++
    this.reserved += most
    return true
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
  settle(most: number, cost: number): void {
    // Sums of fractions are inexact.
    this.reserved = --this.inFlight === 0 ? 0 : Math.max(0, this.reserved - most)
    this.spent += cost
    this.next()
  }

  /** Returns what was not spent to the shared budget. */
  async close(): Promise<void> {
    const { shared, allowed } = this
    if (!shared) return
    this.empty = true
    if (this.maxCost < Number.POSITIVE_INFINITY)
      await shared.give('cost', allowed.cost - this.spent - this.reserved)
    if (this.maxRequests < Number.POSITIVE_INFINITY)
      await shared.give('requests', allowed.requests - this.requests)
  }

  private async fetch(shared: SharedBudget, cost: number): Promise<void> {
    if (this.fetching) return
    this.fetching = true
    if (cost > 0) this.add('cost', await shared.take('cost', cost))
    if (!this.empty && this.requests >= this.allowed.requests)
      this.add('requests', await shared.take('requests', 1))
    this.fetching = false
    this.next()
  }

  private add(field: 'cost' | 'requests', taken: number): void {
    this.allowed[field] += taken
    this.empty ||= taken === 0
  }
}
