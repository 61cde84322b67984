/*
 * Limits of a template's resources, so that a hostile one neither hangs nor exhausts memory. Rendering is synchronous, so
 * one meter is enough. Limits are counts, not times: a template and context fail on every machine or on none. They cannot
 * be switched off.
 */
import { limitError } from './error.ts'

/** Characters of one string or of the output. */
export const MAX_LENGTH = 1 << 26
/** Items of one list. */
const MAX_ITEMS = 1_000_000
/** Digits of an integer as text: Python's own limit for str() and int(). */
export const MAX_DIGITS = 4300
/** Macros, includes and recursive loops inside one another: Python stops at about this depth. */
export const MAX_DEPTH = 200
/** Steps of one render: an iteration of a loop or an item of a list is one step, so are 64 characters. */
const MAX_STEPS = 2_000_000

let steps = 0

export const resetMeter = (): void => {
  steps = 0
}

/** Counts steps. @returns those of this render so far @throws LimitError over the limit of a render */
export const spend = (count: number): number => {
  steps += count
  if (steps > MAX_STEPS) throw limitError(`the template takes more than ${MAX_STEPS} steps`)
  return steps
}

/** Counts a string that is about to be made or searched. */
export const spendLength = (length: number): void => {
  if (length > MAX_LENGTH) throw limitError(`a string is longer than ${MAX_LENGTH} characters`)
  spend(length >> 6)
}

/** Counts a list that is about to be made. */
export const spendItems = (count: number): void => {
  if (count > MAX_ITEMS) throw limitError(`a list has more than ${MAX_ITEMS} items`)
  spend(count)
}

// A template may change its data: `items.append(x)`. The caller's data must not change, but copying every context would
// be slow. So a render begins on the caller's data; the first change stops it, and it begins again on a copy.

let isCopy = false

/** Thrown by the first change to the caller's data. */
class NeedsCopy extends Error {}

/** Call before changing any value. */
export const beforeChange = (): void => {
  if (!isCopy) throw new NeedsCopy('the template changes its data')
}

/** A function that renders, and renders again with `changes` if the template changes its data. */
export const copyOnChange = <T>(render: (given: T, changes: boolean) => string): ((given: T) => string) => {
  let changes = false
  return (given) => {
    for (;;)
      try {
        isCopy = changes
        return render(given, changes)
      } catch (error) {
        if (!(error instanceof NeedsCopy)) throw error
        changes = true
      }
  }
}
