/* `obj.name` and `obj[key]` in templates: each falls back to the other, then to undefined. */
import { getAttribute } from '../../python/attributes.ts'
import { dictGet, isDict } from '../../python/dict.ts'
import { unless, unsupported } from '../../python/error.ts'
import { getItem } from '../../python/sequences.ts'
import { Obj, textOf, toFloat, typeName, type Value } from '../../python/values.ts'
import type { Render } from './scope.ts'
import { Undefined } from './undefined.ts'

/** `obj.name`: the attribute, else the item of that name, else undefined. */
export const lookupAttribute = (render: Render, obj: Value, name: string, path?: string): Value => {
  const attribute = getAttribute(obj, name)
  const value = attribute === undefined ? itemOrUndefined(obj, name) : attribute
  if (value !== undefined) return value
  if (isPythonAttribute(obj, name)) throw unsupported(`${typeName(obj)}.${name}`)
  return render.undefined({ of: obj, name, path })
}

const NUMBER_ATTRIBUTES =
  'as_integer_ratio bit_count bit_length denominator imag is_integer numerator real'.split(' ')

/** Attributes of Python's objects that are refused; others are undefined. */
const isPythonAttribute = (obj: Value, name: string): boolean =>
  (name.startsWith('__') && name.endsWith('__')) ||
  (NUMBER_ATTRIBUTES.includes(name) && toFloat(obj) !== undefined) ||
  (obj instanceof Obj && ['function', 'range', 'cycler', 'macro'].includes(obj.type))

/** `obj[key]`: the item, else the attribute of that name, else undefined. */
export const lookupItem = (render: Render, obj: Value, key: Value, path?: string): Value => {
  const item = itemOrUndefined(obj, key)
  if (item !== undefined) return item
  const name = textOf(key)
  const attribute = name === undefined ? undefined : getAttribute(obj, name)
  return attribute === undefined ? render.undefined({ of: obj, name: key, path }) : attribute
}

/** The item; undefined if Python raises an exception that Jinja2 catches in a lookup. */
const itemOrUndefined = (obj: Value, key: Value): Value | undefined => {
  // The common cases, without an exception.
  if (Array.isArray(obj) && typeof key === 'number' && key >= 0) return obj[key]
  if (typeof key === 'string') {
    if (isDict(obj)) return dictGet(obj, key)
    if (typeof obj !== 'object' || obj === null || Array.isArray(obj)) return undefined
  }
  // Nothing has an item of an undefined name.
  if (key instanceof Undefined && !key.strict && !(obj instanceof Undefined)) return undefined
  return unless('AttributeError TypeError KeyError IndexError', () => getItem(obj, key))
}
