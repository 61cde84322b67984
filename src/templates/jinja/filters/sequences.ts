/* Filters on sequences: first, last, list, join, batch, slice, reverse, map, select and their like. */
import { type Arg, given } from '../../../python/calls.ts'
import { equal, ordered } from '../../../python/compare.ts'
import { dictEntries, isDict } from '../../../python/dict.ts'
import { typeError, valueError, zeroDivisionError } from '../../../python/error.ts'
import { spend, spendItems, spendLength } from '../../../python/limits.ts'
import { repr, str } from '../../../python/print.ts'
import { getItem, itemsOf, iter, lengthOf, listOf, nextOf, reversed } from '../../../python/sequences.ts'
import { chars } from '../../../python/unicode.ts'
import {
  Generator,
  indexOf,
  type Kwargs,
  Markup,
  type Next,
  Tuple,
  textOf,
  truthy,
  typeName,
  type Value,
} from '../../../python/values.ts'
import { runtimeError } from '../../error.ts'
import { pick } from '../../random.ts'
import type { Context } from '../scope.ts'
import { Undefined } from '../undefined.ts'
import { type Filter, filter, getter } from './filter.ts'

/** A filter that gives a generator, which does its work when its items are asked for. */
export const lazily = (params: string, run: (context: Context, ...args: Arg[]) => Next): Filter =>
  filter(params, (context, ...args) => new Generator(() => run(context, ...args)))

/** The items that `takes` holds for. */
export const pass =
  (next: Next, takes: (item: Value) => boolean): Next =>
  () => {
    for (let item = next(); item !== undefined; item = next()) {
      spend(1)
      if (takes(item)) return item
    }
    return undefined
  }

const joined = (context: Context, value: Value, separator: Arg, attribute: Arg): Value => {
  const get = (attribute ?? null) === null ? undefined : getter(context, attribute)
  const parts: string[] = []
  const between = str(given(separator, ''))
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
}

const reverse = (value: Value): Value => {
  const text = textOf(value)
  if (text !== undefined) {
    spendItems(text.length)
    const back = chars(text).reverse().join('')
    return value instanceof Markup ? new Markup(back) : back
  }
  const items = reversed(value)
  return items ? new Generator(() => nextOf(items)) : listOf(value).reverse()
}

const edge = (context: Context, item: Value | undefined, what: string): Value =>
  item === undefined ? context.undefined({ hint: `No ${what} item, sequence was empty.` }) : item

const last = (context: Context, value: Value): Value => {
  const items = Array.isArray(value) ? value : reversed(value)
  if (!items) throw typeError(`'${typeName(value)}' object is not reversible`)
  return edge(context, items === value ? items.at(-1) : items[0], 'last')
}

const slices = (value: Value, count: number, fill: Arg): Value[] => {
  const items = itemsOf(value)
  if (count === 0) throw zeroDivisionError('integer division or modulo by zero')
  spendItems(Math.max(0, count))
  const size = Math.floor(items.length / count)
  const extra = items.length - size * count
  const parts: Value[] = []
  for (let i = 0, start = 0; i < count; i++) {
    const end = start + size + (i < extra ? 1 : 0)
    const part = items.slice(start, end)
    if ((fill ?? null) !== null && i >= extra) part.push(fill!)
    parts.push(part)
    start = end
  }
  return parts
}

const batches = (value: Value, count: Value, fill: Arg): Value[] => {
  const parts: Value[] = []
  let kept: Value[] = []
  for (const item of itemsOf(value)) {
    if (equal(kept.length, count)) {
      parts.push(kept)
      kept = []
    }
    kept.push(item)
  }
  if (kept.length === 0) return parts
  if ((fill ?? null) !== null && ordered(kept.length, '<', count)) {
    spendItems(indexOf(count))
    while (kept.length < indexOf(count)) kept.push(fill!)
  }
  parts.push(kept)
  return parts
}

