/** Enforces `--max-cost` and `--max-requests`. Calls in flight count at what they may cost by the replies so far. */
import { RowFailure } from '../../../rows/record.ts'
import { type CallCost, dollars } from './money.ts'

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
   * Reserves what a call may cost. If that is not known yet, the first call goes alone where it may cost more than is left.
   * @returns the dollars that are reserved; undefined if the call must wait until others have ended ({@link settled})
   * @throws RowFailure budget if the budget is used up
   */
  take({ expected, least, learnt }: CallCost): number | undefined {
    const { allowed, shared } = this
    const left = allowed.cost - this.spent - this.reserved
    const missing = Math.max(0, expected - left)
    if ((missing > 0 || this.requests >= allowed.requests) && shared && !this.empty) {
      this.fetch(shared, missing)
      return undefined
    }
    const over =
      this.requests >= allowed.requests
        ? `--max-requests ${this.maxRequests} is reached`
        : this.costReached(learnt || this.spent > 0 ? expected : least)
    if (over && !(shared && this.inFlight > 0 && this.requests < allowed.requests))
      throw new RowFailure('budget', over, { retryable: true })
    if (over || (this.inFlight > 0 && missing > 0)) return undefined
    const taken = Math.min(expected, Math.max(0, left))
    this.requests++
    this.inFlight++
    this.reserved += taken
    return taken
  }

  /** Why no call of this cost can be made, whatever those in flight cost. */
  private costReached(cost: number): string | undefined {
    const { maxCost, allowed, spent, shared } = this
    if (spent + cost <= allowed.cost) return undefined
    if (cost > maxCost)
      return `--max-cost ${maxCost} is less than one call may cost (${dollars(cost)}): raise it`
    const by = shared ? ' by this process' : ''
    return `--max-cost ${maxCost} is reached (${dollars(spent)} spent${by}, a call may cost ${dollars(cost)})`
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
