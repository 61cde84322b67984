/*
 * `obj.name`: the attributes a template can reach, by type. What isn't listed here isn't there: nothing
 * leads from a value to JavaScript's own properties.
 */
import { type Arg, given, type Method, methodOf, named, positional } from './calls.ts'
import { same, sortBy } from './compare.ts'
import { type AnyDict, Dict, dictCopy, dictEntries, dictGet, isDict } from './dict.ts'
import { indexError, keyError, typeError, unsupported, valueError } from './error.ts'
import { spend, spendItems } from './limits.ts'
import { beforeChange } from './ownership.ts'
import { itemsOf, keyText, listOf, position, sliceIndices, unpack, View } from './sequences.ts'
import { TEXT_METHODS } from './strings.ts'
import { floatOf, indexOf, type Kwargs, Markup, misused, Obj, Tuple, typeName, type Value } from './values.ts'

/** Python's getattr(value, name); undefined where it raises AttributeError. */
export const getAttribute = (value: Value, name: string): Value | undefined => {
  if (typeof value === 'string') return ofText(value, name)
  if (Array.isArray(value)) return methodOf(LIST_METHODS, value, name)
  if (isDict(value)) return methodOf(DICT_METHODS, value, name)
  const number = floatOf(value)
  if (number !== undefined) return name === 'is_integer' ? methodOf(FLOAT_METHODS, number, name) : undefined
  if (!(value instanceof Obj)) return undefined
  if (value instanceof Markup && (REFUSED.has(name) || Object.hasOwn(TEXT_METHODS, name)))
    throw unsupported(`.${name}() on escaped text`)
  if (value instanceof Tuple && Object.hasOwn(TUPLE_METHODS, name))
    return methodOf(TUPLE_METHODS, value.items as Value[], name)
  return value.attr(name)
}

const ofText = (value: string, name: string): Value | undefined => {
  if (REFUSED.has(name)) throw unsupported(`str.${name}`)
  return methodOf(TEXT_METHODS, value, name)
}

/** Methods of str that are Python's own or that no prompt has. */
const REFUSED = new Set(
  (
    'encode expandtabs format_map isascii isdecimal isidentifier isnumeric isprintable istitle maketrans ' +
    'swapcase translate'
  ).split(' '),
)

/** Whether a dict's method hides an item of that name in `dict.name`. */
export const isDictMethod = (name: string): boolean => Object.hasOwn(DICT_METHODS, name)

const FLOAT_METHODS: Record<string, Method<number>> = {
  is_integer: positional(0, 0, (value) => Number.isInteger(value)),
}

// Lists.

const find = (items: readonly Value[], wanted: Value, start: Arg, end: Arg): number => {
  const { start: from } = sliceIndices(items.length, given(start, 0), null)
  const { count: to } = sliceIndices(items.length, null, end ?? null)
  spend(items.length)
  for (let i = from; i < to; i++) if (same(items[i]!, wanted)) return i
  return -1
}

/** A method that changes the list; its result is None unless it gives one. */
const change = (
  min: number,
  max: number,
  run: (items: Value[], ...args: Arg[]) => Value | undefined,
): Method<Value[]> =>
  positional(min, max, (items, ...args) => {
    beforeChange()
    spend(1)
    return given(run(items, ...args), null)
  })

const TUPLE_METHODS: Record<string, Method<Value[]>> = {
  count: positional(1, 1, (items, wanted) => {
    spend(items.length)
    return items.filter((item) => same(item, wanted!)).length
  }),
  index: positional(1, 3, (items, wanted, start, end) => {
    const at = find(items, wanted!, start, end)
    if (at < 0) throw valueError(`${keyText(wanted!)} is not in the list`)
    return at
  }),
}

