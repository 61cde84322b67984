/* nunjucks' own filters and tests (3.2), with its meaning: what is null or missing is taken for empty text. */
import { PythonError, typeError } from '../../python/error.ts'
import { spend, spendLength } from '../../python/limits.ts'
import {
  Callable,
  isObject,
  type JsObject,
  joinItems,
  member,
  number,
  plus,
  primitive,
  print,
  Safe,
  textOf,
  toText,
  type Value,
} from './values.ts'

/** A filter: its value and arguments, and those that are named. */
type Filter = (args: Value[], named: JsObject | undefined) => Value

const plain =
  (run: (value: Value, ...args: Value[]) => Value): Filter =>
  (args) =>
    run(args[0], ...args.slice(1))

/** A filter whose arguments can be named. */
const named =
  (names: string, run: (...args: Value[]) => Value): Filter =>
  (args, given) =>
    run(
      ...names.split(' ').map((name, i) => {
        if (i < args.length) return args[i]
        return given && Object.hasOwn(given, name) ? given[name] : undefined
      }),
    )

const orEmpty = (value: Value): Value =>
  value === null || value === undefined || value === false ? '' : value

/** The text a filter works on. @throws TypeError where there is none */
const needText = (value: Value): string => {
  const text = textOf(value)
  if (text === undefined) throw typeError(`a filter for text was put on a ${typeof value}`)
  spendLength(text.length)
  return text
}

/** Text of the same kind as the one it is made of. */
const like = (value: Value, text: string): Value => (value instanceof Safe ? new Safe(text) : text)

const onText = (change: (text: string, ...args: Value[]) => string): Filter =>
  plain((value, ...args) => like(orEmpty(value), change(needText(orEmpty(value)), ...args)))

const needList = (value: Value): Value[] => {
  if (!Array.isArray(value)) throw typeError(`a filter for lists was put on a ${typeof value}`)
  spend(value.length)
  return value
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#39;',
  '<': '&lt;',
  '>': '&gt;',
  '\\': '&#92;',
}

