/**
 * Evidence about the mean of all N values of a list in random order, which may be looked at after every value.
 *
 * It is the capital, from 1, of one who bets on each next value that the mean lies above a threshold: while it does not, no
 * bet gains on average, and the capital ever exceeds 1/α with a probability of at most α (Ville's inequality). Waudby-Smith
 * and Ramdas, "Estimating means of bounded random variables by betting" (JRSS-B 2024), for sampling without replacement.
 */

/** A value in [0, 1], and how much of its unit it stands for, in [0, 1]: 0 for none. */
export type Weighted = readonly [x: number, weight: number]

const TINY = 1e-12
/** Of a sum of values. */
const ROUNDING = 1e-9

/** Several bettors each stake this share of their capital at most. @param of undefined if N is not known */
function stakes(of: number | undefined): number[] {
  const most = 16
  const wanted = of === undefined ? most : Math.ceil(1 + 2 * Math.log2((0.99 * Math.sqrt(of)) / 2))
  return Array.from({ length: Math.min(most, Math.max(4, wanted)) }, (_, k) => 0.99 * 2 ** (-k / 2))
}

/** The bet that the mean is above a threshold. */
class Bet {
  /** Of the values, each with its missing part at the threshold. */
  sum = 0
  private readonly threshold: number
  private readonly of: number | undefined
  private readonly stakes: readonly number[]
  private readonly logs: Float64Array
  private count = 0
  private isCertain = false

  constructor(threshold: number, of: number | undefined) {
    this.threshold = threshold
    this.of = of
    this.stakes = stakes(of)
    this.logs = new Float64Array(this.stakes.length)
  }

  add([x, weight]: Weighted): void {
    const { threshold, of, stakes, logs } = this
    const z = threshold + weight * (x - threshold)
    // If the mean is the threshold, the mean of the values that are left.
    const left = of === undefined ? threshold : (of * threshold - this.sum) / (of - this.count)
    if (left > TINY) for (let k = 0; k < logs.length; k++) logs[k]! += Math.log1p(stakes[k]! * (z / left - 1))
    else if (z > TINY) this.isCertain = true
    this.sum += z
    this.count++
    if (of !== undefined && this.sum > of * threshold + ROUNDING) this.isCertain = true
  }

  /** Logarithm of the mean capital; Infinity once the values so far are above the threshold whatever the others are. */
  get log(): number {
    if (this.isCertain) return Number.POSITIVE_INFINITY
    const most = this.logs.reduce((a, b) => Math.max(a, b))
    return most + Math.log(this.logs.reduce((sum, log) => sum + Math.exp(log - most), 0) / this.logs.length)
  }
}

const mirrored = ([x, weight]: Weighted): Weighted => [1 - x, weight]

/** Whether the mean is at least `gate`; or above `margin[1]`, below `margin[0]`, or between them. */
export type Hypotheses = { gate: number } | { margin: readonly [low: number, high: number] }
export type Conclusion = 'pass' | 'fail' | 'above' | 'below' | 'between' | 'undecided'

interface SequenceSettings {
  /** N, all units; undefined if it is not known. */
  of: number | undefined
  /** The level, 1 − α. */
  ci: number
  /** The mean is that of all that the N are a sample of: it is never known for certain. */
  population?: boolean
}

/** Units in random order, until the question is decided. */
export class Sequence {
  /** How many came; those that have a value; and those whose call failed, which are left out as if not asked. */
  at = 0
  valid = 0
  skipped = 0
  decision: Conclusion = 'undecided'
  /** Values so far, without those left out. */
  readonly values: Weighted[] = []
  private readonly hypotheses: Hypotheses
  private readonly settings: SequenceSettings
  /** N, if the bets depend on it. */
  private readonly size: number | undefined
  /** That the mean is above and below each threshold. */
  private readonly bets: { above: Bet; below: Bet }[]
  private readonly low: number
  private readonly high: number

  constructor(hypotheses: Hypotheses, settings: SequenceSettings) {
    this.hypotheses = hypotheses
    this.settings = settings
    const [low, high] = 'gate' in hypotheses ? [hypotheses.gate, hypotheses.gate] : hypotheses.margin
    this.low = low
    this.high = high
    this.size = settings.population ? undefined : settings.of
    const thresholds = low === high ? [low] : [low, high]
    this.bets = thresholds.map((one) => ({
      above: new Bet(one, this.size),
      below: new Bet(1 - one, this.size),
    }))
  }

