/** From one judge to another by items that both judged. Two one-sided tests: Schuirmann 1987; PPI++: Angelopoulos, Duchi and Zrnic 2023. */
import { meanOf, varianceOf } from './clusters.ts'
import { tQuantile } from './distributions.ts'
import { normalQuantile } from './interval.ts'

type Interval = [low: number, high: number]

interface Bridge {
  old: number
  new: number
  difference: number
  ci: Interval
  /** At 1 − 2α. */
  equivalenceCi: Interval
  /** Whether means are equal within the margin; null where that isn't known, undefined without a margin. */
  interchangeable?: boolean | null
}

/** Fewer anchors carry no estimate for other items. */
const FEW_ANCHORS = 30

/**
 * Two judges on the same anchors.
 * @param old amounts from 0 to 1 by the old judge, at least two
 * @param now those of the new one, in the same order
 */
export function bridge(
  old: readonly number[],
  now: readonly number[],
  alpha: number,
  margin?: number,
): Bridge {
  const differences = now.map((value, i) => value - old[i]!)
  const n = old.length
  const difference = meanOf(differences)
  const se = Math.sqrt(varianceOf(differences) / n)
  const around = (level: number): Interval => {
    const reach = tQuantile(level, n - 1) * se
    return [difference - reach, difference + reach]
  }
  const [ci, equivalenceCi] = [around(1 - alpha), around(1 - 2 * alpha)]
  const out: Bridge = { old: meanOf(old), new: meanOf(now), difference, ci, equivalenceCi }
  if (!margin) return out
  const within = -margin < equivalenceCi[0] && equivalenceCi[1] < margin
  return { ...out, interchangeable: within ? true : ci[0] > margin || ci[1] < -margin ? false : null }
}

interface OldScale {
  estimate: number
  ci: Interval
  lambda: number
}

/**
 * The mean of items that only the new judge saw, on the old one's scale: PPI++ with the old judge's verdicts as labels.
 * @param others the new judge's amounts of these items, at least two
 */
export function onOldScale(
  old: readonly number[],
  now: readonly number[],
  others: readonly number[],
  alpha: number,
): OldScale | 'few_anchors' | 'anchors_differ' {
  const [n, N] = [old.length, others.length]
  if (n < FEW_ANCHORS) return 'few_anchors'
  const spread = Math.max(varianceOf(now) / n + varianceOf(others) / N, Number.MIN_VALUE)
  if (Math.abs(meanOf(now) - meanOf(others)) / Math.sqrt(spread) > normalQuantile(0.975))
    return 'anchors_differ'
  const [meanOld, meanNow] = [meanOf(old), meanOf(now)]
  const covariance = old.reduce((sum, value, i) => sum + (value - meanOld) * (now[i]! - meanNow), 0) / (n - 1)
  const whole = varianceOf([...now, ...others])
  const lambda = whole > 0 ? Math.min(1, Math.max(0, covariance / ((1 + n / N) * whole))) : 0
  const rest = old.map((value, i) => value - lambda * now[i]!)
  const estimate = lambda * meanOf(others) + meanOf(rest)
  const reach =
    tQuantile(1 - alpha, n - 1) * Math.sqrt(varianceOf(rest) / n + (lambda ** 2 * varianceOf(others)) / N)
  return { estimate, ci: [estimate - reach, estimate + reach], lambda }
}
