/** The scale of a score. A score outside it is a failure and never clamped. */
import type { Judge } from '../judges/_judge.ts'
import { configError, RowFailure } from '../rows/record.ts'

/** Checks a judge's `range`. @throws Fatal (configuration) unless it is [lowest, highest] */
export function checkedRange(range: unknown, judge: Judge): [number, number] | undefined {
  if (range === undefined) return undefined
  const [low, high] = Array.isArray(range) && range.length === 2 && range.every(Number.isFinite) ? range : []
  if (!(low < high)) throw configError(`${judge.where}: verdict.range must be [lowest, highest]`)
  return [low, high]
}

/** @throws RowFailure out_of_range */
export function inRange(score: number, [low, high]: [number, number]): void {
  if (score < low || score > high)
    throw new RowFailure('out_of_range', `the score ${score} is not within ${low} to ${high}`, { score })
}
