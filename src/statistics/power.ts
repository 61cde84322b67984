/** Power: how many items a difference needs, and which difference a number of items can show. */
import { FEW } from './clusters.ts'
import { betaCdf, binomialPmf, normalCdf, tQuantile } from './distributions.ts'
import { normalQuantile } from './interval.ts'

/** A two-sided test. */
interface Test {
  /** Its level. */
  alpha: number
  /** McNemar's exact test; else with mid-p. */
  exact?: boolean
}

/** The wanted chance of a significant result. */
interface Wanted extends Test {
  power: number
}

/** Of right or wrong: shares of items on which only A, and only B, is right. */
interface Discordance {
  onlyA: number
  onlyB: number
}

/**
 * The smallest true mean that the t test of n values (or clusters) finds with this power, in standard errors of the
 * mean; from {@link FEW} up by the normal distribution (Miller, "Adding error bars to evals", 2411.00640, section 5).
 * Null for fewer than two.
 */
export function minimalMean(n: number, wanted: Wanted): number | null {
  if (n < 2) return null
  return n < FEW ? rising((mean) => tPower(mean, n - 1, wanted.alpha) >= wanted.power) : normalReach(wanted)
}

/** The same for a mean: the fewest values (or clusters). @param size mean / standard deviation of a value */
export function valuesNeeded(size: number, { alpha, power }: Wanted): number {
  const enough = (n: number) => tPower(Math.abs(size) * Math.sqrt(n), n - 1, alpha) >= power
  const normal = Math.ceil((normalReach({ alpha, power }) / size) ** 2)
  return normal < FEW ? fewest(enough, 1, normal) : normal
}

const normalReach = ({ alpha, power }: Wanted) => normalQuantile(1 - alpha / 2) + normalQuantile(power)

/**
 * The chance that a two-sided t test is significant: 1 − F(t²) of the noncentral F distribution with 1 and `freedom` degrees
 * of freedom, a mixture of beta distributions by Poisson weights. Values agree with SciPy's ncf.
 * @param mean the true mean in standard errors
 */
export function tPower(mean: number, freedom: number, alpha: number): number {
  const t = tQuantile(1 - alpha, freedom)
  const y = freedom / (t * t + freedom)
  const rate = (mean * mean) / 2
  let [power, weight, rest] = [0, Math.exp(-rate), 1]
  if (weight === 0) return 1
  for (let j = 0; rest > 1e-12 && j < 10_000; j++) {
    power += weight * betaCdf(y, freedom / 2, j + 0.5)
    rest -= weight
    weight *= rate / (j + 1)
  }
  return power
}

/** The least number with a property that all larger ones have. */
function rising(holds: (x: number) => boolean): number {
  let [low, high] = [0, 1]
  while (!holds(high)) [low, high] = [high, 2 * high]
  while (high - low > 1e-7 * high) {
    const middle = (low + high) / 2
    if (holds(middle)) high = middle
    else low = middle
  }
  return high
}

/** The least whole number above `low` with a property that all larger ones have. @param guess where to begin */
function fewest(holds: (n: number) => boolean, low: number, guess: number): number {
  let [below, high] = [low, Math.max(low + 1, guess)]
  while (!holds(high)) [below, high] = [high, Math.ceil(high * 1.02) + 1]
  while (high - below > 1) {
    const middle = Math.floor((below + high) / 2)
    if (holds(middle)) high = middle
    else below = middle
  }
  return high
}

/**
 * The chance that McNemar's test of n items is significant: over each number of items on which only one run is right,
 * the chance of counts as far apart as the test needs.
 */
