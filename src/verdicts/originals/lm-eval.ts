/**
 * lm-evaluation-harness' llm_judge (pull request 3534): an unreadable reply and a failed call score 0. The schema of replies is
 * genson's, of which only the top level is closed.
 */
import { inferSchema } from '../../judges/_example_schema.ts'
import type { Judge } from '../../judges/_judge.ts'
import { withoutNaN } from '../../python/json.ts'
import { readFloat } from '../../python/numbers.ts'
import { SPACE, strip } from '../../python/unicode.ts'
import { isObject, type Json, type JsonObject, RowFailure, type Verdict } from '../../rows/record.ts'
import { jsonValue } from '../_json.ts'
import { numberAt } from '../_numbers.ts'
import { nothing, type Reading } from '../_original.ts'
import { asWords, dimensionsOf } from '../json.ts'

export const failed = 0

export function asking(judge: Judge): Judge {
  const { example, request } = judge
  if (example === undefined) return judge
  const format = request!.response_format as { json_schema: JsonObject }
  const schema = {
    $schema: 'http://json-schema.org/schema#',
    ...inferSchema(example, 'genson'),
    required: Object.keys(example),
    additionalProperties: false,
  }
  const response_format = { ...format, json_schema: { ...format.json_schema, schema } }
  return { ...judge, request: { ...request, response_format } }
}

const SCORE = new RegExp(`Score:[${SPACE}]*([0-9]*\\.?[0-9]+)`, 'iu')

/** The explanation: all but the first line, wherever the score is. */
function reasonOf(text: string): string {
  const whole = strip(text)
  const end = whole.indexOf('\n')
  return end < 0 ? '' : strip(whole.slice(end + 1))
}

const pythonFloat = (value: Json) =>
  typeof value === 'string'
    ? readFloat(value)
    : typeof value === 'number' || typeof value === 'boolean'
      ? Number(value)
      : undefined

/** `float(value)` as a score. NaN and infinities are dropped, as a mean leaves them out. */
function scoreOf(value: Json, key: string): Partial<Verdict> {
  const score = numberAt(key, value, pythonFloat)
  return Number.isFinite(score) ? { score } : { score: null, failure: 'no_verdict', dropped: true }
}

/** The reply is a JSON object and nothing else. */
function objectOf(text: string): JsonObject {
  const value = jsonValue(withoutNaN(text))
  if (value === undefined) throw nothing('JSON object')
  if (isObject(value)) return value
  const shown = Array.isArray(value) ? 'a list' : JSON.stringify(value).slice(0, 60)
  throw new RowFailure('bad_response', `expected a JSON object, the reply is ${shown}`)
}

export const readings: Record<string, Reading> = {
  text: {
    read(text) {
      const [whole, digits] = SCORE.exec(text) ?? []
      const score = digits === undefined ? Number.NaN : Number(digits)
      if (!Number.isFinite(score)) throw nothing('score')
      return { label: whole!.trim(), score, reason: reasonOf(text) }
    },
    otherwise: ({ code }, text) => ({ label: null, score: 0, failure: code, reason: reasonOf(text) }),
  },
  json: {
    read(text, _, { verdict }) {
      const object = objectOf(text)
      const key = String(verdict!.score)
      // The original's score field is a key, not a path.
      const said = Object.hasOwn(object, key) ? object[key]! : undefined
      if (said === undefined)
        throw new RowFailure('no_verdict', `"${key}" is missing in the JSON`, { object })
      const dimensions = dimensionsOf(object, [key])
      const score = scoreOf(said, key)
      return { label: asWords(said), ...score, ...(dimensions && { dimensions }), object }
    },
    otherwise: ({ code, message, detail: { object } }) => ({
      ...{ label: null, score: 0, failure: code },
      ...(object !== undefined && { object: object as JsonObject }),
      ...(code === 'bad_response' && { error: message }),
    }),
  },
}
