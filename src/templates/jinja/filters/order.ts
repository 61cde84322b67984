/* Filters that compare: sort, dictsort, unique, min, max, groupby. */

import type { Arg } from '../../../python/calls.ts'
import { equal, ordered, sortBy } from '../../../python/compare.ts'
import { checkHashable, Dict, dictEntries, isDict } from '../../../python/dicts.ts'
import { itemsOf, iterate } from '../../../python/iterate.ts'
import { undefinedError } from '../../../python/undefined.ts'
import { DONE, indexOf, Tuple, textOf, truthy, typeName, type Value } from '../../../python/values.ts'
import { raise, typeError } from '../../error.ts'
import { spend } from '../../limits.ts'
import type { Context } from '../context.ts'
import { attributeGetter, attributesGetter, type Filter, filter, ignoreCase } from './filter.ts'
import { lazily } from './sequences.ts'

/** Unless case matters, texts are compared in lower case. */
const foldUnless = (caseSensitive: Arg) => (truthy(caseSensitive ?? false) ? undefined : ignoreCase)

/** A flag that Python's sorted() takes as an int. */
const isSet = (flag: Arg): boolean => flag !== undefined && indexOf(flag) !== 0

const dictSort = (value: Value, caseSensitive: Arg, by: Arg, reverse: Arg): Value => {
  const what = by === undefined ? 'key' : textOf(by)
  if (what !== 'key' && what !== 'value') {
    throw raise('FilterArgumentError', 'You can only sort by either "key" or "value"')
  }
  const error = undefinedError(value)
  if (error) throw error
  if (!isDict(value)) throw raise('AttributeError', `'${typeName(value)}' object has no attribute 'items'`)
  const pairs = dictEntries(value).map((pair) => new Tuple(pair))
  const keyOf = (pair: Value): Value => {
    const part = (pair as Tuple).items[what === 'key' ? 0 : 1]!
    return (foldUnless(caseSensitive) ?? ((key) => key))(part)
  }
  return sortBy(pairs, keyOf, isSet(reverse))
}

const sorted = (context: Context, value: Value, reverse: Arg, caseSensitive: Arg, attribute: Arg): Value =>
  sortBy(itemsOf(value), attributesGetter(context, attribute, foldUnless(caseSensitive)), isSet(reverse))

const unique = (context: Context, value: Value, caseSensitive: Arg, attribute: Arg): Value =>
  lazily('do_unique', () => {
    const get = attributeGetter(context, attribute, foldUnless(caseSensitive))
    const seen = new Dict()
    const next = iterate(value)
    return () => {
      for (let item = next(); item !== DONE; item = next()) {
        spend(1)
        const key = get(item)
        checkHashable(key)
        if (seen.has(key)) continue
        seen.set(key, null)
        return item
      }
      return DONE
    }
  })

const extreme = (op: '<' | '>'): Filter =>
  filter(
    op === '<' ? 'min' : 'max',
    'value case_sensitive attribute',
    1,
    (context, value, caseSensitive, attribute) => {
      const next = iterate(value!)
      let best = next()
      if (best === DONE) return context.undefined({ hint: 'No aggregated item, sequence was empty.' })
      const get = attributeGetter(context, attribute, foldUnless(caseSensitive))
      let bestKey = get(best)
      for (let item = next(); item !== DONE; item = next()) {
        spend(1)
        const key = get(item)
        if (!ordered(key, op, bestKey)) continue
        best = item
        bestKey = key
      }
      return best
    },
  )

const grouped = (
  context: Context,
  value: Value,
  attribute: Arg,
  fallback: Arg,
  caseSensitive: Arg,
): Value => {
  if (attribute === undefined) throw typeError("missing required argument: 'attribute'")
  const fold = foldUnless(caseSensitive)
  const keyOf = attributeGetter(context, attribute, fold, fallback)
  const shown = attributeGetter(context, attribute, undefined, fallback)
  const groups: { key: Value; items: Value[] }[] = []
  for (const item of sortBy(itemsOf(value), keyOf, false)) {
    const key = keyOf(item)
    const group = groups.at(-1)
    if (group && equal(group.key, key)) group.items.push(item)
    else groups.push({ key, items: [item] })
  }
  return groups.map(
    ({ key, items }) => new Tuple([fold ? shown(items[0]!) : key, items], ['grouper', 'list']),
  )
}

export const ORDER_FILTERS: Record<string, Filter> = {
  dictsort: filter('dictsort', 'value case_sensitive by reverse', 1, (_, value, caseSensitive, by, reverse) =>
    dictSort(value!, caseSensitive, by, reverse),
  ),
  groupby: filter(
    'groupby',
    'value attribute default case_sensitive',
    2,
    (context, value, attribute, fallback, cased) => grouped(context, value!, attribute, fallback, cased),
  ),
  max: extreme('>'),
  min: extreme('<'),
  sort: filter(
    'sort',
    'value reverse case_sensitive attribute',
    1,
    (context, value, reverse, cased, attribute) => sorted(context, value!, reverse, cased, attribute),
  ),
  unique: filter('unique', 'value case_sensitive attribute', 1, (context, value, cased, attribute) =>
    unique(context, value!, cased, attribute),
  ),
}
