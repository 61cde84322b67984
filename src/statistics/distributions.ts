/** Binomial, beta, normal and Student's t distributions. Values agree with SciPy's to some 1e-13 relative, also in the tails. */
import { erfc } from './interval.ts'

const LN_SQRT_2PI = 0.9189385332046727

/** Lanczos' approximation (g = 7, nine terms); x > 0. */
function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x)
  const z = x - 1
  let sum = 0.9999999999998099
  for (const [i, term] of LANCZOS.entries()) sum += term / (z + i + 1)
  const t = z + 7.5
  return LN_SQRT_2PI + (z + 0.5) * Math.log(t) - t + Math.log(sum)
}

const LANCZOS = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
]

/** ln n! − Stirling's formula, for real n > 0 (Loader, "Fast and accurate computation of binomial probabilities", 2000). */
function stirlingError(n: number): number {
  if (n <= 15) return logGamma(n + 1) - (n + 0.5) * Math.log(n) + n - LN_SQRT_2PI
  const nn = n * n
  return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / nn) / nn) / nn) / nn) / n
}

/** x ln(x/np) + np − x, without cancellation if x and np are close (Loader 2000). */
function deviance(x: number, np: number): number {
  if (Math.abs(x - np) >= 0.1 * (x + np)) return x * Math.log(x / np) + np - x
  const v = (x - np) / (x + np)
  let sum = (x - np) * v
  let term = 2 * x * v
  for (let j = 1; ; j++) {
    term *= v * v
    const next = sum + term / (2 * j + 1)
    if (next === sum) return sum
    sum = next
  }
}

/** Probability of x successes in n, also for real x and n; p is that of one success, q = 1 − p. */
export function binomialPmf(x: number, n: number, p: number, q = 1 - p): number {
  if (x < 0 || x > n) return 0
  if (p === 0) return x === 0 ? 1 : 0
  if (q === 0) return x === n ? 1 : 0
  if (x === 0) return Math.exp(n * (p < 0.1 ? Math.log1p(-p) : Math.log(q)))
  if (x === n) return Math.exp(n * (q < 0.1 ? Math.log1p(-q) : Math.log(p)))
  const log =
    stirlingError(n) - stirlingError(x) - stirlingError(n - x) - deviance(x, n * p) - deviance(n - x, n * q)
  return Math.exp(log) * Math.sqrt(n / (2 * Math.PI * x * (n - x)))
}

/** P(X ≤ k) for n fair coins, from the probability of k downwards; k ≤ n/2. */
function lowerHalf(k: number, n: number): number {
  let term = binomialPmf(k, n, 0.5)
  let sum = term
  for (let i = k; i > 0 && term > sum * 1e-18; i--) {
    term *= i / (n - i + 1)
    sum += term
  }
  return sum
}

/** Exact two-sided test of `count` in `total` against one half; 1 without any. */
export function binomialTest(count: number, total: number): number {
  if (total === 0) return 1
  return Math.min(1, 2 * lowerHalf(Math.min(count, total - count), total))
}

/** Regularised incomplete beta function I_x(a, b): Lentz's continued fraction. */
export function betaCdf(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  return x < (a + 1) / (a + b + 2) ? betaTail(x, 1 - x, a, b) : 1 - betaTail(1 - x, x, b, a)
}

/** I_x(a, b) for x below the mean; y = 1 − x. */
function betaTail(x: number, y: number, a: number, b: number): number {
  const front = (binomialPmf(a, a + b, x, y) * b) / (a + b)
  const tiny = 1e-300
  let c = 1
  let d = 1 / away(1 - ((a + b) * x) / (a + 1), tiny)
  let fraction = d
  for (let m = 1; m < 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / away(1 + even * d, tiny)
    c = away(1 + even / c, tiny)
    fraction *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / away(1 + odd * d, tiny)
    c = away(1 + odd / c, tiny)
    fraction *= d * c
    if (Math.abs(d * c - 1) < 1e-16) break
  }
  return front * fraction
}

const away = (value: number, tiny: number) => (Math.abs(value) < tiny ? tiny : value)

/** x with I_x(a, b) = p, by bisection and Newton's steps. */
export function betaQuantile(p: number, a: number, b: number): number {
  if (p <= 0) return 0
  if (p >= 1) return 1
  return solve((x) => betaCdf(x, a, b) - p, 0, 1)
}

/** Two-sided p of Student's t with `freedom` degrees of freedom. */
export function tTest(t: number, freedom: number): number {
  if (!Number.isFinite(t)) return 0
  const tt = t * t
  const whole = freedom + tt
  const [a, b] = [freedom / 2, 0.5]
  // Computed from both shares, as 1 − x would lose digits.
  return freedom / whole < (a + 1) / (a + b + 2)
    ? betaTail(freedom / whole, tt / whole, a, b)
    : 1 - betaTail(tt / whole, freedom / whole, b, a)
}

/** P(F ≥ f) with `above` and `below` degrees of freedom. */
export function fTest(f: number, above: number, below: number): number {
  if (!Number.isFinite(f)) return 0
  return betaCdf(below / (below + above * f), below / 2, above / 2)
}

/** The t for which a share `level` of Student's distribution lies within ±t. */
export function tQuantile(level: number, freedom: number): number {
  let high = 2
  while (tTest(high, freedom) > 1 - level) high *= 2
  return solve((t) => 1 - level - tTest(t, freedom), 0, high)
}

/** Student's interval of a mean, from the standard deviation of its n values (n − 1). */
export function tInterval(mean: number, sd: number, n: number, level: number): [low: number, high: number] {
  const reach = (tQuantile(level, n - 1) * sd) / Math.sqrt(n)
  return [mean - reach, mean + reach]
}

/** Two-sided p of a standard normal z. */
export const normalTest = (z: number): number => erfc(Math.abs(z) / Math.SQRT2)

/** P(Z ≤ z). */
export const normalCdf = (z: number): number => erfc(-z / Math.SQRT2) / 2

/** The zero of an increasing function between two bounds, by the Illinois method. */
function solve(f: (x: number) => number, low: number, high: number): number {
  let [a, b] = [low, high]
  let [fa, fb] = [f(a), f(b)]
  if (fa >= 0) return a
  if (fb <= 0) return b
  for (let i = 0; i < 300; i++) {
    const middle = i % 3 === 2 ? (a + b) / 2 : (a * fb - b * fa) / (fb - fa)
    const x = middle > a && middle < b ? middle : (a + b) / 2
    if (x === a || x === b || b - a < 1e-16 * Math.abs(b)) return x
    const fx = f(x)
    if (fx === 0) return x
    if (fx < 0) {
      a = x
      fa = fx
      fb /= 2
    } else {
      b = x
      fb = fx
      fa /= 2
    }
  }
  return (a + b) / 2
}
