/* `obj.name` and `obj[key]` as templates mean them: one falls back to the other, and then to undefined. */

import { getAttribute, isDictAttribute } from '../../python/attributes.ts'
import { dictGet, isDict } from '../../python/dicts.ts'
import { getItem } from '../../python/subscripts.ts'
import { textOf, type Value } from '../../python/values.ts'
import { TemplateError } from '../error.ts'
import type { Context } from './context.ts'

/** `obj.name`: the attribute, else the item of that name, else undefined. */
export const lookupAttribute = (context: Context, obj: Value, name: string, path?: string): Value => {
  if (isDict(obj) && !isDictAttribute(name)) {
    const item = dictGet(obj, name)
    return item === undefined ? context.undefined({ of: obj, name, path }) : item
  }
  const attribute = getAttribute(obj, name)
  if (attribute !== undefined) return attribute
  const item = itemOrUndefined(obj, name)
  return item === undefined ? context.undefined({ of: obj, name, path }) : item
}

/** `obj[key]`: the item, else the attribute of that name, else undefined. */
export const lookupItem = (context: Context, obj: Value, key: Value, path?: string): Value => {
  if (Array.isArray(obj) && typeof key === 'number') {
    const item = obj[key]
    if (item !== undefined && Number.isInteger(key) && key >= 0) return item
  }
  const item = itemOrUndefined(obj, key)
  if (item !== undefined) return item
  const name = textOf(key)
  const attribute = name === undefined ? undefined : getAttribute(obj, name)
  return attribute === undefined ? context.undefined({ of: obj, name: key, path }) : attribute
}

const CAUGHT = new Set(['AttributeError', 'TypeError', 'KeyError', 'IndexError', 'LookupError'])

const itemOrUndefined = (obj: Value, key: Value): Value | undefined => {
  // The common cases, without the price of an exception.
  if (isDict(obj) && typeof key === 'string') return dictGet(obj, key)
  if (typeof key === 'string' && (typeof obj !== 'object' || obj === null || Array.isArray(obj)))
    return undefined
  return orUndefined(() => getItem(obj, key))
}

/** A value, or undefined where Python raises what Jinja2 catches around a lookup. */
export const orUndefined = (run: () => Value): Value | undefined => {
  try {
    return run()
  } catch (error) {
    if (error instanceof TemplateError && CAUGHT.has(error.exception)) return undefined
    throw error
  }
}
