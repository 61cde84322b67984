/* Filters that compare: sort, dictsort, unique, min, max, groupby. */
import type { Arg } from '../../../python/calls.ts'
import { equal, ordered, sortBy } from '../../../python/compare.ts'
import { Dict, dictEntries, isDict } from '../../../python/dict.ts'
import { typeError, valueError } from '../../../python/error.ts'
import { spend } from '../../../python/limits.ts'
import { itemsOf, iter } from '../../../python/sequences.ts'
import { indexOf, misused, Tuple, truthy, typeName, type Value } from '../../../python/values.ts'
import { Undefined } from '../undefined.ts'
import { type Filter, filter, getter, ignoreCase } from './filter.ts'
import { lazily, pass } from './sequences.ts'

/** Unless case matters, texts are compared in lower case. */
const foldUnless = (caseSensitive: Arg) => (truthy(caseSensitive ?? false) ? undefined : ignoreCase)

/** A flag that Python's sorted() takes as an int. */
const isSet = (flag: Arg): boolean => flag !== undefined && indexOf(flag) !== 0

const dictSort = (value: Value, caseSensitive: Arg, by: Arg, reverse: Arg): Value => {
  if (by !== undefined && by !== 'key' && by !== 'value')
    throw valueError('You can only sort by either "key" or "value"')
  if (!isDict(value)) throw misused(typeError(`a ${typeName(value)} has no items to sort`), value)
  const fold = foldUnless(caseSensitive) ?? ((key: Value) => key)
  const pairs = dictEntries(value).map((pair) => new Tuple(pair))
  return sortBy(pairs, (pair) => fold((pair as Tuple).items[by === 'value' ? 1 : 0]!), isSet(reverse))
}

const extreme = (op: '<' | '>'): Filter =>
  filter('value ? case_sensitive attribute', (context, value, caseSensitive, attribute) => {
    const get = getter(context, attribute, foldUnless(caseSensitive))
    let best: { item: Value; key: Value } | undefined
    const next = iter(value!)
    for (let item = next(); item !== undefined; item = next()) {
      spend(1)
      const key = get(item)
      if (!best || ordered(key, op, best.key)) best = { item, key }
    }
    return best ? best.item : context.undefined({ hint: 'No aggregated item, sequence was empty.' })
  })

export const ORDER_FILTERS: Record<string, Filter> = {
  dictsort: filter('value ? case_sensitive by reverse', (_, value, cased, by, reverse) =>
    dictSort(value!, cased, by, reverse),
  ),
  groupby: filter(
    'value attribute ? default case_sensitive',
    (context, value, attribute, fallback, cased) => {
      const fold = foldUnless(cased)
      const keyOf = getter(context, attribute, fold, fallback)
      const shown = getter(context, attribute, undefined, fallback)
      const groups: { key: Value; items: Value[] }[] = []
      for (const item of sortBy(itemsOf(value!), keyOf, false)) {
        const key = keyOf(item)
        const group = groups.at(-1)
        if (group && equal(group.key, key)) group.items.push(item)
        else groups.push({ key, items: [item] })
      }
      return groups.map(
        ({ key, items }) => new Tuple([fold ? shown(items[0]!) : key, items], ['grouper', 'list']),
      )
    },
  ),
  max: extreme('>'),
  min: extreme('<'),
  sort: filter('value ? reverse case_sensitive attribute', (context, value, reverse, cased, attribute) => {
    const names = typeof attribute === 'string' ? attribute.split(',') : [attribute]
    const getters = names.map((name) => getter(context, name, foldUnless(cased)))
    // Keys are lists in Jinja2: in them, what is None or undefined is as good as another.
    const single = (item: Value): Value => {
      const key = getters[0]!(item)
      return key === null || key instanceof Undefined ? [key] : key
    }
    const keyOf = getters.length === 1 ? single : (item: Value) => getters.map((get) => get(item))
    return sortBy(itemsOf(value!), keyOf, isSet(reverse))
  }),
  unique: lazily('value ? case_sensitive attribute', (context, value, cased, attribute) => {
    const get = getter(context, attribute, foldUnless(cased))
    const seen = new Dict()
    return pass(iter(value!), (item) => {
      const { size } = seen.map
      seen.set(get(item), true)
      return seen.map.size > size
    })
  }),
}