const escaped = (text: string): Safe => {
  spendLength(text.length * 6)
  return new Safe(text.replace(/[&"'<>\\]/g, (char) => ENTITIES[char]!))
}

const escapes = plain((value) => (value instanceof Safe ? value : escaped(print(value))))

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase()

const replace = (value: Value, old: Value, by: Value, limit: Value): Value => {
  const text = typeof value === 'number' ? String(value) : textOf(value)
  if ((typeof old !== 'number' && typeof old !== 'string') || text === undefined) return value
  const to = toText(by)
  if (old === '') {
    spendLength(text.length * (to.length + 1))
    return like(value, to + text.split('').join(to) + to)
  }
  const parts = text.split(String(old))
  const times = limit === undefined || limit === -1 ? Number.POSITIVE_INFINITY : number(limit)
  const found = Math.min(parts.length - 1, times)
  if (found <= 0) return typeof value === 'number' ? text : value
  spendLength(text.length + found * to.length)
  return like(value, parts.slice(0, found).join(to) + to + parts.slice(found).join(String(old)))
}

const truncate = (text: string, length: Value, killwords: Value, end: Value): string => {
  const limit = number(length) || 255
  if (text.length <= limit) return text
  const space = text.lastIndexOf(' ', limit)
  const head = text.slice(0, killwords || space < 0 ? limit : space)
  return head + (end === undefined || end === null ? '...' : toText(end))
}

/** JSON.stringify of what templates can hold. */
const dump = (value: Value, spaces: Value): Value => {
  const shown = (_key: string, each: unknown): unknown =>
    each instanceof Safe ? each.text : typeof each === 'bigint' ? String(each) : each
  try {
    const indent = typeof spaces === 'string' ? spaces : number(spaces) || undefined
    const text = JSON.stringify(value, shown, indent)
    spendLength(text?.length ?? 0)
    return text
  } catch (error) {
    throw error instanceof PythonError ? error : typeError((error as Error).message)
  }
}

const length = (value: Value): Value => {
  const text = textOf(orEmpty(value))
  if (text !== undefined) return text.length
  if (Array.isArray(value)) return value.length
  return isObject(value) ? Object.keys(value).length : undefined
}

const attribute = (item: Value, path: Value): Value => {
  if (!path) return item
  let value = item
  for (const part of toText(path).split('.'))
    value = isObject(value) || Array.isArray(value) ? member(value, part) : undefined
  return value
}

/** Sorts by keys; texts in lower case unless `cased`. */
const sorted = (items: Value[], keyOf: (item: Value) => Value, cased: Value, reverse: Value): Value[] => {
  spend(items.length * 8)
  const fold = (key: Value) => primitive(!cased && typeof key === 'string' ? key.toLowerCase() : key)
  return [...items].sort((a, b) => {
    const [x, y] = [fold(keyOf(a))!, fold(keyOf(b))!]
    return (x < y ? -1 : x > y ? 1 : 0) * (reverse ? -1 : 1)
  })
}

const round = (value: Value, digits: Value, method: Value): Value => {
  const factor = 10 ** (number(digits) || 0)
  const run = method === 'ceil' ? Math.ceil : method === 'floor' ? Math.floor : Math.round
  return run(number(value) * factor) / factor
}

const fallBack = plain((value, fallback, boolean) =>
  boolean ? value || fallback : value === undefined ? fallback : value,
)

const select = (expected: boolean): Filter =>
  plain((value, name, other) => {
    const holds = testNamed(name === undefined ? 'truthy' : toText(name))
    return (textOf(value)?.split('') ?? needList(value)).filter((item) => holds(item, other) === expected)
  })

const selectAttribute = (expected: boolean): Filter =>
  plain((value, name) => needList(value).filter((item) => !!member(item, name) === expected))

const FILTERS: Record<string, Filter> = {
  abs: plain((value) => Math.abs(number(value))),
  capitalize: onText(capital),
  d: fallBack,
  default: fallBack,
  dictsort: plain((value, cased, by) => {
    if (!isObject(value)) throw typeError('dictsort filter: val must be an object')
    const pairs = Object.entries(value).map((pair): Value => pair)
    return sorted(pairs, (pair) => member(pair, by === 'value' ? 1 : 0), cased, false)
  }),
  dump: plain(dump),
  e: escapes,
  escape: escapes,
  first: plain((value) => member(value, 0)),
  float: plain((value, fallback) => {
    const parsed = Number.parseFloat(toText(value))
    return Number.isNaN(parsed) ? fallback : parsed
  }),
  groupby: plain((value, path) => {
    const result: JsObject = Object.create(null) as JsObject
    for (const item of needList(value)) ((result[toText(attribute(item, path))] ??= []) as Value[]).push(item)
    return result
  }),
  indent: onText((text, width, first) => {
    const space = ' '.repeat(Math.min(1000, number(width) || 4))
    const lines = text === '' ? [] : text.split('\n')
    spendLength(text.length + lines.length * space.length)
    return lines.map((line, i) => (i === 0 && !first ? line : space + line)).join('\n')
  }),
  int: named('value default base', (value, fallback, base) => {
    const parsed = Number.parseInt(toText(value), base === undefined ? 10 : number(base))
    return Number.isNaN(parsed) ? fallback : parsed
  }),
  join: plain((value, separator, path) =>
    joinItems(
      needList(value).map((item) => (path ? member(item, path) : item)),
      separator ? toText(separator) : '',
    ),
  ),
  last: plain((value) => member(value, number(length(value)) - 1)),
  length: plain(length),
  list: plain((value) => {
    const text = textOf(value)
    if (text !== undefined) return text.split('')
    if (Array.isArray(value)) return value
    if (isObject(value)) return Object.entries(value).map(([key, each]) => ({ key, value: each }))
    throw typeError('list filter: type not iterable')
  }),
  lower: plain((value) => needText(orEmpty(value)).toLowerCase()),
  nl2br: onText((text) => text.replace(/\r\n|\n/g, '<br />\n')),
  reject: select(false),
  rejectattr: selectAttribute(false),
  replace: plain(replace),
  reverse: plain((value) => {
    const text = textOf(value)
    return text === undefined
      ? [...needList(value)].reverse()
      : like(value, text.split('').reverse().join(''))
  }),
  round: plain(round),
  safe: plain((value) => (value instanceof Safe ? value : new Safe(print(value)))),
  select: select(true),
  selectattr: selectAttribute(true),
  sort: named('value reverse case_sensitive attribute', (value, reverse, cased, path) =>
    sorted(needList(value), (item) => attribute(item, path), cased, reverse),
  ),
  string: plain((value) => like(value, toText(value))),
  sum: plain((value, path, start) => {
    const items = needList(value).map((item) => (path ? member(item, path) : item))
    return plus(
      start === undefined ? 0 : start,
      items.reduce((sum: Value, item) => plus(sum, item), 0),
    )
  }),
  title: onText((text) => text.split(' ').map(capital).join(' ')),
  trim: plain((value) => like(value, needText(value).trim())),
  truncate: onText(truncate),
  upper: plain((value) => needText(orEmpty(value)).toUpperCase()),
  urlencode: plain((value) => encodeURIComponent(needText(value))),
  wordcount: plain((value) => needText(orEmpty(value)).match(/\w+/g)?.length ?? null),
}

/** The filter of a name, if there is one. */
export const filterNamed = (name: string): Filter | undefined =>
  Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined

type Test = (value: Value, other: Value) => boolean

const cased = (value: Value, change: (text: string) => string): boolean => {
  const text = textOf(value)
  return text !== undefined && change(text) === text
}
const same: Test = (value, other) => value === other
const greater: Test = (value, other) => primitive(value)! > primitive(other)!
const less: Test = (value, other) => primitive(value)! < primitive(other)!

const TESTS: Record<string, Test> = {
  callable: (value) => value instanceof Callable,
  defined: (value) => value !== undefined,
  divisibleby: (value, other) => number(value) % number(other) === 0,
  eq: same,
  equalto: same,
  escaped: (value) => value instanceof Safe,
  even: (value) => number(value) % 2 === 0,
  falsy: (value) => !value,
  ge: (value, other) => primitive(value)! >= primitive(other)!,
  greaterthan: greater,
  gt: greater,
  iterable: (value) => textOf(value) !== undefined || Array.isArray(value),
  le: (value, other) => primitive(value)! <= primitive(other)!,
  lessthan: less,
  lower: (value) => cased(value, (text) => text.toLowerCase()),
  lt: less,
  mapping: isObject,
  ne: (value, other) => value !== other,
  null: (value) => value === null,
  number: (value) => typeof value === 'number',
  odd: (value) => number(value) % 2 === 1,
  sameas: same,
  string: (value) => typeof value === 'string',
  truthy: (value) => !!value,
  undefined: (value) => value === undefined,
  upper: (value) => cased(value, (text) => text.toUpperCase()),
}

/** The test of a name. @throws ValueError */
export const testNamed = (name: string): Test => {
  if (!Object.hasOwn(TESTS, name)) throw new PythonError('ValueError', `test not found: ${name}`)
  return TESTS[name]!
}
