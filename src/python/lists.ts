/* The methods of list and tuple. */
import { typeError, valueError } from '../templates/error.ts'
import { spend, spendItems } from '../templates/limits.ts'
import { type Arg, given, type Method, positional } from './calls.ts'
import { same, sortBy } from './compare.ts'
import { listOf } from './iterate.ts'
import { beforeChange } from './ownership.ts'
import { repr } from './print.ts'
import { position, sliceIndices } from './subscripts.ts'
import { indexError, indexOf, Obj, type Tuple, typeName, type Value } from './values.ts'

type List = Method<Value[]>

const find = (items: readonly Value[], wanted: Value, start: Arg, end: Arg): number => {
  const { start: from } = sliceIndices(items.length, given(start, 0), null, null)
  const { count: to } = sliceIndices(items.length, null, end ?? null, null)
  spend(items.length)
  for (let i = from; i < to; i++) if (same(items[i]!, wanted)) return i
  return -1
}

const countOf = (items: readonly Value[], wanted: Value): number => {
  spend(items.length)
  return items.filter((item) => same(item, wanted)).length
}

/** A method that changes the list; its result is None unless it gives one. */
const change = (
  name: string,
  min: number,
  max: number,
  run: (items: Value[], ...args: Arg[]) => Value | undefined,
): List =>
  positional(name, min, max, (items, ...args) => {
    beforeChange()
    return given(run(items, ...args), null)
  })

const sort: List = (items, args, kwargs) => {
  beforeChange()
  if (args.length > 0) throw typeError('sort() takes no positional arguments')
  for (const key of kwargs?.keys() ?? []) {
    if (key !== 'key' && key !== 'reverse')
      throw typeError(`'${key}' is an invalid keyword argument for sort()`)
  }
  const key = given(kwargs?.get('key'), null)
  const keyOf = (item: Value): Value => {
    if (key === null) return item
    if (key instanceof Obj) return key.call([item], undefined)
    throw typeError(`'${typeName(key)}' object is not callable`)
  }
  const sorted = sortBy(items, keyOf, indexOf(given(kwargs?.get('reverse'), 0)) !== 0)
  items.splice(0, items.length, ...sorted)
  return null
}

export const LIST_METHODS: Record<string, List> = {
  append: change('append', 1, 1, (items, item) => {
    spendItems(items.length >> 8)
    items.push(item!)
    return null
  }),
  clear: change('clear', 0, 0, (items) => {
    items.length = 0
    return null
  }),
  copy: positional('copy', 0, 0, (items) => listOf(items)),
  count: positional('count', 1, 1, (items, wanted) => countOf(items, wanted!)),
  extend: change('extend', 1, 1, (items, more) => {
    for (const item of listOf(more!)) items.push(item)
    spendItems(items.length)
    return null
  }),
  index: positional('index', 1, 3, (items, wanted, start, end) => {
    const at = find(items, wanted!, start, end)
    if (at < 0) throw valueError(`${repr(wanted!)} is not in list`)
    return at
  }),
  insert: change('insert', 2, 2, (items, at, item) => {
    const index = indexOf(at!)
    spend(items.length >> 4)
    items.splice(index < 0 ? Math.max(0, items.length + index) : index, 0, item!)
    return null
  }),
  pop: change('pop', 0, 1, (items, at) => {
    if (items.length === 0) throw indexError('pop from empty list')
    spend(items.length >> 4)
    return items.splice(position(items.length, indexOf(given(at, -1)), 'pop'), 1)[0]!
  }),
  remove: change('remove', 1, 1, (items, wanted) => {
    const at = find(items, wanted!, undefined, undefined)
    if (at < 0) throw valueError('list.remove(x): x not in list')
    items.splice(at, 1)
    return null
  }),
  reverse: change('reverse', 0, 0, (items) => {
    spend(items.length)
    items.reverse()
    return null
  }),
  sort,
}

export const TUPLE_METHODS: Record<string, Method<Tuple>> = {
  count: positional('count', 1, 1, ({ items }, wanted) => countOf(items, wanted!)),
  index: positional('index', 1, 3, ({ items }, wanted, start, end) => {
    const at = find(items, wanted!, start, end)
    if (at < 0) throw valueError('tuple.index(x): x not in tuple')
    return at
  }),
}
