/** How often a property is tried: `make test RUNS=10` takes ten times as many. */
export const runs = (count: number): number => count * Number(process.env.RUNS ?? 1)

/** A seeded source of choices (mulberry32). */
export class Choices {
  private state: number

  constructor(seed: number) {
    this.state = seed | 0
  }

  /** From 0 up to 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  between(low: number, high: number): number {
    return low + this.below(high - low + 1)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }

  /** One of several makers, made. */
  one<T>(...makers: (() => T)[]): T {
    return this.pick(makers)()
  }

  many<T>(low: number, high: number, make: () => T): T[] {
    return Array.from({ length: this.between(low, high) }, make)
  }
}
