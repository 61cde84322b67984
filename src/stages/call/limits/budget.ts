/** Holds a run to `--max-cost` and `--max-requests`. Calls under way are counted at the most they can cost. */
import { RowFailure } from '../../../rows/record.ts'
import { dollars } from './money.ts'

/** A budget that several processes spend: each takes parts of it. */
export interface SharedBudget {
  /** @returns what was taken, at least what is needed; 0 where less is left. Never rejects. */
  take(field: 'cost' | 'requests', need: number): Promise<number>
  /** Gives back what was not spent; negative: takes what was spent beyond that. */
  give(field: 'cost' | 'requests', amount: number): Promise<void>
}

export class Budget {
  spent = 0
  requests = 0
  private reserved = 0
  private underWay = 0
  private waiting: (() => void)[] = []
  private readonly maxCost: number
  private readonly maxRequests: number
  private readonly shared: SharedBudget | undefined
  /** What this process may spend: all, or what it has taken from the shared budget. */
  private readonly allowed: { cost: number; requests: number }
  private asking = false
  /** The shared budget has no more. */
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

  /** Whether what a call costs has to be known. */
  get limitsCost(): boolean {
    return this.maxCost < Number.POSITIVE_INFINITY
  }

  /**
   * Takes the most that a request can cost.
   * @returns false where that may be left over when a call under way has ended: see {@link settled}
   * @throws RowFailure budget where it will not be
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
        : this.spent + most > allowed.cost
          ? `--max-cost ${this.maxCost} is reached (${dollars(this.spent)} spent${this.shared ? ' by this process' : ''}, a call may cost ${dollars(most)})`
          : undefined
    if (over && !(this.shared && this.underWay > 0 && this.requests < allowed.requests))
      throw new RowFailure('budget', over, { retryable: true })
    if (over || (this.underWay > 0 && cost > 0)) return false
    this.requests++
    this.underWay++
    this.reserved += most
    return true
  }

  /** Resolves when a call under way has ended, for one that waits after the other: who has its turn calls `next`. */
  settled(): Promise<void> {
    return new Promise((free) => this.waiting.push(free))
  }

  /** The turn of the next one that waits. */
  next(): void {
    this.waiting.shift()?.()
  }

  /** Puts what it did cost in the place of what was taken. */
  settle(most: number, cost: number): void {
    // Sums of fractions leave something over.
    this.reserved = --this.underWay === 0 ? 0 : Math.max(0, this.reserved - most)
    this.spent += cost
    this.next()
  }

  /** What was taken and not spent is the others'. */
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
    if (this.asking) return
    this.asking = true
    if (cost > 0) this.add('cost', await shared.take('cost', cost))
    if (!this.empty && this.requests >= this.allowed.requests)
      this.add('requests', await shared.take('requests', 1))
    this.asking = false
    this.next()
  }

  private add(field: 'cost' | 'requests', taken: number): void {
    this.allowed[field] += taken
    this.empty ||= taken === 0
  }
}
