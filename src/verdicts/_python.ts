/** JSON and numbers as Python's `json.loads` and `float` read them, for originals whose code does. */

import { readFloat } from '../python/numbers.ts'
import { strip } from '../python/unicode.ts'
import { type Json, RowFailure, type Verdict } from '../rows/record.ts'

/** NaN, Infinity and -Infinity, which Python's JSON has, as texts: `float` reads them all the same. */
export function withoutNaN(text: string): string {
  // A byte order mark, which JavaScript would trim, is an error there.
  if (strip(text).startsWith('\ufeff')) return ''
  return text.replace(/"(?:[^"\\]|\\.)*(?:"|$)|-?Infinity\b|\bNaN\b/gs, (found) =>
    found.startsWith('"') ? found : `"${found}"`,
  )
}

/**
 * `float(value)` as a score. What is not a finite number is dropped: a mean leaves NaN out too.
 * @throws RowFailure no_verdict where Python would raise
 */
export function pythonNumber(value: Json, path: string): Partial<Verdict> {
  const number =
    typeof value === 'string'
      ? readFloat(value)
      : typeof value === 'number' || typeof value === 'boolean'
        ? Number(value)
        : undefined
  if (number === undefined)
    throw new RowFailure('no_verdict', `"${path}" is ${JSON.stringify(value).slice(0, 60)}, not a number`)
  return Number.isFinite(number) ? { score: number } : { score: null, failure: 'no_verdict', dropped: true }
}

/** Where an original's program ends there is no value of its own: the row fails, and the others go on. */
export const CRASH = { original: 'crash' }

/** The digits of a number that Python evaluates: 08 is not one, nor are digits of other scripts. @throws RowFailure where the original stops */
export function asLiteral(text: string): string {
  if ((/^0\d+$/.test(text) && /[1-9]/.test(text)) || /[^\d.]/.test(text))
    throw new RowFailure('no_verdict', `the original stops at ${text}: no number of Python's`, CRASH)
  return text
}
