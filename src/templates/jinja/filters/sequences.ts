/* Filters on sequences: first, last, list, join, batch, slice, reverse, sort, groupby and others. */
import { equal, ordered, sortBy } from '../../../python/arithmetic.ts'
import { Dict, dictEntries, isDict } from '../../../python/dict.ts'
import { typeError, valueError, zeroDivisionError } from '../../../python/error.ts'
import { spend, spendItems, spendLength } from '../../../python/limits.ts'
import { repr, str } from '../../../python/print.ts'
import { getItem, itemsOf, iter, lengthOf, listOf, nextOf } from '../../../python/sequences.ts'
import { chars } from '../../../python/unicode.ts'
import * as py from '../../../python/values.ts'
import type { Render } from '../scope.ts'
import { Undefined } from '../undefined.ts'
import { type Filter, filter, getter, ignoreCase, lazyFilter, like, mapItems } from './filter.ts'

type Value = py.Value

const join = filter("value d='' attribute=none", (render, value, separator, attribute) => {
  const get = attribute === null ? undefined : getter(render, attribute)
  const parts: string[] = []
  const between = str(separator)
  let length = 0
  const next = iter(value)
  for (let item = next(); item !== undefined; item = next()) {
    const text = str(get ? get(item) : item)
    parts.push(text)
    spend(1)
    length += text.length + between.length
  }
  spendLength(length)
  return parts.join(between)
})

const reverse = (value: Value): Value => {
  const text = py.textOf(value)
  if (text !== undefined) {
    spendItems(text.length)
    return like(value, chars(text).reverse().join(''))
  }
  const items = listOf(value).reverse()
  return value instanceof py.Generator ? items : new py.Generator(() => nextOf(items))
}

/** A pseudorandom number below `limit`, seeded by a text (FNV-1a). */
const pick = (seed: string, limit: number): number => {
  let state = 0x811c9dc5
  for (let i = 0; i < seed.length; i++) state = Math.imul(state ^ seed.charCodeAt(i), 0x01000193)
  return (state >>> 0) % limit
}

const edge = (render: Render, item: Value | undefined, what: string): Value =>
  item === undefined ? render.undefined({ hint: `No ${what} item, sequence was empty.` }) : item

const last = (render: Render, value: Value): Value => {
  if (value instanceof py.Generator) throw typeError("'generator' object is not reversible")
  return edge(render, itemsOf(value).at(-1), 'last')
}

const slices = (value: Value, count: number, fill: Value): Value[] => {
  const items = itemsOf(value)
  if (count === 0) throw zeroDivisionError('integer division or modulo by zero')
  spendItems(Math.max(0, count))
  const size = Math.floor(items.length / count)
  const extra = items.length - size * count
  const parts: Value[] = []
  for (let i = 0, start = 0; i < count; i++) {
    const end = start + size + (i < extra ? 1 : 0)
    const part = items.slice(start, end)
    if (fill !== null && i >= extra) part.push(fill)
    parts.push(part)
    start = end
  }
  return parts
}

const batches = (value: Value, count: Value, fill: Value): Value[] => {
  const parts: Value[][] = [[]]
  for (const item of itemsOf(value)) {
    if (equal(parts.at(-1)!.length, count)) parts.push([])
    parts.at(-1)!.push(item)
  }
  const part = parts.at(-1)!
  if (part.length === 0) return []
  if (fill !== null && ordered(part.length, '<', count)) {
    spendItems(py.indexOf(count))
    while (part.length < py.indexOf(count)) part.push(fill)
  }
  return parts
}

const pairs = (value: Value): Value[] => {
  if (value instanceof Undefined) return []
  if (!isDict(value)) throw typeError('Can only get item pairs from a mapping.')
  return dictEntries(value).map((pair) => new py.Tuple(pair))
}

const length = filter('obj', (_, value) => lengthOf(value))

