/** Samples with known probabilities: what was less likely to be taken counts more (Horvitz and Thompson 1952). */

/**
 * The probability of each item to be among n that are taken with chances proportional to their sizes; at most 1, and what that
 * leaves over goes to the others. All 1 for n items or fewer. @param sizes above 0
 */
export function inclusionProbabilities(sizes: readonly number[], n: number): number[] {
  const certain = new Set<number>()
  for (;;) {
    let rest = 0
    for (const [i, size] of sizes.entries()) if (!certain.has(i)) rest += size
    const scale = (n - certain.size) / rest
    const before = certain.size
    for (const [i, size] of sizes.entries()) if (size * scale >= 1) certain.add(i)
    if (certain.size === before || certain.size === sizes.length)
      return sizes.map((size, i) => (certain.has(i) ? 1 : size * scale))
  }
}

/**
 * Systematic sampling (Madow 1949): the items at which the running sum of the probabilities passes start, start + 1, …; as
 * many as they add up to, each with its own probability. The order has to be random.
 * @param start uniform from 0 to 1 @returns indexes
 */
export function systematicSample(probabilities: readonly number[], start: number): number[] {
  const taken: number[] = []
  // Sums of floats may miss a whole number by a little.
  const total = Math.round(probabilities.reduce((sum, one) => sum + one, 0))
  let sum = 0
  for (const [i, p] of probabilities.entries()) {
    sum += p
    if (
      taken.length < total &&
      (sum > start + taken.length || i + total - taken.length === probabilities.length)
    )
      taken.push(i)
  }
  return taken
}
