/*
 * nunjucks' filters and tests. The package's own are called with values for which they are safe: text, lists and numbers
 * of known size. Those that could read JavaScript's properties or run without bounds are implemented here.
 */
import { method } from '../../python/calls.ts'
import { TemplateError, typeError } from '../../python/error.ts'
import { spend, spendLength } from '../../python/limits.ts'
import { Obj } from '../../python/values.ts'
import { CHAT_FILTERS, fence, roles } from '../chat.ts'
import { filters as packageFilters, SafeString, tests } from './package.ts'
import * as js from './values.ts'

type Value = js.JsValue
/** A filter: its value and arguments, and the keyword arguments. */
type Filter = (args: Value[], named: js.JsObject | undefined) => Value

/** The package's filters, by the type of their value. */
const PACKAGE = {
  text: 'capitalize indent lower nl2br replace title truncate upper urlencode wordcount',
  /** Any value, as text. */
  printed: 'e escape float forceescape int safe string',
  number: 'abs round',
  list: 'reject reverse select',
  any: 'd default first last length list',
}

const needList = (value: Value): Value[] => {
  if (!Array.isArray(value)) throw typeError(`a filter for lists was put on a ${typeof value}`)
  spend(value.length)
  return value
}

/** Checks and converts the value of a filter. Most filters take null, undefined and false for empty text. */
const PREPARE: Record<keyof typeof PACKAGE, (value: Value) => Value> = {
  text: (value) => {
    if (typeof value !== 'object' || value === null || js.isSafe(value)) return value
    throw typeError('a filter for text was put on an object')
  },
  printed: (value) => (js.isSafe(value) ? value : js.primitive(value)),
  number: js.primitive,
  list: (value) => (js.jsText(value) === undefined ? needList(value) : value),
  any: (value) => value,
}

/** By how much a filter's result may be longer than its text. */
const growth = (name: string, text: string, [, first, second]: readonly Value[]): number => {
  if (name === 'indent') return text.split('\n').length * (js.number(first) || 4)
  if (name === 'replace') return text.split(js.toText(first)).length * js.toText(second).length
  return text.length * 9
}

const CONTEXT = {
  env: { opts: {}, getTest: (name: string) => (value: Value, other: Value) => jsTest(name)(value, other) },
}

const packageFilter =
  (name: string, kind: keyof typeof PACKAGE): Filter =>
  ([value, ...rest], named) => {
    const prepared = PREPARE[kind](value)
    const args = [prepared, ...rest.map((arg) => (name.startsWith('d') ? arg : js.primitive(arg)))]
    const text = js.jsText(prepared)
    if (text !== undefined) spendLength(text.length + growth(name, text, args))
    if (named) args.push({ ...named, __keywords: true })
    try {
      return packageFilters[name]!.apply(CONTEXT, args) as Value
    } catch (error) {
      throw error instanceof TemplateError ? error : typeError((error as Error).message)
    }
  }

// Filters that look up attributes, sort or print.

const attribute = (item: Value, path: Value): Value => {
  if (!path) return item
  let value = item
  for (const part of js.toText(path).split('.'))
    value = js.isJsObject(value) || Array.isArray(value) ? js.member(value, part) : undefined
  return value
}

/** Sorts by keys; texts in lower case unless `cased`. */
const sorted = (items: Value[], keyOf: (item: Value) => Value, cased: Value, reverse: Value): Value[] => {
  spend(items.length * 8)
  const fold = (key: Value) => js.primitive(!cased && typeof key === 'string' ? key.toLowerCase() : key)
  const keyed = items.map((item) => ({ item, key: fold(keyOf(item))! }))
  const sign = reverse ? -1 : 1
  keyed.sort(({ key: x }, { key: y }) => (x < y ? -sign : x > y ? sign : 0))
  return keyed.map(({ item }) => item)
}

/** JSON.stringify. */
const dump = (value: Value, spaces: Value): Value => {
  const shown = (_key: string, each: unknown): unknown => {
    spend(1)
    return js.isSafe(each as Value) || typeof each === 'bigint' ? String(each) : each
  }
  const text = js.compute(
    () => JSON.stringify(value, shown, (js.primitive(spaces) ?? undefined) as number),
    [],
  )
  spendLength(js.jsText(text)?.length ?? 0)
  return text
}

const trim = (value: Value): Value => {
  const text = js.jsText(value)
  if (text === undefined) throw typeError(`a filter for text was put on a ${typeof value}`)
  spendLength(text.length)
  return js.isSafe(value) ? new SafeString(text.trim()) : text.trim()
}

const selectAttribute =
  (expected: boolean): Filter =>
  ([value, name]) =>
    needList(value).filter((item) => !!js.member(item, name) === expected)

const column = (value: Value, name: Value): Value[] =>
  needList(value).map((item) => (name ? js.member(item, name) : item))

const FILTERS: Record<string, Filter> = {
  dump: ([value, spaces]) => dump(value, spaces),
  join: ([value, separator, name]) =>
    js.joinItems(column(value, name), separator ? js.toText(separator) : ''),
  rejectattr: selectAttribute(false),
  selectattr: selectAttribute(true),
  sort: ([value, ...args], named = {}) => {
    const [reverse, cased, path] = ['reverse', 'case_sensitive', 'attribute'].map(
      (name, i) => args[i] ?? named[name],
    )
    return sorted(needList(value), (item) => attribute(item, path), cased, reverse)
  },
  sum: ([value, name, start]) =>
    js.plus(start === undefined ? 0 : start, column(value, name).reduce(js.plus, 0)),
  trim: ([value]) => trim(value),
}
for (const kind of Object.keys(PACKAGE) as (keyof typeof PACKAGE)[])
  for (const name of PACKAGE[kind].split(' ')) FILTERS[name] = packageFilter(name, kind)

for (const [name, [signature, run]] of Object.entries(CHAT_FILTERS)) {
  const bound = method(`value ${signature}`, (_, value, ...args) => run(value!, ...args) as never)
  FILTERS[name] = (args, named) =>
    bound(undefined, args as never[], new Map(Object.entries(named ?? {})) as never) as Value
}
FILTERS.roles = ([value, ...wanted]) => roles(value as never, wanted as never[]) as Value
FILTERS.fence = ([value, name]) => fence(js.printText(value), name as string)

export const jsFilter = (name: string): Filter | undefined =>
  Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined

type Test = (value: Value, other: Value) => boolean

/** Tests that compare or compute: objects become text. */
const COMPUTING = new Set('divisibleby even ge greaterthan gt le lessthan lower lt odd upper'.split(' '))

/** The test of a name. @throws ValueError */
export const jsTest = (name: string): Test => {
  if (name === 'callable') return (value) => value instanceof Obj && value.call !== undefined
  if (name === 'mapping') return js.isJsObject
  const test = Object.hasOwn(tests, name) ? tests[name] : undefined
  if (!test) throw new TemplateError('ValueError', `test not found: ${name}`)
  if (COMPUTING.has(name)) return (value, other) => js.compute(test, [value, other]) as boolean
  return (value, other) => js.compute(() => test(value, other), []) as boolean
}
