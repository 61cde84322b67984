/* The filters and tests of Jinja2 3.1 by name, and those that call others: map, select, reject. */
import { runtimeError, typeError, valueError } from '../../../python/error.ts'
import { str } from '../../../python/print.ts'
import { iter } from '../../../python/sequences.ts'
import { Generator, type Kwargs, textOf, truthy, type Value } from '../../../python/values.ts'
import { CHAT_FILTERS, fence, roles } from '../../chat.ts'
import type { Render } from '../scope.ts'
import { PLAIN_TESTS } from '../tests.ts'
import { type Change, type Filter, filter, getter, mapItems, textFrom } from './filter.ts'
import { NUMBER_FILTERS } from './numbers.ts'
import { ORDER_FILTERS, SEQUENCE_FILTERS } from './sequences.ts'
import { TEXT_FILTERS } from './text.ts'

/** A filter over the items of its value. */
const overItems =
  (prepare: (render: Render, args: Value[], kwargs: Kwargs | undefined) => Change): Filter =>
  (render, [value, ...rest], kwargs) => {
    if (value === undefined) throw typeError('the filter needs a value')
    return new Generator(() => {
      if (!truthy(value)) return () => undefined
      const change = prepare(render, rest, kwargs)
      return mapItems(iter(value), change)
    })
  }

const map = overItems((render, [name, ...rest], kwargs) => {
  if (name === undefined) {
    const names = [...(kwargs?.keys() ?? [])]
    const unknown = names.find((key) => key !== 'attribute' && key !== 'default')
    if (unknown !== undefined || !names.includes('attribute'))
      throw valueError(`map takes a filter or an attribute, not ${unknown ?? 'nothing'}`)
    return getter(render, kwargs!.get('attribute')!, undefined, kwargs!.get('default'))
  }
  const run = filterNamed(textOf(name) ?? '')
  return (item) => {
    if (!run) throw runtimeError(`No filter named '${str(name)}'.`)
    return run(render, [item, ...rest], kwargs)
  }
})

/** @param attribute the first argument names the attribute to test */
const select = (attribute: boolean, wanted: boolean): Filter =>
  overItems((render, args, kwargs) => {
    if (attribute && args.length === 0) throw valueError('Missing parameter for attribute name')
    const get = attribute ? getter(render, args[0]!) : (item: Value) => item
    const [name, ...rest] = attribute ? args.slice(1) : args
    const test: Filter | undefined =
      name === undefined ? (_, [value]) => value! : testNamed(textOf(name) ?? '')
    return (item) => {
      if (!test) throw runtimeError(`No test named '${str(name!)}'.`)
      return truthy(test(render, [get(item), ...rest], kwargs)) === wanted ? item : undefined
    }
  })

const CONVERSATION_FILTERS = Object.fromEntries(
  Object.entries(CHAT_FILTERS).map(([name, [signature, run]]) => [
    name,
    filter(`value ${signature}`, (_, value, ...args) => run(value!, ...args) as Value),
  ]),
)

const FILTERS: Record<string, Filter> = {
  ...CONVERSATION_FILTERS,
  roles: (_, [value, ...wanted]) => roles(value!, wanted) as Value,
  fence: filter('value name', (_, value, name) => fence(textFrom(value!), name!)),
  ...TEXT_FILTERS,
  ...SEQUENCE_FILTERS,
  ...ORDER_FILTERS,
  ...NUMBER_FILTERS,
  map,
  reject: select(false, false),
  rejectattr: select(true, false),
  select: select(false, true),
  selectattr: select(true, true),
}

const TESTS: Record<string, Filter> = {
  ...PLAIN_TESTS,
  filter: filter('value', (_, value) => filterNamed(textOf(value) ?? '') !== undefined),
  test: filter('value', (_, value) => testNamed(textOf(value) ?? '') !== undefined),
}

export const filterNamed = (name: string): Filter | undefined =>
  Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined

export const testNamed = (name: string): Filter | undefined =>
  Object.hasOwn(TESTS, name) ? TESTS[name] : undefined
