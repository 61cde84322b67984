/** Symmetric positive definite matrices, row by row in one array, and the logistic function. */

/** Replaces a matrix by the lower triangle of its Cholesky factor; false where it is not positive definite. */
export function cholesky(a: Float64Array, n: number): boolean {
  for (let j = 0; j < n; j++) {
    let sum = a[j * n + j]!
    const scale = sum
    for (let k = 0; k < j; k++) sum -= a[j * n + k]! ** 2
    if (!(sum > scale * 1e-13)) return false
    const root = Math.sqrt(sum)
    a[j * n + j] = root
    for (let i = j + 1; i < n; i++) {
      let value = a[i * n + j]!
      for (let k = 0; k < j; k++) value -= a[i * n + k]! * a[j * n + k]!
      a[i * n + j] = value / root
    }
  }
  return true
}

/** Solves A x = b with A's Cholesky factor; x replaces b. */
export function solveBy(factor: Float64Array, n: number, b: Float64Array): Float64Array {
  for (let i = 0; i < n; i++) {
    let value = b[i]!
    for (let k = 0; k < i; k++) value -= factor[i * n + k]! * b[k]!
    b[i] = value / factor[i * n + i]!
  }
  for (let i = n - 1; i >= 0; i--) {
    let value = b[i]!
    for (let k = i + 1; k < n; k++) value -= factor[k * n + i]! * b[k]!
    b[i] = value / factor[i * n + i]!
  }
  return b
}

/** H⁻¹ V H⁻¹ with H's Cholesky factor. */
export function sandwich(factor: Float64Array, n: number, middle: Float64Array): Float64Array {
  const half = new Float64Array(n * n)
  for (let i = 0; i < n; i++) half.set(solveBy(factor, n, middle.slice(i * n, (i + 1) * n)), i * n)
  const out = new Float64Array(n * n)
  for (let j = 0; j < n; j++) {
    const column = new Float64Array(n)
    for (let i = 0; i < n; i++) column[i] = half[i * n + j]!
    out.set(solveBy(factor, n, column), j * n)
  }
  return out
}

/** aᵀ b. */
export const dot = (a: Float64Array, b: Float64Array): number =>
  a.reduce((sum, one, i) => sum + one * b[i]!, 0)

/** cᵀ A c. */
export function quadraticForm(a: Float64Array, n: number, c: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) sum += c[i]! * a[i * n + j]! * c[j]!
  return sum
}

export const sigmoid = (x: number): number =>
  x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x))

/** ln(1 + eˣ). */
export const softplus = (x: number): number => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)))
