/** From which confidence on a judge may be trusted instead of a better one. */

/** An item: how confident the judge is, and whether trusting it is a loss. */
interface Trusted {
  confidence: number
  loss: boolean
}

/** Items by confidence, the most confident first; those with the same one together. */
function levels(items: readonly Trusted[]): { confidence: number; items: number; losses: number }[] {
  const sorted = [...items].sort((a, b) => b.confidence - a.confidence)
  const found: { confidence: number; items: number; losses: number }[] = []
  for (const [i, { confidence, loss }] of sorted.entries()) {
    const last = found.at(-1)
    const losses = (last?.losses ?? 0) + Number(loss)
    if (last && last.confidence === confidence) Object.assign(last, { items: i + 1, losses })
    else found.push({ confidence, items: i + 1, losses })
  }
  return found
}

/**
 * The least confidence that may be trusted so that, on average over samples like this one, at most a share `alpha` of all items
 * is a loss; null if none may. Conformal risk control (Angelopoulos and others, ICLR 2024).
 * @param n all items of the sample, with those that are never trusted
 */
export function conformalThreshold(items: readonly Trusted[], n: number, alpha: number): number | null {
  let threshold: number | null = null
  for (const { confidence, losses } of levels(items)) {
    if ((losses + 1) / (n + 1) > alpha + 1e-12) break
    threshold = confidence
  }
  return threshold
}

/**
 * The least confidence that may be trusted so that, with a probability of 1 − delta, at most a share `alpha` of the trusted items
 * is a loss; null if none may. Fixed sequence testing by the exact binomial bound (Jung and others, arXiv 2407.18370).
 */
export function testedThreshold(items: readonly Trusted[], alpha: number, delta: number): number | null {
  const found = levels(items)
  const step = Math.max(1, Math.floor(items.length / 20))
  let threshold: number | null = null
  for (let i = Math.ceil(Math.log(delta) / Math.log(1 - alpha)); i <= items.length; i += step) {
    const level = found.find((one) => one.items >= i)!
    if (binomialCdf(level.losses, level.items, alpha) > delta) break
    threshold = level.confidence
  }
  return threshold
}

/** P(X ≤ k) of n trials with probability p: at most δ where the upper bound of Clopper and Pearson at level 1 − δ is at most p. */
function binomialCdf(k: number, n: number, p: number): number {
  let log = n * Math.log1p(-p)
  let sum = Math.exp(log)
  for (let i = 1; i <= k; i++) {
    log += Math.log((n - i + 1) / i) + Math.log(p) - Math.log1p(-p)
    sum += Math.exp(log)
  }
  return sum
}
