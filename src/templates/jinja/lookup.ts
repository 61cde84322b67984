/* `obj.name`, `obj[key]` and calls as templates mean them: one lookup falls back to the other, then to undefined. */
import { commonMethod, getAttribute, isDictMethod } from '../../python/attributes.ts'
import { dictEntries, dictGet, isDict } from '../../python/dict.ts'
import { typeError, unless, unsupported } from '../../python/error.ts'
import { spend } from '../../python/limits.ts'
import { getItem, listOf } from '../../python/sequences.ts'
import { type Kwargs, misused, Obj, textOf, toFloat, typeName, type Value } from '../../python/values.ts'
import type { Context, Evaluate, Frame } from './scope.ts'

/** `obj.name`: the attribute, else the item of that name, else undefined. */
export const lookupAttribute = (context: Context, obj: Value, name: string, path?: string): Value => {
  if (obj instanceof Obj) {
    const value = obj.attr(name)
    if (value !== undefined) return value
  }
  const attribute = isDict(obj) && !isDictMethod(name) ? undefined : getAttribute(obj, name)
  if (attribute !== undefined) return attribute
  const item = itemOrUndefined(obj, name)
  if (item !== undefined) return item
  if (name.startsWith('__') && name.endsWith('__')) throw unsupported(`the attribute ${name}`)
  if (NUMBER_ATTRIBUTES.has(name) && toFloat(obj) !== undefined)
    throw unsupported(`the attribute ${name} of a number`)
  if (obj instanceof Obj && CLOSED.has(obj.type)) throw unsupported(`the attribute ${name} of a ${obj.type}`)
  return context.undefined({ of: obj, name, path })
}

/** Types whose other attributes are refused, not undefined. */
const CLOSED = new Set(['function', 'range', 'cycler', 'macro'])

const NUMBER_ATTRIBUTES = new Set(
  'as_integer_ratio bit_count bit_length denominator imag numerator real'.split(' '),
)

/** `obj[key]`: the item, else the attribute of that name, else undefined. */
export const lookupItem = (context: Context, obj: Value, key: Value, path?: string): Value => {
  const item = itemOrUndefined(obj, key)
  if (item !== undefined) return item
  const name = textOf(key)
  const attribute = name === undefined ? undefined : getAttribute(obj, name)
  return attribute === undefined ? context.undefined({ of: obj, name: key, path }) : attribute
}

/** The item, or undefined where Python raises what Jinja2 catches around a lookup. */
const itemOrUndefined = (obj: Value, key: Value): Value | undefined => {
  // The common cases, without the price of an exception.
  if (Array.isArray(obj) && typeof key === 'number' && key >= 0) return obj[key]
  if (typeof key === 'string') {
    if (isDict(obj)) return dictGet(obj, key)
    if (typeof obj !== 'object' || obj === null || Array.isArray(obj)) return undefined
  }
  return unless('AttributeError TypeError KeyError IndexError', () => getItem(obj, key))
}

export interface CompiledArguments {
  /** The positional arguments, after those given as `before`. */
  positional(frame: Frame, before: Value[]): Value[]
  named?: (frame: Frame) => Kwargs
}

/** Puts compiled arguments together. */
export const compileArguments = (
  args: readonly Evaluate[],
  kwargs: readonly { key: string; value: Evaluate }[],
  spread: Evaluate | undefined,
  spreadNamed: Evaluate | undefined,
): CompiledArguments => {
  const positional = (frame: Frame, values: Value[]): Value[] => {
    for (let i = 0; i < args.length; i++) values.push(args[i]!(frame))
    if (spread) values.push(...listOf(spread(frame)))
    return values
  }
  if (kwargs.length === 0 && !spreadNamed) return { positional }
  const named = (frame: Frame): Kwargs => {
    const result: Kwargs = new Map()
    for (const { key, value } of kwargs) result.set(key, value(frame))
    if (spreadNamed) addNamed(result, spreadNamed(frame))
    return result
  }
  return { positional, named }
}

const addNamed = (result: Kwargs, value: Value): void => {
  if (!isDict(value))
    throw misused(typeError(`argument after ** must be a mapping, not ${typeName(value)}`), value)
  for (const [key, each] of dictEntries(value)) {
    const name = textOf(key)
    if (name === undefined) throw typeError('keywords must be strings')
    if (result.has(name)) throw typeError(`got multiple values for keyword argument '${name}'`)
    result.set(name, each)
  }
}

type Called = (args: Value[], kwargs?: Kwargs) => Value

/** A value as something to call. @throws TypeError */
export const callable = (value: Value): Called => {
  spend(1)
  if (value instanceof Obj && value.call) return (args, kwargs) => value.call!(args, kwargs)
  throw typeError(`'${typeName(value)}' object is not callable`)
}

/** `obj.name` as something to call; common methods need no object in between. */
export const callableAttribute = (context: Context, obj: Value, name: string, path?: string): Called => {
  const method = commonMethod(obj, name)
  if (!method) return callable(lookupAttribute(context, obj, name, path))
  spend(1)
  return (args, kwargs) => method(obj as never, args, kwargs)
}
