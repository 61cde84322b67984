/*
 * `obj.name`: the attributes a template can reach, by type. What isn't listed here isn't there: nothing
 * leads from a value to JavaScript's own properties.
 */

import { BYTES_METHODS, Bytes } from './bytes.ts'
import { type Arg, boundMethod, type Method, positional } from './calls.ts'
import { contains, equal, ordered } from './compare.ts'
import { DICT_METHODS, VIEW_METHODS, View } from './dict-methods.ts'
import { isDict } from './dicts.ts'
import { lengthOf } from './iterate.ts'
import { LIST_METHODS, TUPLE_METHODS } from './lists.ts'
import { boundMarkupMethod } from './markup.ts'
import { FLOAT_METHODS, INT_METHODS, intAttribute } from './number-methods.ts'
import { repr, str } from './print.ts'
import { TEXT_TESTS } from './string-tests.ts'
import { TEXT_METHODS } from './strings.ts'
import { getItem } from './subscripts.ts'
import { typeOf } from './types.ts'
import { Float, float, floatOf, intOf, isInt, Markup, Obj, Tuple, typeName, type Value } from './values.ts'

/** The method of a str, by name. */
export const textMethod = (name: string): Method<string> | undefined => {
  if (Object.hasOwn(TEXT_METHODS, name)) return TEXT_METHODS[name]
  return Object.hasOwn(TEXT_TESTS, name) ? TEXT_TESTS[name] : undefined
}

/** Whether a dict's method hides an item of that name in `dict.name`. */
export const isDictAttribute = (name: string): boolean =>
  Object.hasOwn(DICT_METHODS, name) || name.startsWith('__')

type Table<Self> = Record<string, Method<Self>>

const methodOf = <Self>(table: Table<Self>, type: string, self: Self, name: string): Value | undefined =>
  bound(Object.hasOwn(table, name) ? table[name] : undefined, type, self, name)

const bound = <Self>(
  method: Method<Self> | undefined,
  type: string,
  self: Self,
  name: string,
): Value | undefined => method && boundMethod(type, name, self, method)

/** Python's getattr(value, name); undefined where it raises AttributeError. */
export const getAttribute = (value: Value, name: string): Value | undefined => {
  if (name.startsWith('__')) return special(value, name)
  if (typeof value === 'string') return bound(textMethod(name), 'str', value, name)
  if (Array.isArray(value)) return methodOf(LIST_METHODS, 'list', value, name)
  if (isDict(value)) return methodOf(DICT_METHODS, 'dict', value, name)
  if (isInt(value)) return ofInt(intOf(value), name, typeName(value))
  const number = floatOf(value)
  if (number !== undefined) return ofFloat(number, name)
  return value instanceof Obj ? ofObject(value, name) : undefined
}

const ofInt = (value: number | bigint, name: string, type: string): Value | undefined =>
  intAttribute(value, name) ?? methodOf(INT_METHODS, type, value, name)

const ofFloat = (value: number, name: string): Value | undefined => {
  if (name === 'real') return float(value)
  if (name === 'imag') return new Float(0)
  return methodOf(FLOAT_METHODS, 'float', value, name)
}

const ofObject = (value: Obj, name: string): Value | undefined => {
  if (value instanceof Tuple) {
    const at = value.names?.indexOf(name) ?? -1
    return at >= 0 ? value.items[at] : methodOf(TUPLE_METHODS, 'tuple', value, name)
  }
  if (value instanceof Markup) return boundMarkupMethod(value, name)
  if (value instanceof View) return methodOf(VIEW_METHODS, value.type, value, name)
  if (value instanceof Bytes) return methodOf(BYTES_METHODS, 'bytes', value, name)
  return value.attr(name)
}

const binary = (name: string, run: (self: Value, other: Value) => Value): Method<Value> =>
  positional(name, 1, 1, (self, other: Arg) => run(self, other!))

/** The few double-underscore methods that only compute. */
const SPECIAL: Record<string, Method<Value>> = {
  __contains__: binary('__contains__', contains),
  __eq__: binary('__eq__', equal),
  __ge__: binary('__ge__', (a, b) => ordered(a, '>=', b)),
  __getitem__: binary('__getitem__', getItem),
  __gt__: binary('__gt__', (a, b) => ordered(a, '>', b)),
  __le__: binary('__le__', (a, b) => ordered(a, '<=', b)),
  __len__: positional('__len__', 0, 0, lengthOf),
  __lt__: binary('__lt__', (a, b) => ordered(a, '<', b)),
  __ne__: binary('__ne__', (a, b) => !equal(a, b)),
  __repr__: positional('__repr__', 0, 0, repr),
  __str__: positional('__str__', 0, 0, str),
}

const special = (value: Value, name: string): Value | undefined => {
  if (name === '__class__') return typeOf(value)
  const found = value instanceof Obj ? value.attr(name) : undefined
  if (found !== undefined) return found
  if (!Object.hasOwn(SPECIAL, name) || !hasSpecial(value, name)) return undefined
  return boundMethod(typeName(value), name, value, SPECIAL[name]!)
}

const hasSpecial = (value: Value, name: string): boolean => {
  const container =
    typeof value === 'string' || Array.isArray(value) || isDict(value) || value instanceof Tuple
  return container || !['__contains__', '__getitem__', '__len__'].includes(name)
}