const LIST_METHODS: Record<string, Method<Value[]>> = {
  ...TUPLE_METHODS,
  append: change(1, 1, (items, item) => {
    items.push(item!)
    return undefined
  }),
  clear: change(0, 0, (items) => {
    items.length = 0
    return undefined
  }),
  copy: positional(0, 0, (items) => listOf(items)),
  extend: change(1, 1, (items, more) => {
    for (const item of listOf(more!)) items.push(item)
    spendItems(items.length)
    return undefined
  }),
  insert: change(2, 2, (items, at, item) => {
    const index = indexOf(at!)
    spend(items.length >> 4)
    items.splice(index < 0 ? Math.max(0, items.length + index) : index, 0, item!)
    return undefined
  }),
  pop: change(0, 1, (items, at) => {
    if (items.length === 0) throw indexError('pop from empty list')
    if (at !== undefined) spend(items.length >> 4)
    return items.splice(position(items.length, indexOf(given(at, -1))), 1)[0]!
  }),
  remove: change(1, 1, (items, wanted) => {
    const at = find(items, wanted!, undefined, undefined)
    if (at < 0) throw valueError('list.remove(x): x not in list')
    items.splice(at, 1)
    return undefined
  }),
  reverse: change(0, 0, (items) => {
    spend(items.length)
    items.reverse()
    return undefined
  }),
  sort: named('?key reverse', (items, key, reverse) => {
    beforeChange()
    const keyOf = (item: Value): Value => {
      if ((key ?? null) === null) return item
      if (key instanceof Obj && key.call) return key.call([item], undefined)
      throw typeError(`'${typeName(key!)}' object is not callable`)
    }
    items.splice(0, items.length, ...sortBy(items, keyOf, indexOf(given(reverse, 0)) !== 0))
    return null
  }),
}

// Dicts.

/** dict(...) and dict.update(...): a mapping or pairs, then keywords. @throws TypeError, ValueError */
export const fillDict = (dict: Dict, args: Value[], kwargs: Kwargs | undefined): Dict => {
  if (args.length > 1) throw typeError(`dict expected at most 1 argument, got ${args.length}`)
  const [source] = args
  if (source !== undefined) {
    if (source instanceof Obj && source.misuse()) throw misused(typeError(''), source)
    const pairs = isDict(source) ? dictEntries(source) : itemsOf(source).map((pair) => unpack(pair, 2))
    for (const [key, value] of pairs) dict.set(key!, value!)
  }
  for (const [key, value] of kwargs ?? []) dict.set(key, value)
  spend(dict.map.size)
  return dict
}

/** The dict about to be changed: the template's own, so a `Dict`. */
const own = (dict: AnyDict): Dict => {
  beforeChange()
  if (dict instanceof Dict) return dict
  throw typeError('this dict is read-only')
}

const DICT_METHODS: Record<string, Method<AnyDict>> = {
  clear: positional(0, 0, (dict) => {
    own(dict).map.clear()
    return null
  }),
  copy: positional(0, 0, dictCopy),
  fromkeys: () => {
    throw unsupported('dict.fromkeys')
  },
  get: positional(1, 2, (dict, key, fallback) => given(dictGet(dict, key!), given(fallback, null))),
  items: positional(0, 0, (dict) => new View('items', dict)),
  keys: positional(0, 0, (dict) => new View('keys', dict)),
  pop: positional(1, 2, (dict, key, fallback) => {
    const value = dictGet(own(dict), key!)
    if (value === undefined && fallback === undefined) throw keyError(keyText(key!))
    own(dict).delete(key!)
    return given(value, fallback!)
  }),
  popitem: positional(0, 0, (dict) => {
    const last = dictEntries(own(dict)).at(-1)
    if (!last) throw keyError("'popitem(): dictionary is empty'")
    spend(own(dict).map.size)
    own(dict).delete(last[0])
    return new Tuple(last)
  }),
  setdefault: positional(1, 2, (dict, key, fallback) => {
    const value = dictGet(own(dict), key!)
    if (value === undefined) own(dict).set(key!, fallback ?? null)
    return given(value, fallback ?? null)
  }),
  update: (dict, args, kwargs) => {
    fillDict(own(dict), args, kwargs)
    return null
  },
  values: positional(0, 0, (dict) => new View('values', dict)),
}

/** A method to call directly, without the Func that getAttribute makes of it. */
export const commonMethod = (value: Value, name: string): Method<never> | undefined => {
  if (typeof value === 'string' && !REFUSED.has(name) && Object.hasOwn(TEXT_METHODS, name))
    return TEXT_METHODS[name] as Method<never>
  return isDict(value) && isDictMethod(name) ? (DICT_METHODS[name] as Method<never>) : undefined
}
