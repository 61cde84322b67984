/** Logistic regression with soft targets and an L1 penalty, for a handful of features. */
import { sigmoid, softplus } from './matrix.ts'

/** Rows of a regression: `x` has `features` values for each, `y` is from 0 to 1. */
export interface SoftRows {
  features: number
  x: Float64Array
  y: Float64Array
  weight: Float64Array
}

/**
 * Minimises Σ weight · [−y ln p − (1 − y) ln(1 − p)] + penalty · Σ |β|, no intercept, to 1e-12: Newton's steps, each
 * with the penalty's soft threshold (proximal Newton; Lee, Sun and Saunders 2014).
 */
export function lassoLogistic(rows: SoftRows, penalty: number, start?: Float64Array): Float64Array {
  const k = rows.features
  let beta = start ? start.slice() : new Float64Array(k)
  let present = lossOf(rows, beta, penalty)
  for (let step = 0; step < 200; step++) {
    const { gradient, h } = derivatives(rows, beta)
    const move = proximalMove(beta, gradient, h, penalty)
    let scale = 1
    let next = beta
    for (; scale > 1e-9; scale /= 2) {
      next = beta.map((one, i) => one + scale * move[i]!)
      const loss = lossOf(rows, next, penalty)
      if (loss <= present + 1e-13 * Math.abs(present)) {
        present = loss
        break
      }
    }
    if (scale <= 1e-9) return beta
    beta = next
    if (move.every((one) => Math.abs(one) < 1e-12)) return beta
  }
  return beta
}

/** The logit of row i. */
export function logitOf({ features: k, x }: SoftRows, beta: Float64Array, i: number): number {
  let logit = 0
  for (let f = 0; f < k; f++) logit += beta[f]! * x[i * k + f]!
  return logit
}

function lossOf(rows: SoftRows, beta: Float64Array, penalty: number): number {
  const { y, weight } = rows
  let loss = 0
  for (let i = 0; i < y.length; i++) {
    const logit = logitOf(rows, beta, i)
    loss += weight[i]! * (softplus(logit) - y[i]! * logit)
  }
  return loss + penalty * beta.reduce((sum, one) => sum + Math.abs(one), 0)
}

function derivatives(rows: SoftRows, beta: Float64Array) {
  const { features: k, x, y, weight } = rows
  const gradient = new Float64Array(k)
  const h = new Float64Array(k * k)
  for (let i = 0; i < y.length; i++) {
    const p = sigmoid(logitOf(rows, beta, i))
    const spread = weight[i]! * p * (1 - p)
    for (let r = 0; r < k; r++) {
      gradient[r]! += weight[i]! * (p - y[i]!) * x[i * k + r]!
      for (let c = 0; c < k; c++) h[r * k + c]! += spread * x[i * k + r]! * x[i * k + c]!
    }
  }
  return { gradient, h }
}

/** The step d that minimises gradient · d + ½ dᵀHd + penalty · Σ |β + d|, by coordinate descent. */
function proximalMove(
  beta: Float64Array,
  gradient: Float64Array,
  h: Float64Array,
  penalty: number,
): Float64Array {
  const k = beta.length
  const move = new Float64Array(k)
  for (let pass = 0; pass < 2000; pass++) {
    let change = 0
    for (let i = 0; i < k; i++) {
      const curve = Math.max(h[i * k + i]!, 1e-12)
      let slope = gradient[i]!
      for (let j = 0; j < k; j++) slope += h[i * k + j]! * move[j]!
      const at = beta[i]! + move[i]! - slope / curve
      const shrunk = Math.sign(at) * Math.max(0, Math.abs(at) - penalty / curve)
      const next = shrunk - beta[i]!
      change = Math.max(change, Math.abs(next - move[i]!))
      move[i] = next
    }
    if (change < 1e-14) break
  }
  return move
}
