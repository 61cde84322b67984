/* Filters that go through items with another filter, a test or an attribute: map, select, reject. */

import { iterate } from '../../../python/iterate.ts'
import { str } from '../../../python/print.ts'
import { DONE, type Kwargs, textOf, truthy, type Value } from '../../../python/values.ts'
import { raise } from '../../error.ts'
import { spend } from '../../limits.ts'
import { type Context, runtimeError } from '../context.ts'
import { testNamed } from '../tests.ts'
import { attributeGetter, type Filter } from './filter.ts'
import { filterNamed } from './index.ts'
import { lazily } from './sequences.ts'

const argumentError = (reason: string) => raise('FilterArgumentError', reason)

const unknown = (what: string, name: Value) => runtimeError(`No ${what} named '${str(name)}'.`)

/** What `map` does with an item. */
const mapper = (context: Context, args: Value[], kwargs: Kwargs | undefined): ((item: Value) => Value) => {
  if (args.length === 0 && kwargs?.has('attribute')) {
    for (const key of kwargs.keys()) {
      if (key !== 'attribute' && key !== 'default')
        throw argumentError(`Unexpected keyword argument '${key}'`)
    }
    return attributeGetter(context, kwargs.get('attribute'), undefined, kwargs.get('default'))
  }
  if (args.length === 0) throw argumentError('map requires a filter argument')
  const [name, ...rest] = args as [Value, ...Value[]]
  return (item) => {
    const filter = filterNamed(textOf(name) ?? '')
    if (!filter) throw unknown('filter', name)
    return filter(context, [item, ...rest], kwargs)
  }
}

/** Whether `select` takes an item; `attribute` says that the first argument names one to look at. */
const selector = (
  context: Context,
  args: Value[],
  kwargs: Kwargs | undefined,
  attribute: boolean,
): ((item: Value) => boolean) => {
  if (attribute && args.length === 0) throw argumentError('Missing parameter for attribute name')
  const get = attribute ? attributeGetter(context, args[0]) : (item: Value) => item
  const [name, ...rest] = attribute ? args.slice(1) : args
  if (name === undefined) return (item) => truthy(get(item))
  return (item) => {
    const value = get(item)
    const test = testNamed(textOf(name) ?? '')
    if (!test) throw unknown('test', name)
    return truthy(test(context, [value, ...rest], kwargs))
  }
}

const required = (args: Value[]): Value => {
  if (args.length === 0) throw raise('TypeError', "missing required argument: 'value'")
  return args[0]!
}

const select =
  (attribute: boolean, wanted: boolean): Filter =>
  (context, args, kwargs) => {
    const value = required(args)
    return lazily('select_or_reject', () => {
      if (!truthy(value)) return () => DONE
      const takes = selector(context, args.slice(1), kwargs, attribute)
      const next = iterate(value)
      return () => {
        for (let item = next(); item !== DONE; item = next()) {
          spend(1)
          if (takes(item) === wanted) return item
        }
        return DONE
      }
    })
  }

const map: Filter = (context, args, kwargs) => {
  const value = required(args)
  return lazily('sync_do_map', () => {
    if (!truthy(value)) return () => DONE
    const change = mapper(context, args.slice(1), kwargs)
    const next = iterate(value)
    return () => {
      spend(1)
      const item = next()
      return item === DONE ? DONE : change(item)
    }
  })
}

export const MAP_FILTERS: Record<string, Filter> = {
  map,
  reject: select(false, false),
  rejectattr: select(true, false),
  select: select(false, true),
  selectattr: select(true, true),
}
