/** JSON and numbers as Python's `json.loads` and `float` read them, for originals that use these. */

import { readFloat } from '../python/numbers.ts'
import { type Json, RowFailure, type Verdict } from '../rows/record.ts'
import { numberAt } from './_numbers.ts'

/** Puts NaN, Infinity and -Infinity, which Python's JSON allows, into quotes: `float` reads strings, too. */
export function withoutNaN(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*(?:"|$)|-?Infinity\b|\bNaN\b/gs, (found) =>
    found.startsWith('"') ? found : `"${found}"`,
  )
}

const pythonFloat = (value: Json) =>
  typeof value === 'string'
    ? readFloat(value)
    : typeof value === 'number' || typeof value === 'boolean'
      ? Number(value)
      : undefined

/**
 * `float(value)` as a score. NaN and infinities are dropped, as a mean leaves them out.
 * @throws RowFailure no_verdict if Python would raise an error
 */
export function pythonNumber(value: Json, path: string): Partial<Verdict> {
  const score = numberAt(path, value, pythonFloat)
  return Number.isFinite(score) ? { score } : { score: null, failure: 'no_verdict', dropped: true }
}

/** Detail of a failure at which the original crashes; here only the row fails. */
export const CRASH = { original: 'crash' }

/** The text, if Python can evaluate it: not 08, nor digits of other scripts. @throws RowFailure if the original would crash */
export function asLiteral(text: string): string {
  if ((/^0\d+$/.test(text) && /[1-9]/.test(text)) || /[^\d.]/.test(text))
    throw new RowFailure(
      'no_verdict',
      `the original crashes at ${text}, which is not a number in Python`,
      CRASH,
    )
  return text
}
