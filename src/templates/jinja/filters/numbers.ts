/* Filters on numbers, and those that look at whatever there is: abs, int, float, round, sum, default, attr. */

import { getAttribute } from '../../../python/attributes.ts'
import { type Arg, given } from '../../../python/calls.ts'
import { roundFloat, toFixed } from '../../../python/decimal.ts'
import { iterate } from '../../../python/iterate.ts'
import { needFloat, parseFloatText, parseIntText, toFloat, truncate } from '../../../python/numbers.ts'
import { absolute, add, divide, multiply, power } from '../../../python/operators.ts'
import { Undefined, undefinedError } from '../../../python/undefined.ts'
import {
  DONE,
  float,
  floatOf,
  indexOf,
  int,
  intOf,
  isInt,
  textOf,
  truthy,
  typeName,
  type Value,
} from '../../../python/values.ts'
import { raise, TemplateError, typeError } from '../../error.ts'
import { spend } from '../../limits.ts'
import { lookupAttribute } from '../lookup.ts'
import { attributeGetter, type Filter, filter } from './filter.ts'

/** int(value), or float(value), as Python has them; undefined where they raise TypeError or ValueError. */
const tryInt = (value: Value, base: Arg): Value | undefined => {
  const text = textOf(value)
  if (text !== undefined) return recover(() => parseIntText(text, indexOf(given(base, 10))))
  if (isInt(value)) return intOf(value)
  const number = floatOf(value)
  if (number !== undefined) return recover(() => truncate(number))
  return orUndefinedError(value)
}

const tryFloat = (value: Value): number | undefined => {
  const text = textOf(value)
  if (text !== undefined) return parseFloatText(text)
  return toFloat(value) ?? orUndefinedError(value)
}

const orUndefinedError = (value: Value): undefined => {
  const error = undefinedError(value)
  if (error) throw error
}

const recover = (run: () => Value | undefined): Value | undefined => {
  try {
    return run()
  } catch (error) {
    if (error instanceof TemplateError && /^(Value|Type)Error$/.test(error.exception)) return undefined
    throw error
  }
}

const toInt = (value: Value, fallback: Arg, base: Arg): Value => {
  const whole = tryInt(value, base)
  if (whole !== undefined) return whole
  // "42.23" is 42.
  const number = tryFloat(value)
  return given(number === undefined ? undefined : recover(() => truncate(number)), given(fallback, 0))
}

const round = (value: Value, places: Arg, method: Arg): Value => {
  const how = method === undefined ? 'common' : textOf(method)
  if (how !== 'common' && how !== 'ceil' && how !== 'floor') {
    throw raise('FilterArgumentError', 'method must be common, ceil or floor')
  }
  if (how !== 'common') {
    const factor = power(10, given(places, 0))
    const scaled = multiply(value, factor)
    const number = isInt(scaled) ? intOf(scaled) : needFloat(scaled)
    const whole =
      typeof number === 'bigint' ? number : truncate(how === 'ceil' ? Math.ceil(number) : Math.floor(number))
    return divide(whole, power(10, given(places, 0)))
  }
  if (isInt(value)) return roundInt(intOf(value), places)
  const number = floatOf(value)
  if (number === undefined)
    throw undefinedError(value) ?? typeError(`type ${typeName(value)} doesn't define __round__ method`)
  // Without digits Python's round() gives an int; the filter always passes some.
  if (places === null) return truncate(roundFloat(number, 0))
  const digits = indexOf(given(places, 0))
  if (!Number.isFinite(number)) return number
  const result = roundFloat(number, digits)
  if (!Number.isFinite(result)) throw raise('OverflowError', 'rounded value too large to represent')
  return float(result)
}

/** round(int, places): only negative places change anything; halves go to the even side. */
const roundInt = (value: number | bigint, places: Arg): Value => {
  const digits = places === null ? 0 : indexOf(given(places, 0))
  if (digits >= 0) return value
  const unit = power(10, -digits) as number | bigint
  const size = BigInt(unit)
  const number = BigInt(value)
  const rest = ((number % size) + size) % size
  const down = number - rest
  const up = rest * 2n > size || (rest * 2n === size && (down / size) % 2n !== 0n)
  return int(up ? down + size : down)
}

const PREFIXES = ['k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y']

const fileSize = (value: Value, binary: boolean): string => {
  const error = undefinedError(value)
  if (error) throw error
  const text = textOf(value)
  const bytes = text === undefined ? needFloat(value) : parseFloatText(text)
  if (bytes === undefined) throw raise('ValueError', 'could not convert string to float')
  const base = binary ? 1024 : 1000
  if (bytes === 1) return '1 Byte'
  if (bytes < base) return `${String(truncate(bytes))} Bytes`
  const unit = (i: number) => (binary ? 2 ** (10 * (i + 2)) : Number(`1e${3 * (i + 2)}`))
  let i = 0
  while (i < PREFIXES.length - 1 && !(bytes < unit(i))) i++
  const size = (base * bytes) / unit(i)
  if (!Number.isFinite(size)) return `${Number.isNaN(size) ? 'nan' : 'inf'} ${unitName(i, binary)}`
  return `${toFixed(size, 1)} ${unitName(i, binary)}`
}

const unitName = (i: number, binary: boolean): string =>
  binary ? `${PREFIXES[i]!.toUpperCase()}iB` : `${PREFIXES[i]}B`

const sum: Filter = filter('sum', 'iterable attribute start', 1, (context, value, attribute, start) => {
  const get = attribute === undefined || attribute === null ? undefined : attributeGetter(context, attribute)
  let total: Value = given(start, 0)
  if (textOf(total) !== undefined) throw typeError("sum() can't sum strings [use ''.join(seq) instead]")
  const next = iterate(value!)
  for (let item = next(); item !== DONE; item = next()) {
    spend(1)
    total = add(total, get ? get(item) : item)
  }
  return total
})

const fallBack: Filter = filter('default', 'value default_value boolean', 1, (_, value, fallback, boolean) =>
  value instanceof Undefined || (truthy(boolean ?? false) && !truthy(value!)) ? given(fallback, '') : value!,
)

export const NUMBER_FILTERS: Record<string, Filter> = {
  abs: filter('abs', 'x', 1, (_, value) => absolute(value!)),
  attr: filter('attr', 'obj name', 2, (context, obj, name) => {
    const attribute = textOf(name!)
    if (attribute === undefined) throw typeError('attribute name must be string')
    if (getAttribute(obj!, attribute) === undefined) return context.undefined({ of: obj!, name: attribute })
    return lookupAttribute(context, obj!, attribute)
  }),
  d: fallBack,
  default: fallBack,
  filesizeformat: filter('filesizeformat', 'value binary', 1, (_, value, binary) =>
    fileSize(value!, truthy(binary ?? false)),
  ),
  float: filter('float', 'value default', 1, (_, value, fallback) => {
    const number = tryFloat(value!)
    return number === undefined ? given(fallback, float(0)) : float(number)
  }),
  int: filter('int', 'value default base', 1, (_, value, fallback, base) => toInt(value!, fallback, base)),
  round: filter('round', 'value precision method', 1, (_, value, places, method) =>
    round(value!, places, method),
  ),
  sum,
}
