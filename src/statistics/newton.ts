/** Newton's method for smooth convex losses: Bradley–Terry, its form with covariates, logistic regression. */
import { cholesky, solveBy } from './matrix.ts'

/** A loss of `size` parameters. */
interface Objective {
  size: number
  loss(parameters: Float64Array): number
  /** Of the loss: minus its gradient, and its second derivatives, row by row. */
  derivatives(parameters: Float64Array): { descent: Float64Array; hessian: Float64Array }
}

export interface Optimum {
  parameters: Float64Array
  /** Cholesky factor of the second derivatives at the optimum. */
  factor: Float64Array
}

const MOST_STEPS = 200
/** Steps are this small at the optimum. */
const CLOSE = 1e-11
/** A longer step means that the loss has no finite minimum: e^60 exceeds any odds that data can support. */
const DIVERGING = 60

/** The minimum from a start of zeros, with steps halved until the loss stops rising; null where there is none. */
export function minimize({ size, loss, derivatives }: Objective): Optimum | null {
  let parameters: Float64Array = new Float64Array(size)
  let present = loss(parameters)
  for (let times = 0; times < MOST_STEPS; times++) {
    const { descent, hessian } = derivatives(parameters)
    if (!cholesky(hessian, size)) return null
    const step = solveBy(hessian, size, descent)
    const longest = step.reduce((most, one) => Math.max(most, Math.abs(one)), 0)
    if (!(longest < DIVERGING)) return null
    let scale = 1
    let next = moved(parameters, step, scale)
    let reached = loss(next)
    // The loss is a sum of many terms: differences below this are rounding.
    while (reached > present + 1e-12 * Math.abs(present) && scale > 1e-9) {
      scale /= 2
      next = moved(parameters, step, scale)
      reached = loss(next)
    }
    parameters = next
    present = reached
    if (longest * scale < CLOSE) {
      const { hessian: factor } = derivatives(parameters)
      return cholesky(factor, size) ? { parameters, factor } : null
    }
  }
  return null
}

const moved = (parameters: Float64Array, step: Float64Array, scale: number) =>
  parameters.map((one, i) => one + scale * step[i]!)
