/* Filters on sequences: first, last, list, join, batch, slice, reverse and their like. */

import { type Arg, given } from '../../../python/calls.ts'
import { equal, ordered } from '../../../python/compare.ts'
import { View } from '../../../python/dict-methods.ts'
import { dictEntries, dictKeys, isDict } from '../../../python/dicts.ts'
import { itemsOf, iterate, lengthOf, listOf } from '../../../python/iterate.ts'
import { toMarkup } from '../../../python/markup.ts'
import { repr, str } from '../../../python/print.ts'
import { Range } from '../../../python/range.ts'
import { getItem } from '../../../python/subscripts.ts'
import { Undefined } from '../../../python/undefined.ts'
import { chars } from '../../../python/unicode.ts'
import {
  DONE,
  Iterator,
  indexOf,
  Markup,
  type Next,
  Tuple,
  typeName,
  type Value,
} from '../../../python/values.ts'
import { raise, typeError } from '../../error.ts'
import { spend, spendItems, spendLength } from '../../limits.ts'
import type { Context } from '../context.ts'
import { Random } from '../random.ts'
import { attributeGetter, type Filter, filter, softText } from './filter.ts'

/** A generator that begins its work with its first item. */
export const lazily = (name: string, start: () => Next): Iterator => {
  let next: Next | undefined
  return new Iterator('generator', () => (next ??= start())(), `generator object ${name}`)
}

const overItems = (items: readonly Value[]): Next => {
  let i = 0
  return () => (i < items.length ? items[i++]! : DONE)
}

const joined = (context: Context, value: Value, separator: Arg, attribute: Arg): Value => {
  const get = attribute === undefined || attribute === null ? undefined : attributeGetter(context, attribute)
  const sep = given(separator, '')
  if (!context.autoescape) return joinTexts(textsOf(value, get), str(sep))
  const items = get ? itemsOf(value).map(get) : itemsOf(value)
  const html = sep instanceof Markup || items.some((item) => item instanceof Markup)
  if (!html) return joinTexts(items.map(str), str(sep))
  const parts = items.map((item) => toMarkup(sep instanceof Markup ? softText(item) : item).text)
  return new Markup(joinTexts(parts, toMarkup(sep).text))
}

/** The texts of the items, each taken before the next item is. */
const textsOf = (value: Value, get: ((item: Value) => Value) | undefined): string[] => {
  if (Array.isArray(value) && !get) {
    spend(value.length)
    return value.map(str)
  }
  const texts: string[] = []
  const next = iterate(value)
  for (let item = next(); item !== DONE; item = next()) {
    spend(1)
    texts.push(str(get ? get(item) : item))
  }
  return texts
}

const joinTexts = (parts: string[], separator: string): string => {
  let length = 0
  for (const part of parts) length += part.length + separator.length
  spendLength(length)
  return parts.join(separator)
}

/** Python's reversed(value); undefined where it raises TypeError. */
export const reversed = (value: Value): Iterator | undefined => {
  const going = (type: string, items: readonly Value[]) => {
    let i = items.length
    return new Iterator(type, () => (i > 0 ? items[--i]! : DONE))
  }
  if (Array.isArray(value)) return going('list_reverseiterator', value)
  if (value instanceof Tuple) return going('reversed', value.items)
  if (typeof value === 'string') return going('reversed', chars(value))
  if (value instanceof Markup) return going('reversed', marked(value))
  if (isDict(value)) return going('dict_reversekeyiterator', dictKeys(value))
  if (value instanceof View) return going(REVERSED_VIEWS[value.what], value.list())
  if (value instanceof Range) {
    let i = value.count
    return new Iterator('range_iterator', () => (i > 0 ? value.start + value.step * --i : DONE))
  }
  if (value instanceof Undefined) return going('reversed', new Array(value.size()))
  return undefined
}

/** Indexing Markup gives Markup; iterating it doesn't. */
const marked = ({ text }: Markup): Value[] => chars(text).map((char) => new Markup(char))

const REVERSED_VIEWS = {
  keys: 'dict_reversekeyiterator',
  values: 'dict_reversevalueiterator',
  items: 'dict_reverseitemiterator',
}