const pairs = (value: Value): Value[] => {
  if (value instanceof Undefined) return []
  if (!isDict(value)) throw typeError('Can only get item pairs from a mapping.')
  return dictEntries(value).map((pair) => new Tuple(pair))
}

// Filters that go through items with another filter, a test or an attribute.

/** What `map` does with an item. */
const mapper = (context: Context, args: Value[], kwargs: Kwargs | undefined): ((item: Value) => Value) => {
  const [name, ...rest] = args
  if (name === undefined) {
    const strange = [...(kwargs?.keys() ?? ['nothing'])].find(
      (key) => key !== 'attribute' && key !== 'default',
    )
    if (strange !== undefined || !kwargs?.has('attribute'))
      throw valueError(`map takes a filter or an attribute, not ${strange ?? 'nothing'}`)
    return getter(context, kwargs.get('attribute'), undefined, kwargs.get('default'))
  }
  const filter = context.render.filterNamed(textOf(name) ?? '')
  return (item) => {
    if (!filter) throw runtimeError(`No filter named '${str(name)}'.`)
    return filter(context, [item, ...rest], kwargs)
  }
}

/** Whether `select` takes an item; `attribute` says that the first argument names one to look at. */
const selector = (context: Context, args: Value[], kwargs: Kwargs | undefined, attribute: boolean) => {
  if (attribute && args.length === 0) throw valueError('Missing parameter for attribute name')
  const get = attribute ? getter(context, args[0]) : (item: Value) => item
  const [name, ...rest] = attribute ? args.slice(1) : args
  if (name === undefined) return (item: Value) => truthy(get(item))
  const test = context.render.testNamed(textOf(name) ?? '')
  return (item: Value) => {
    const value = get(item)
    if (!test) throw runtimeError(`No test named '${str(name)}'.`)
    return truthy(test(context, [value, ...rest], kwargs))
  }
}

const needValue = (args: Value[]): [Value, ...Value[]] => {
  if (args.length === 0) throw typeError('the filter needs a value')
  return args as [Value, ...Value[]]
}

const nothing: Next = () => undefined

const select =
  (attribute: boolean, wanted: boolean): Filter =>
  (context, args, kwargs) => {
    const [value, ...rest] = needValue(args)
    return new Generator(() => {
      if (!truthy(value)) return nothing
      const takes = selector(context, rest, kwargs, attribute)
      return pass(iter(value), (item) => takes(item) === wanted)
    })
  }

const map: Filter = (context, args, kwargs) => {
  const [value, ...rest] = needValue(args)
  return new Generator(() => {
    if (!truthy(value)) return nothing
    const change = mapper(context, rest, kwargs)
    const next = iter(value)
    return () => {
      spend(1)
      const item = next()
      return item === undefined ? item : change(item)
    }
  })
}

const length = filter('obj', (_, value) => lengthOf(value!))

export const SEQUENCE_FILTERS: Record<string, Filter> = {
  batch: lazily('value linecount ? fill_with', (_, value, count, fill) =>
    nextOf(batches(value!, count!, fill)),
  ),
  count: length,
  first: filter('seq', (context, value) => edge(context, iter(value!)(), 'first')),
  items: lazily('value', (_, value) => nextOf(pairs(value!))),
  join: filter('value ? d attribute', (context, value, separator, attribute) =>
    joined(context, value!, separator, attribute),
  ),
  last: filter('seq', (context, value) => last(context, value!)),
  length,
  list: filter('value', (_, value) => listOf(value!)),
  map,
  // An item that only depends on what is in the sequence: the same input gives the same output.
  random: filter('seq', (context, value) => {
    const size = lengthOf(value!)
    return size === 0 ? edge(context, undefined, 'random') : getItem(value!, pick(repr(value!), size))
  }),
  reject: select(false, false),
  rejectattr: select(true, false),
  reverse: filter('value', (_, value) => reverse(value!)),
  select: select(false, true),
  selectattr: select(true, true),
  slice: lazily('value slices ? fill_with', (_, value, count, fill) =>
    nextOf(slices(value!, indexOf(count!), fill)),
  ),
}
