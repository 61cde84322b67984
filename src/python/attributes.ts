/* `obj.name`: the attributes that templates can read, by type. JavaScript's own properties cannot be reached. */

import { same } from './arithmetic.ts'
import { type Arg, given, type Method, method, refused } from './calls.ts'
import { type AnyDict, Dict, dictEntries, dictGet, isDict } from './dict.ts'
import { typeError, unsupported, valueError } from './error.ts'
import { beforeChange, spend, spendItems } from './limits.ts'
import { itemsOf, keyText, listOf, unpackInto, View } from './sequences.ts'
import { TEXT_METHODS } from './strings.ts'
import { Func, type Kwargs, Markup, needDefined, Obj, Tuple, type Value } from './values.ts'

/** The method of a value's type, by name. */
export const methodNamed = (value: Value, name: string): Method<never> | undefined => {
  const methods = methodsOf(value)
  return methods && Object.hasOwn(methods, name) ? (methods[name] as Method<never>) : undefined
}

const methodsOf = (value: Value): Record<string, Method<never>> | undefined => {
  if (typeof value === 'string') return TEXT_METHODS
  if (isDict(value)) return DICT_METHODS
  if (Array.isArray(value)) return LIST_METHODS
  return value instanceof Tuple ? TUPLE_METHODS : undefined
}

/** Python's getattr(value, name); undefined if it raises AttributeError. */
export const getAttribute = (value: Value, name: string): Value | undefined => {
  const run = methodNamed(value, name)
  if (run) return new Func((args, kwargs) => run(value as never, args, kwargs))
  if (value instanceof Markup && Object.hasOwn(TEXT_METHODS, name))
    throw unsupported(`.${name}() on escaped text`)
  return value instanceof Obj ? value.attr(name) : undefined
}

// Lists.

const TUPLE_METHODS: Record<string, Method<Value[] | Tuple>> = {
  count: method('value /', (self, wanted) => {
    const items = itemsOf(self)
    spend(items.length)
    return items.filter((item) => same(item, wanted)).length
  }),
  index: method('value start=? /', (self, wanted, start: Arg) => {
    if (start !== undefined) throw unsupported('list.index with a start')
    const items = itemsOf(self)
    spend(items.length)
    const at = items.findIndex((item) => same(item, wanted))
    if (at < 0) throw valueError(`${keyText(wanted)} is not in the list`)
    return at
  }),
}

const LIST_METHODS: Record<string, Method<Value[]>> = {
  ...TUPLE_METHODS,
  ...refused('list', 'clear copy insert pop remove reverse sort'),
  append: method('item /', (items, item) => {
    beforeChange()
    spend(1)
    items.push(item)
    return null
  }),
  extend: method('items /', (items, more) => {
    beforeChange()
    for (const item of listOf(more)) items.push(item)
    spendItems(items.length)
    return null
  }),
}

// Dicts.

/** dict(...) and dict.update(...): a mapping or pairs, then keywords. @throws TypeError, ValueError */
export const fillDict = (dict: Dict, args: Value[], kwargs: Kwargs | undefined): Dict => {
  if (args.length > 1) throw typeError(`dict expected at most 1 argument, got ${args.length}`)
  const [source] = args
  if (source !== undefined) {
    needDefined(source)
    const pairs = isDict(source) ? dictEntries(source) : itemsOf(source).map((pair) => unpackInto(pair, 2))
    for (const [key, value] of pairs) dict.set(key!, value!)
  }
  for (const [key, value] of kwargs ?? []) dict.set(key, value)
  spend(dict.map.size)
  return dict
}

const DICT_METHODS: Record<string, Method<AnyDict>> = {
  ...refused('dict', 'clear copy fromkeys pop popitem setdefault'),
  get: method('key default=none /', (dict, key, fallback) => given(dictGet(dict, key), fallback)),
  items: method('/', (dict) => new View('items', dict)),
  keys: method('/', (dict) => new View('keys', dict)),
  update: (dict, args, kwargs) => {
    beforeChange()
    if (!(dict instanceof Dict)) throw typeError('this dict is read-only')
    fillDict(dict, args, kwargs)
    return null
  },
  values: method('/', (dict) => new View('values', dict)),
}
