/** How many items a difference needs, and how small a one these items can show. */
import { normalQuantile } from './interval.ts'

/**
 * The smallest difference that a two-sided test of level `alpha` finds with this power, from the standard error
 * of the difference (Miller 2024, section 5).
 */
export function minimalDifference(se: number, alpha = 0.05, power = 0.8): number {
  return (normalQuantile(1 - alpha / 2) + normalQuantile(power)) * se
}

/** Items needed to find a difference `delta`, from the variance of an item's difference. */
export function itemsNeeded(variance: number, delta: number, alpha = 0.05, power = 0.8): number {
  return (normalQuantile(1 - alpha / 2) + normalQuantile(power)) ** 2 * (variance / delta ** 2)
}
