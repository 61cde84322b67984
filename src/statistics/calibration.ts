/** How well stated probabilities match what happened. */

export interface Calibration {
  n: number
  /** Mean squared distance of probability and outcome (Brier 1950). */
  brier: number
  /** Expected calibration error: Σ n_b/n · |mean p − share| (Naeini et al. 2015); biased upwards for few items. */
  ece: number
  /** The largest of a bin's errors. */
  mce: number
  /** The same over bins of equal size. */
  eceEqualMass: number
  /** Murphy's terms (1973): brier ≈ reliability − resolution + uncertainty. */
  reliability: number
  resolution: number
  uncertainty: number
  /** Mean p − share of ones. */
  overconfidence: number
  /** A row a bin that holds any: its number, how many, their mean p, the share of ones. */
  bins: [bin: number, n: number, p: number, share: number][]
}

/**
 * Calibration over `bins` bins of equal width (lo, hi], the first of which also holds 0.
 * @param p probabilities of outcomes 1
 */
export function calibration(p: readonly number[], y: readonly number[], bins = 10): Calibration | null {
  const n = p.length
  if (n === 0) return null
  // Equal probabilities keep the order in which they were given.
  const order = [...p.keys()].sort((i, j) => p[i]! - p[j]!)
  const base = y.reduce((sum, one) => sum + one, 0) / n
  const rows: Calibration['bins'] = []
  let [brier, ece, mce, reliability, resolution, total] = [0, 0, 0, 0, 0, 0]
  for (let at = 0; at < n; ) {
    const bin = binOf(p[order[at]!]!, bins)
    let [size, mean, ones] = [0, 0, 0]
    for (; at < n && binOf(p[order[at]!]!, bins) === bin; at++) {
      const i = order[at]!
      size++
      mean += p[i]!
      ones += y[i]!
      total += p[i]!
      brier += (p[i]! - y[i]!) ** 2
    }
    mean /= size
    const share = ones / size
    rows.push([bin, size, mean, share])
    ece += (size / n) * Math.abs(mean - share)
    mce = Math.max(mce, Math.abs(mean - share))
    reliability += (size / n) * (mean - share) ** 2
    resolution += (size / n) * (share - base) ** 2
  }
  return {
    n,
    brier: brier / n,
    ece,
    mce,
    eceEqualMass: equalMass(
      order.map((i) => p[i]!),
      order.map((i) => y[i]!),
      bins,
    ),
    reliability,
    resolution,
    uncertainty: base * (1 - base),
    overconfidence: total / n - base,
    bins: rows,
  }
}

const binOf = (p: number, bins: number) => Math.max(0, Math.min(bins - 1, Math.ceil(p * bins) - 1))

/** Sorted values cut into runs whose sizes differ by one at most, the longer ones first. */
function equalMass(p: readonly number[], y: readonly number[], bins: number): number {
  const n = p.length
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0)
  let [error, from] = [0, 0]
  for (let bin = 0; bin < bins; bin++) {
    const to = from + Math.floor(n / bins) + Number(bin < n % bins)
    error += Math.abs(sum(p.slice(from, to)) - sum(y.slice(from, to))) / n
    from = to
  }
  return error
}
