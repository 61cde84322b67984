/** Digits of figures that are read together. */

/**
 * As many decimals as give the largest of these numbers so many significant digits: a figure and the ends of its interval have the
 * same.
 */
export function decimalsOf(numbers: readonly number[], digits: number): number {
  const largest = Math.max(0, ...numbers.map(Math.abs))
  const whole = largest > 0 ? Math.floor(Math.log10(largest)) : 0
  return Math.min(20, Math.max(0, digits - 1 - whole))
}
