/**
 * The weight of each member of a jury, from labels: a logistic model of the label by the members' votes, with equal weights
 * or free ones, whichever has the more evidence. MacKay, "Bayesian interpolation" (1992), for the choice by evidence; Nitzan
 * and Paroush, "Optimal decision rules in uncertain dichotomous choice situations" (1982), for log odds as weights.
 */
import { cholesky, sigmoid, softplus, solveBy } from './matrix.ts'

/** A member's vote, or a label: 1 for A or yes, −1 for B or no, 0 for a tie or none. */
export type Vote = 1 | 0 | -1

export interface JuryWeights {
  fit: 'equal' | 'weighted'
  weights: number[]
  /** Of options: added to the sum of weighted votes. */
  constant: number
}

/** Variance of the prior of the constant; that of weights is 1. */
const CONSTANT_PRIOR = 4
const CLOSE = 1e-12

/**
 * Learns a jury's weights.
 * @param votes an item's votes, one a member, for each item
 * @param labels 1 or −1 of each item
 * @param options yes and no count alike, whatever their shares
 */
export function learnWeights(
  votes: readonly (readonly Vote[])[],
  labels: readonly Vote[],
  options: boolean,
): JuryWeights {
  const members = votes[0]?.length ?? 0
  const kind = (label: Vote) => labels.filter((one) => one === label).length
  const [yes, no] = [Math.max(1, kind(1)), Math.max(1, kind(-1))]
  const importance = labels.map((label) => (options ? labels.length / 2 / (label === 1 ? yes : no) : 1))
  const sums = votes.map((of) => [of.reduce((sum: number, vote) => sum + vote, 0)])
  const equal = fitted(sums, labels, importance, [1], [1])
  const rows = options ? votes.map((of) => [...of, 1]) : votes
  const variances = [...Array(members).fill(1), ...(options ? [CONSTANT_PRIOR] : [])]
  const free = fitted(
    rows,
    labels,
    importance,
    variances.map(() => 0),
    variances,
  )
  if (equal.evidence >= free.evidence)
    return { fit: 'equal', weights: Array(members).fill(equal.parameters[0]), constant: 0 }
  return {
    fit: 'weighted',
    weights: free.parameters.slice(0, members),
    constant: options ? free.parameters[members]! : 0,
  }
}

/** The highest posterior of a logistic model with normal priors, and the log of its evidence by Laplace's approximation. */
function fitted(
  rows: readonly (readonly number[])[],
  labels: readonly Vote[],
  importance: readonly number[],
  means: readonly number[],
  variances: readonly number[],
): { parameters: number[]; evidence: number } {
  const size = means.length
  const scoreOf = (w: readonly number[], i: number) =>
    labels[i]! * rows[i]!.reduce((sum, x, k) => sum + x * w[k]!, 0)
  const cost = (w: readonly number[]) => {
    let sum = 0
    for (const i of rows.keys()) sum += importance[i]! * softplus(-scoreOf(w, i))
    for (let k = 0; k < size; k++) sum += (w[k]! - means[k]!) ** 2 / variances[k]! / 2
    return sum
  }
  const derivatives = (w: readonly number[]) => {
    const gradient = Float64Array.from(w, (one, k) => (one - means[k]!) / variances[k]!)
    const hessian = new Float64Array(size * size)
    for (let k = 0; k < size; k++) hessian[k * size + k] = 1 / variances[k]!
    for (const [i, x] of rows.entries()) {
      const p = sigmoid(-scoreOf(w, i))
      for (let k = 0; k < size; k++) {
        gradient[k]! -= importance[i]! * p * labels[i]! * x[k]!
        for (let l = 0; l < size; l++) hessian[k * size + l]! += importance[i]! * p * (1 - p) * x[k]! * x[l]!
      }
    }
    // Precisions on the diagonal make it positive definite.
    cholesky(hessian, size)
    return { gradient, factor: hessian }
  }
  let parameters = [...means]
  let present = cost(parameters)
  for (let times = 0; times < 200; times++) {
    const { gradient, factor } = derivatives(parameters)
    const step = solveBy(factor, size, gradient)
    let scale = 1
    const moved = () => parameters.map((one, k) => one - scale * step[k]!)
    while (cost(moved()) > present && scale > CLOSE) scale /= 2
    parameters = moved()
    present = Math.min(present, cost(parameters))
    if (step.every((one) => Math.abs(one) < CLOSE)) break
  }
  const { factor } = derivatives(parameters)
  let evidence = -cost(parameters)
  for (let k = 0; k < size; k++) evidence -= Math.log(variances[k]!) / 2 + Math.log(factor[k * size + k]!)
  return { parameters, evidence }
}

/** The sum of an item's weighted votes; one this small is 0. */
export function juryScore({ weights, constant }: JuryWeights, votes: readonly Vote[]): number {
  const score = votes.reduce((sum, vote, i) => sum + vote * weights[i]!, constant)
  return Math.abs(score) < 1e-9 ? 0 : score
}