const reverse = (value: Value): Value => {
  if (typeof value === 'string') return chars(value).reverse().join('')
  if (value instanceof Markup) return new Markup(chars(value.text).reverse().join(''))
  const iterator = reversed(value)
  if (iterator) return iterator
  try {
    return listOf(value).reverse()
  } catch (error) {
    if ((error as { exception?: string }).exception !== 'TypeError') throw error
    throw raise('FilterArgumentError', 'argument must be iterable')
  }
}

const last = (context: Context, value: Value): Value => {
  const iterator = reversed(value)
  if (!iterator) throw typeError(`'${typeName(value)}' object is not reversible`)
  const item = iterator.iterate()()
  return item === DONE ? context.undefined({ hint: 'No last item, sequence was empty.' }) : item
}

/** An item that only depends on what is in the sequence. */
const pick = (context: Context, value: Value): Value => {
  const length = lengthOf(value)
  if (length === 0) return context.undefined({ hint: 'No random item, sequence was empty.' })
  return getItem(value, new Random(repr(value)).below(length))
}

const slices = (value: Value, count: number, fill: Arg): Next => {
  const items = itemsOf(value)
  if (count === 0) throw raise('ZeroDivisionError', 'integer division or modulo by zero')
  spendItems(Math.max(0, count))
  const size = Math.floor(items.length / count)
  const extra = items.length - size * count
  let i = 0
  let offset = 0
  return () => {
    if (i >= count) return DONE
    const start = offset + i * size
    if (i < extra) offset++
    const part = items.slice(start, offset + (i + 1) * size)
    if (fill !== undefined && fill !== null && i >= extra) part.push(fill)
    i++
    return part
  }
}

/** `count` is compared only, as in Jinja2: what is no number never fills a batch. */
const batches = (value: Value, count: Value, fill: Arg): Next => {
  const next = iterate(value)
  let done = false
  let kept: Value[] = []
  return () => {
    if (done) return DONE
    for (;;) {
      const item = next()
      spend(1)
      if (item === DONE) break
      const full = equal(kept.length, count)
      const batch = kept
      if (full) kept = []
      kept.push(item)
      if (full) return batch
    }
    done = true
    if (kept.length === 0) return DONE
    if (fill !== undefined && fill !== null && ordered(kept.length, '<', count)) {
      const size = indexOf(count)
      spendItems(size)
      while (kept.length < size) kept.push(fill)
    }
    return kept
  }
}

const pairs = (value: Value): Next => {
  if (value instanceof Undefined) return () => DONE
  if (!isDict(value)) throw typeError('Can only get item pairs from a mapping.')
  return overItems(dictEntries(value).map((pair) => new Tuple(pair)))
}

const length: Filter = filter('len', 'obj', 1, (_, value) => lengthOf(value!))

export const SEQUENCE_FILTERS: Record<string, Filter> = {
  batch: filter('batch', 'value linecount fill_with', 2, (_, value, count, fill) =>
    lazily('do_batch', () => batches(value!, count!, fill)),
  ),
  count: length,
  first: filter('first', 'seq', 1, (context, value) => {
    const item = iterate(value!)()
    return item === DONE ? context.undefined({ hint: 'No first item, sequence was empty.' }) : item
  }),
  items: filter('items', 'value', 1, (_, value) => lazily('do_items', () => pairs(value!))),
  join: filter('join', 'value d attribute', 1, (context, value, separator, attribute) =>
    joined(context, value!, separator, attribute),
  ),
  last: filter('last', 'seq', 1, (context, value) => last(context, value!)),
  length,
  list: filter('list', 'value', 1, (_, value) => listOf(value!)),
  random: filter('random', 'seq', 1, (context, value) => pick(context, value!)),
  reverse: filter('reverse', 'value', 1, (_, value) => reverse(value!)),
  slice: filter('slice', 'value slices fill_with', 2, (_, value, count, fill) =>
    lazily('sync_do_slice', () => slices(value!, indexOf(count!), fill)),
  ),
}
