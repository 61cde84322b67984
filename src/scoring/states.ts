/** Checks states that --partial wrote: the file may have been changed, or written by another program. */
import { EXIT, Fatal, isObject } from '../rows/record.ts'

/** @throws TypeError unless it is a finite number */
export function numberIn(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new TypeError('no number')
  return value
}

/** A count, or a sum of counts. @throws TypeError unless it is a number from 0 to 2**53 - 1 */
export function countIn(value: unknown): number {
  const number = numberIn(value)
  if (number < 0 || number > Number.MAX_SAFE_INTEGER) throw new TypeError('no count')
  return number
}

/** Counts by name. @throws TypeError for anything else */
export function countsIn(value: unknown): [string, number][] {
  if (!isObject(value)) throw new TypeError('no object')
  return Object.entries(value).map(([name, one]) => [name, countIn(one)])
}

/** @throws TypeError unless it is a string */
export function textIn(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('no text')
  return value
}

export const optionalText = (value: unknown) => (value === undefined ? undefined : textIn(value))

/** Reads or prints a state. @throws Fatal (data) in place of the errors that a damaged state causes */
export function checkedState<T>(place: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw notAState(place, error)
  }
}

/** @returns the error itself if it is not caused by a damaged state */
export function notAState(place: string, error: unknown): unknown {
  const shape = [TypeError, RangeError, SyntaxError].some((kind) => error instanceof kind)
  const words = `${place}: this is not as --partial writes it`
  return shape ? new Fatal(EXIT.data, words, { cause: error }) : error
}