export function mcnemarPower(n: number, { onlyA, onlyB }: Discordance, { alpha, exact }: Test): number {
  const share = Math.min(1, onlyA + onlyB)
  if (share === 0) return 0
  const spread = 9 * Math.sqrt(n * share * (1 - share)) + 1
  const [from, to] = [Math.floor(n * share - spread), Math.min(n, Math.ceil(n * share + spread))]
  // P(X ≤ k) and P(X = k) for fair coins, and for the counts of only A and of only B; k = −1 at first.
  const tails = [0.5, onlyA / share, onlyB / share].map((q) => new Tail(q))
  const fair = tails[0]!
  let power = 0
  for (let flips = 1; flips <= to; flips++) {
    for (const tail of tails) tail.addTrial()
    // The largest k that is significant.
    while (2 * (fair.upTo + fair.next) - (exact ? 0 : fair.next) <= alpha)
      for (const tail of tails) tail.addSuccess()
    if (flips >= from) power += binomialPmf(flips, n, share) * (tails[1]!.upTo + tails[2]!.upTo)
  }
  return power
}

/** Up to so many items on which the runs are expected to differ, the exact power counts; beyond, Connor's formula is right to a thousandth. */
const EXACT = 10_000

/**
 * The smallest true difference of two shares that McNemar's test of n items finds with this power. The runs differ on
 * as large a share of the items as seen, or, for a larger difference, on as many as it needs. Null where even that all
 * items differ the same way would not be significant.
 * @param discordant the share of items on which the runs differ
 */
export function minimalShareDifference(n: number, discordant: number, wanted: Wanted): number | null {
  const powerOf = (delta: number) => sharePower(n, splitOf(Math.max(delta, discordant), delta), wanted)
  return powerOf(1) < wanted.power ? null : rising((delta) => powerOf(Math.min(1, delta)) >= wanted.power)
}

/** The fewest items with which McNemar's test finds these shares with this power. They have to differ. */
export function itemsNeeded(discordance: Discordance, wanted: Wanted): number {
  const enough = (n: number) => sharePower(n, discordance, wanted) >= wanted.power
  return fewest(enough, 0, connorSize(discordance, wanted))
}

const splitOf = (share: number, delta: number): Discordance => ({
  onlyA: (share + delta) / 2,
  onlyB: (share - delta) / 2,
})

const sharePower = (n: number, discordance: Discordance, test: Test) =>
  n * (discordance.onlyA + discordance.onlyB) > EXACT
    ? connorPower(n, discordance, test)
    : mcnemarPower(n, discordance, test)

/** Connor, "Sample size for testing differences in proportions for the paired-sample design" (1987): n = ((z √s + z' √(s − δ²)) / δ)². */
function connorSize({ onlyA, onlyB }: Discordance, { alpha, power }: Wanted): number {
  const [s, delta] = [onlyA + onlyB, onlyA - onlyB]
  const [z, zPower] = [normalQuantile(1 - alpha / 2), normalQuantile(power)]
  return Math.ceil(((z * Math.sqrt(s) + zPower * Math.sqrt(s - delta * delta)) / delta) ** 2)
}

function connorPower(n: number, { onlyA, onlyB }: Discordance, { alpha }: Test): number {
  const [s, delta] = [onlyA + onlyB, Math.abs(onlyA - onlyB)]
  return normalCdf(
    (delta * Math.sqrt(n) - normalQuantile(1 - alpha / 2) * Math.sqrt(s)) / Math.sqrt(s - delta * delta),
  )
}

/** P(X ≤ k) of a binomial number of n trials, as n and k grow by one. */
class Tail {
  upTo = 0
  /** P(X = k + 1). */
  next = 1
  private at = 0
  private n = 0
  private k = -1
  private readonly q: number

  constructor(q: number) {
    this.q = q
  }

  addTrial(): void {
    const { q, n, k } = this
    this.upTo -= q * this.at
    // P(X = k) of n + 1 trials is that of a failure after k, or a success after k − 1.
    this.at = binomialPmf(k, n + 1, q)
    this.n++
    this.next = binomialPmf(k + 1, n + 1, q)
  }

  addSuccess(): void {
    this.upTo += this.next
    this.k++
    this.at = this.next
    this.next = binomialPmf(this.k + 1, this.n, this.q)
  }
}
