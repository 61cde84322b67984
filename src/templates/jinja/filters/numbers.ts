/* Filters on numbers, and those that look at whatever there is: abs, int, float, round, sum, default, attr. */
import { absolute, add } from '../../../python/arithmetic.ts'
import { getAttribute } from '../../../python/attributes.ts'
import { type Arg, given } from '../../../python/calls.ts'
import { roundFloat, toFixed } from '../../../python/decimal.ts'
import { typeError, unless, unsupported, valueError } from '../../../python/error.ts'
import { spend } from '../../../python/limits.ts'
import { readFloat, readInt, truncate } from '../../../python/numbers.ts'
import { iter } from '../../../python/sequences.ts'
import {
  float,
  indexOf,
  intOf,
  isInt,
  misused,
  needText,
  Obj,
  textOf,
  toFloat,
  truthy,
  typeName,
  type Value,
} from '../../../python/values.ts'
import { lookupAttribute } from '../lookup.ts'
import { Undefined } from '../undefined.ts'
import { type Filter, filter, getter } from './filter.ts'

/** float(value); undefined where Python raises TypeError or ValueError. */
const tryFloat = (value: Value): number | undefined => {
  if (value instanceof Undefined) throw value.misuse()
  const text = textOf(value)
  return text === undefined ? toFloat(value) : readFloat(text)
}

/** int(value), where "42.23" is 42. */
const toInt = (value: Value, fallback: Arg, base: Arg): Value => {
  const text = textOf(value)
  const whole = text === undefined ? undefined : readInt(text, indexOf(given(base, 10)))
  if (whole !== undefined) return whole
  if (isInt(value)) return intOf(value)
  const number = tryFloat(value)
  if (number === undefined) return given(fallback, 0)
  // An infinity is an error in Jinja2 too, but for the text of one.
  return given(
    unless(text === undefined ? 'ValueError' : 'ValueError OverflowError', () => truncate(number)),
    given(fallback, 0),
  )
}

const round = (value: Value, places: Arg, method: Arg): Value => {
  const how = method === undefined ? 'common' : textOf(method)
  if (how !== 'common' && how !== 'ceil' && how !== 'floor')
    throw valueError('method must be common, ceil or floor')
  const number = toFloat(value)
  if (number === undefined) throw misused(typeError(`a ${typeName(value)} can't be rounded`), value)
  const digits = places === undefined ? 0 : indexOf(places)
  if (how !== 'common') {
    const factor = 10 ** digits
    return float(Math[how](number * factor) / factor)
  }
  if (isInt(value)) {
    if (digits < 0) throw unsupported('rounding an int to tens')
    return intOf(value)
  }
  return float(Number.isFinite(number) ? roundFloat(number, digits) : number)
}

const PREFIXES = ['k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y']

const fileSize = (value: Value, binary: boolean): string => {
  const bytes = tryFloat(value)
  if (bytes === undefined || !Number.isFinite(bytes)) throw valueError('the filter needs a finite number')
  const base = binary ? 1024 : 1000
  if (bytes === 1) return '1 Byte'
  if (bytes < base) return `${truncate(bytes)} Bytes`
  const unit = (i: number) => base ** (i + 2)
  let i = 0
  while (i < PREFIXES.length - 1 && bytes >= unit(i)) i++
  const name = binary ? `${PREFIXES[i]!.toUpperCase()}iB` : `${PREFIXES[i]}B`
  return `${toFixed((base * bytes) / unit(i), 1)} ${name}`
}

const fallBack = filter('value ? default_value boolean', (_, value, fallback, boolean) =>
  value instanceof Undefined || (truthy(boolean ?? false) && !truthy(value!)) ? given(fallback, '') : value!,
)

export const NUMBER_FILTERS: Record<string, Filter> = {
  abs: filter('x', (_, value) => absolute(value!)),
  attr: filter('obj name', (context, obj, name) => {
    const attribute = needText(name)
    if (obj instanceof Obj && obj.misuse()) throw obj.misuse()!
    return getAttribute(obj!, attribute) === undefined
      ? context.undefined({ of: obj!, name: attribute })
      : lookupAttribute(context, obj!, attribute)
  }),
  d: fallBack,
  default: fallBack,
  filesizeformat: filter('value ? binary', (_, value, binary) => fileSize(value!, truthy(binary ?? false))),
  float: filter('value ? default', (_, value, fallback) => {
    const number = tryFloat(value!)
    return number === undefined ? given(fallback, float(0)) : float(number)
  }),
  int: filter('value ? default base', (_, value, fallback, base) => toInt(value!, fallback, base)),
  round: filter('value ? precision method', (_, value, places, method) => round(value!, places, method)),
  sum: filter('iterable ? attribute start', (context, value, attribute, start) => {
    const get = getter(context, attribute)
    let total: Value = given(start, 0)
    if (textOf(total) !== undefined) throw typeError("sum() can't sum strings")
    const next = iter(value!)
    for (let item = next(); item !== undefined; item = next()) {
      spend(1)
      total = add(total, get(item))
    }
    return total
  }),
}