  get failed(): number {
    return this.at - this.valid
  }

  /** The mean of the values; null if there are none. */
  get mean(): number | null {
    const weight = this.values.reduce((sum, [, weight]) => sum + weight, 0)
    return weight === 0 ? null : this.values.reduce((sum, [x, weight]) => sum + x * weight, 0) / weight
  }

  /** Logarithms of the evidence that the mean is above the higher threshold, and below the lower one. */
  get evidence(): { above: number; below: number } {
    return { above: this.bets.at(-1)!.above.log, below: this.bets[0]!.below.log }
  }

  /** Whether the decision could not be another, whatever the other values are. */
  get certain(): boolean {
    const { decision, evidence, low } = this
    if (decision === 'undecided') return false
    if (this.isComplete) return this.skipped === 0
    if (decision === 'pass') return evidence.above === Number.POSITIVE_INFINITY || this.reaches(low)
    const proofs = {
      above: [evidence.above],
      between: [this.bets[0]!.above.log, this.bets.at(-1)!.below.log],
    }
    return (proofs[decision as 'above'] ?? [evidence.below]).every((log) => log === Number.POSITIVE_INFINITY)
  }

  /** Adds a unit, of value x; of weight 0 if it failed; undefined if its call failed. @returns the decision so far */
  add(value: Weighted | undefined): Conclusion {
    this.at++
    if (value) {
      if (value[1] > 0) this.valid++
      this.values.push(value)
      for (const { above, below } of this.bets) {
        above.add(value)
        below.add(mirrored(value))
      }
    } else this.skipped++
    this.decision = this.decided()
    return this.decision
  }

  /** All N came, and no larger number of values is asked about. */
  private get isComplete(): boolean {
    return this.at === this.size
  }

  /** The sum of the values is that of N at the threshold, already. */
  private reaches(threshold: number): boolean {
    return this.size !== undefined && this.bets[0]!.above.sum >= this.size * threshold - ROUNDING
  }

  private decided(): Conclusion {
    if (this.valid === 0) return 'undecided'
    const alpha = 1 - this.settings.ci
    return 'gate' in this.hypotheses ? this.gated(alpha) : this.sided(alpha)
  }

  private gated(alpha: number): Conclusion {
    const { above, below } = this.evidence
    const enough = Math.log(1 / alpha)
    if (above >= enough || this.reaches(this.low)) return 'pass'
    if (below >= enough) return 'fail'
    if (!this.isComplete) return 'undecided'
    return this.mean! >= this.low - TINY ? 'pass' : 'fail'
  }

  private sided(alpha: number): Conclusion {
    const { above, below } = this.evidence
    const enough = Math.log(2 / alpha)
    if (above >= enough) return 'above'
    if (below >= enough) return 'below'
    const { low, high, bets } = this
    if (low < high && bets[0]!.above.log >= enough && bets[1]!.below.log >= enough) return 'between'
    if (!this.isComplete) return 'undecided'
    const mean = this.mean!
    const wide = low < high ? TINY : -TINY
    return mean >= high - wide ? 'above' : mean <= low + wide ? 'below' : 'between'
  }

  /**
   * The interval of the mean, true however often it is looked at. @param sides 2: with probability 1 − α it holds the mean;
   * 1: each end does
   */
  interval(sides: 1 | 2 = 2): [low: number, high: number] {
    const enough = Math.log(sides / (1 - this.settings.ci))
    const { values, size } = this
    return [lowest(values, size, enough), 1 - lowest(values.map(mirrored), size, enough)]
  }
}

/** The largest threshold above which the mean is known to be, by bisection; 0 if there is none. */
function lowest(values: readonly Weighted[], of: number | undefined, enough: number): number {
  const isAbove = (threshold: number) => {
    const bet = new Bet(threshold, of)
    for (const value of values) bet.add(value)
    return bet.log >= enough
  }
  let [low, high] = [0, 1]
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2
    if (isAbove(middle)) low = middle
    else high = middle
  }
  return low
}