export const SEQUENCE_FILTERS: Record<string, Filter> = {
  batch: lazyFilter('value linecount fill_with=none', (_, value, count, fill) =>
    nextOf(batches(value, count, fill)),
  ),
  count: length,
  first: filter('seq', (render, value) => edge(render, iter(value)(), 'first')),
  items: lazyFilter('value', (_, value) => nextOf(pairs(value))),
  join,
  last: filter('seq', last),
  length,
  list: filter('value', (_, value) => listOf(value)),
  // Depends only on the sequence: the same input gives the same output.
  random: filter('seq', (render, value) => {
    const size = lengthOf(value)
    return size === 0 ? edge(render, undefined, 'random') : getItem(value, pick(repr(value), size))
  }),
  reverse: filter('value', (_, value) => reverse(value)),
  slice: lazyFilter('value slices fill_with=none', (_, value, count, fill) =>
    nextOf(slices(value, py.indexOf(count), fill)),
  ),
}

// Filters that compare: sort, dictsort, unique, min, max, groupby.

const foldUnless = (caseSensitive: Value) => (py.truthy(caseSensitive) ? undefined : ignoreCase)

const dictSort = (value: Value, caseSensitive: Value, by: Value, reverse: Value): Value => {
  if (by !== 'key' && by !== 'value') throw valueError('You can only sort by either "key" or "value"')
  if (!isDict(value)) throw typeError(`a ${py.typeName(value)} has no items to sort`)
  const fold = foldUnless(caseSensitive) ?? ((key: Value) => key)
  const pairs = dictEntries(value).map((pair) => new py.Tuple(pair))
  // Python's sorted() takes the flag as an int.
  return sortBy(
    pairs,
    (pair) => fold((pair as py.Tuple).items[by === 'value' ? 1 : 0]!),
    py.indexOf(reverse) !== 0,
  )
}

const extreme = (op: '<' | '>'): Filter =>
  filter('value case_sensitive=false attribute=none', (render, value, caseSensitive, attribute) => {
    const get = getter(render, attribute, foldUnless(caseSensitive))
    let best: { item: Value; key: Value } | undefined
    const next = iter(value)
    for (let item = next(); item !== undefined; item = next()) {
      spend(1)
      const key = get(item)
      if (!best || ordered(key, op, best.key)) best = { item, key }
    }
    return best ? best.item : render.undefined({ hint: 'No aggregated item, sequence was empty.' })
  })

const groupBy = filter(
  'value attribute default=none case_sensitive=false',
  (render, value, attribute, fallback, cased) => {
    const fold = foldUnless(cased)
    const keyOf = getter(render, attribute, fold, fallback)
    const shown = getter(render, attribute, undefined, fallback)
    const groups: { key: Value; items: Value[] }[] = []
    for (const item of sortBy(itemsOf(value), keyOf, false)) {
      const key = keyOf(item)
      const group = groups.at(-1)
      if (group && equal(group.key, key)) group.items.push(item)
      else groups.push({ key, items: [item] })
    }
    return groups.map(
      ({ key, items }) => new py.Tuple([fold ? shown(items[0]!) : key, items], ['grouper', 'list']),
    )
  },
)

const sort = filter(
  'value reverse=false case_sensitive=false attribute=none',
  (render, value, reverse, cased, attribute) => {
    const names = typeof attribute === 'string' ? attribute.split(',') : [attribute]
    const getters = names.map((name) => getter(render, name, foldUnless(cased)))
    // Keys are lists in Jinja2: in a list, None and undefined are equal to themselves.
    const single = (item: Value): Value => {
      const key = getters[0]!(item)
      return key === null || key instanceof Undefined ? [key] : key
    }
    const keyOf = getters.length === 1 ? single : (item: Value) => getters.map((get) => get(item))
    return sortBy(itemsOf(value), keyOf, py.indexOf(reverse) !== 0)
  },
)

const unique = lazyFilter('value case_sensitive=false attribute=none', (render, value, cased, attribute) => {
  const get = getter(render, attribute, foldUnless(cased))
  const seen = new Dict()
  return mapItems(iter(value), (item) => {
    const { size } = seen.map
    seen.set(get(item), true)
    return seen.map.size > size ? item : undefined
  })
})

export const ORDER_FILTERS: Record<string, Filter> = {
  dictsort: filter("value case_sensitive=false by='key' reverse=false", (_, value, cased, by, reverse) =>
    dictSort(value, cased, by, reverse),
  ),
  groupby: groupBy,
  max: extreme('>'),
  min: extreme('<'),
  sort,
  unique,
}
