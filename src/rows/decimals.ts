/** JSON of a result: numbers that may be halves have a decimal point, for programs that learn a column's type from its first rows. */
import { isObject, type JsonObject } from './record.ts'

/** Members of a result, and of each of its `items`, that are measured. */
const MEASURED = new Set(['score', 'scores', 'credit', 'std', 'agreement', 'weighted_score'])

/** @throws RangeError if it is nested too deeply */
export function resultJson(result: JsonObject): string {
  const members = Object.entries(result)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${JSON.stringify(key)}:${memberJson(key, value, result.kind === 'list')}`)
  return `{${members.join()}}`
}

/** @param made the `items` are what a judge of kind list made, no results */
function memberJson(key: string, value: unknown, made: boolean): string {
  if (MEASURED.has(key)) return decimal(value)
  if (key === 'items' && !made && Array.isArray(value))
    return `[${value.map((one) => (isObject(one) ? resultJson(one) : JSON.stringify(one))).join()}]`
  return JSON.stringify(value)
}

/** Of a number beyond 1e21 the JSON has an exponent, which is no whole number either. */
function decimal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(decimal).join()}]`
  const json = JSON.stringify(value)
  return /^-?\d+$/.test(json) ? `${json}.0` : json
}
