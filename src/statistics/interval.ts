/** Confidence intervals of shares, and the normal distribution. */

/**
 * Quantile of the standard normal distribution; p in (0, 1).
 * P. J. Acklam's rational approximation with one step of Halley's method: relative error below 1e-15.
 */
export function normalQuantile(p: number): number {
  if (p < 0.5) return -normalQuantile(1 - p)
  if (p === 0.5) return 0
  if (p >= 1) return Number.POSITIVE_INFINITY
  let x: number
  if (p > 0.97575) {
    const q = Math.sqrt(-2 * Math.log(1 - p))
    x =
      -(
        ((((-7.784894002430293e-3 * q - 0.3223964580411365) * q - 2.400758277161838) * q -
          2.549732539343734) *
          q +
          4.374664141464968) *
          q +
        2.938163982698783
      ) /
      ((((7.784695709041462e-3 * q + 0.3224671290700398) * q + 2.445134137142996) * q + 3.754408661907416) *
        q +
        1)
  } else {
    const q = p - 0.5
    const r = q * q
    x =
      ((((((-39.69683028665376 * r + 220.9460984245205) * r - 275.9285104469687) * r + 138.357751867269) * r -
        30.66479806614716) *
        r +
        2.506628277459239) *
        q) /
      (((((-54.47609879822406 * r + 161.5858368580409) * r - 155.6989798598866) * r + 66.80131188771972) * r -
        13.28068155288572) *
        r +
        1)
  }
  const error = 0.5 * erfc(-x / Math.SQRT2) - p
  const u = error * Math.sqrt(2 * Math.PI) * Math.exp((x * x) / 2)
  return x - u / (1 + (x * u) / 2)
}

/** Complementary error function: series near 0, Lentz's continued fraction beyond; to double precision. */
export function erfc(x: number): number {
  if (x < 0) return 2 - erfc(-x)
  if (x < 2.5) {
    // erf(x) = 2/sqrt(pi) · exp(-x²) · Σ 2ⁿ x^(2n+1) / (1·3·…·(2n+1)); all terms positive.
    let term = x
    let sum = x
    for (let n = 1; term > sum * 1e-17; n++) {
      term *= (2 * x * x) / (2 * n + 1)
      sum += term
    }
    return 1 - (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum
  }
  let fraction = 0
  for (let n = 60; n >= 1; n--) fraction = n / 2 / (x + fraction)
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction)
}

/**
 * Wilson's score interval for a share of `count` in `total` at confidence `level` (Wilson 1927).
 * Null if total is 0. `count` may be fractional (ties as halves).
 */
export function wilson(count: number, total: number, level: number): [low: number, high: number] | null {
  if (total === 0) return null
  const z = normalQuantile((1 + level) / 2)
  const share = count / total
  const middle = share + (z * z) / (2 * total)
  const spread = z * Math.sqrt((share * (1 - share)) / total + (z * z) / (4 * total * total))
  const scale = 1 + (z * z) / total
  return [
    count === 0 ? 0 : Math.max(0, (middle - spread) / scale),
    count === total ? 1 : Math.min(1, (middle + spread) / scale),
  ]
}
