/** Sums that do not depend on the order of their terms: any shards of the same rows give the same bytes. */

/** The sum of 2**53 partial sums up to this is finite. */
const LARGEST_PARTIAL = 2 ** 970

/**
 * The exact sum of doubles, rounded once: Shewchuk's partial sums (Adaptive Precision Floating-Point Arithmetic,
 * 1997), as Python's math.fsum keeps them.
 */
export class Sum {
  /** Nonoverlapping, in increasing order; their sum is the exact sum. */
  private partials: number[] = []

  /** @param times how often it is added, by powers of two, which are exact */
  add(value: number, times = 1): void {
    if (value === 0) return
    for (let left = times, part = value; left > 0; left = Math.floor(left / 2), part *= 2)
      if (left % 2 === 1) this.addOne(part)
  }

  private addOne(value: number): void {
    let rest = value
    let kept = 0
    for (const partial of this.partials) {
      const [large, small] = Math.abs(rest) < Math.abs(partial) ? [partial, rest] : [rest, partial]
      const sum = large + small
      const lost = small - (sum - large)
      if (lost !== 0) this.partials[kept++] = lost
      rest = sum
    }
    // What is no number stays none, and keeps no list of what was added to it.
    if (!Number.isFinite(rest)) kept = 0
    this.partials.length = kept
    this.partials.push(rest)
  }

  get value(): number {
    const { partials } = this
    let at = partials.length - 1
    if (at < 0) return 0
    let sum = partials[at]!
    let lost = 0
    while (at > 0 && lost === 0) {
      const before = sum
      sum = before + partials[--at]!
      lost = partials[at]! - (sum - before)
    }
    // Half-way between two doubles, the next partial sum decides the rounding.
    if (at > 0 && lost < 0 === partials[at - 1]! < 0 && lost !== 0) {
      const twice = lost * 2
      if (sum + twice - sum === twice) sum += twice
    }
    // Zero has no sign, as in fsum and in JSON.
    return sum + 0
  }

  /** JSON: what {@link merge} takes. */
  state(): number[] {
    return [...this.partials]
  }

  /** @throws TypeError for a value that is not a number, or too large to be summed */
  merge(state: readonly number[]): void {
    for (const partial of state) {
      if (typeof partial !== 'number' || !(Math.abs(partial) <= LARGEST_PARTIAL))
        throw new TypeError('not a partial sum')
      this.add(partial)
    }
  }
}
