/** Power: how many items a difference needs, and which difference a number of items can show. */
import { normalQuantile } from './interval.ts'

/**
 * The smallest true difference that a two-sided test of level `alpha` detects with this power, from the standard error
 * of the difference (Miller, "Adding error bars to evals", 2411.00640, section 5).
 */
export function minimalDifference(se: number, alpha = 0.05, power = 0.8): number {
  return (normalQuantile(1 - alpha / 2) + normalQuantile(power)) * se
}

/** Items needed to detect a true difference `delta`, from the variance of one item's difference. */
export function itemsNeeded(variance: number, delta: number, alpha = 0.05, power = 0.8): number {
  return (normalQuantile(1 - alpha / 2) + normalQuantile(power)) ** 2 * (variance / delta ** 2)
}
