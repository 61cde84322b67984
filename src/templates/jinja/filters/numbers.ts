/* Filters on numbers, and those on any value: default, attr. */
import { absolute, add } from '../../../python/arithmetic.ts'
import { getAttribute } from '../../../python/attributes.ts'
import { typeError, unless, unsupported, valueError } from '../../../python/error.ts'
import { spend } from '../../../python/limits.ts'
import { readFloat, readInt, roundFloat, toFixed, truncate } from '../../../python/numbers.ts'
import { iter } from '../../../python/sequences.ts'
import * as py from '../../../python/values.ts'
import { lookupAttribute } from '../lookup.ts'
import { Undefined } from '../undefined.ts'
import { type Filter, filter, getter } from './filter.ts'

type Value = py.Value

/** float(value); undefined if Python raises TypeError or ValueError. */
const tryFloat = (value: Value): number | undefined => {
  py.needDefined(value)
  const text = py.textOf(value)
  return text === undefined ? py.toFloat(value) : readFloat(text)
}

/** int(value); "42.23" is 42. */
const toInt = (value: Value, fallback: Value, base: Value): Value => {
  const radix = py.indexOf(base)
  if (radix !== 10) throw unsupported(`int with base ${radix}`)
  const text = py.textOf(value)
  const whole = text === undefined ? undefined : readInt(text)
  if (whole !== undefined) return whole
  if (py.isInt(value)) return py.intOf(value)
  const number = tryFloat(value)
  if (number === undefined) return fallback
  // As in Jinja2, an infinity is an error, but not the text of one.
  const caught = text === undefined ? 'ValueError' : 'ValueError OverflowError'
  return unless(caught, () => truncate(number)) ?? fallback
}

const round = (value: Value, places: Value, method: Value): Value => {
  const how = py.textOf(method)
  if (how !== 'common' && how !== 'ceil' && how !== 'floor')
    throw valueError('method must be common, ceil or floor')
  const number = py.toFloat(value)
  if (number === undefined) throw typeError(`a ${py.typeName(value)} can't be rounded`)
  const digits = py.indexOf(places)
  if (how !== 'common') {
    const factor = 10 ** digits
    return py.float(Math[how](number * factor) / factor)
  }
  if (digits < 0) throw unsupported('rounding to tens')
  if (py.isInt(value)) return py.intOf(value)
  return py.float(Number.isFinite(number) ? roundFloat(number, digits) : number)
}

const PREFIXES = 'kMGTPEZY'

const fileSize = (value: Value, binary: boolean): string => {
  const bytes = tryFloat(value)
  if (bytes === undefined || !Number.isFinite(bytes)) throw valueError('the filter needs a finite number')
  const base = binary ? 1024 : 1000
  if (bytes === 1) return '1 Byte'
  if (bytes < base) return `${truncate(bytes)} Bytes`
  let i = 0
  while (i < PREFIXES.length - 1 && bytes >= base ** (i + 2)) i++
  const name = binary ? `${PREFIXES[i]!.toUpperCase()}iB` : `${PREFIXES[i]}B`
  return `${toFixed((base * bytes) / base ** (i + 2), 1)} ${name}`
}

const fallBack = filter("value default_value='' boolean=false", (_, value, fallback, boolean) =>
  value instanceof Undefined || (py.truthy(boolean) && !py.truthy(value)) ? fallback : value,
)

export const NUMBER_FILTERS: Record<string, Filter> = {
  abs: filter('x', (_, value) => absolute(value)),
  attr: filter('obj name', (render, obj, name) => {
    const attribute = py.needText(name)
    py.needDefined(obj)
    return getAttribute(obj, attribute) === undefined
      ? render.undefined({ of: obj, name: attribute })
      : lookupAttribute(render, obj, attribute)
  }),
  d: fallBack,
  default: fallBack,
  filesizeformat: filter('value binary=false', (_, value, binary) => fileSize(value, py.truthy(binary))),
  float: filter('value default=?', (_, value, fallback) => {
    const number = tryFloat(value)
    return number === undefined ? (fallback ?? py.float(0)) : py.float(number)
  }),
  int: filter('value default=0 base=10', (_, value, fallback, base) => toInt(value, fallback, base)),
  round: filter("value precision=0 method='common'", (_, value, places, method) =>
    round(value, places, method),
  ),
  sum: filter('iterable attribute=none start=0', (render, value, attribute, start) => {
    const get = getter(render, attribute)
    let total = start
    if (py.textOf(total) !== undefined) throw typeError("sum() can't sum strings")
    const next = iter(value)
    for (let item = next(); item !== undefined; item = next()) {
      spend(1)
      total = add(total, get(item))
    }
    return total
  }),
}
