/* The filters tojson and pprint. */

import type { Arg } from '../../../python/calls.ts'
import { sortBy } from '../../../python/compare.ts'
import { type AnyDict, dictEntries, isDict } from '../../../python/dicts.ts'
import { floatText, intText } from '../../../python/numbers.ts'
import { needText } from '../../../python/strings.ts'
import {
  floatOf,
  indexOf,
  isInt,
  Markup,
  Tuple,
  textOf,
  typeName,
  type Value,
} from '../../../python/values.ts'
import { raise, typeError } from '../../error.ts'
import { spendLength } from '../../limits.ts'
import { type Filter, filter } from './filter.ts'
import { pprint } from './pprint.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them
const SPECIAL = /["\\\x00-\x1f\x7f-\uffff<>&']/g
const SHORT: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\f': '\\f',
  '\b': '\\b',
}

/** A JSON string in ASCII, with the characters that mean something in HTML as escapes too. */
const quoted = (text: string): string =>
  `"${text.replace(SPECIAL, (char) => SHORT[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`

const numberText = (value: Value): string | undefined => {
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (isInt(value)) return intText(value as number | bigint)
  const number = floatOf(value)
  if (number === undefined) return undefined
  if (Number.isFinite(number)) return floatText(number)
  return Number.isNaN(number) ? 'NaN' : number > 0 ? 'Infinity' : '-Infinity'
}

const keyText = (key: Value): string => {
  const text = textOf(key) ?? (key === null ? 'null' : numberText(key))
  if (text === undefined) throw typeError(`keys must be str, int, float, bool or None, not ${typeName(key)}`)
  return text
}

/** json.dumps(value, sort_keys=True, indent=indent), safe within HTML. */
class Writer {
  private readonly indent: string | undefined
  private readonly open = new Set<Value>()

  constructor(indent: string | undefined) {
    this.indent = indent
  }

  write(value: Value, margin: string): string {
    const text = textOf(value)
    if (text !== undefined) return quoted(text)
    if (value === null) return 'null'
    const number = numberText(value)
    if (number !== undefined) return number
    if (Array.isArray(value))
      return this.enclose('[]', value, margin, (inner) => value.map((item) => this.write(item, inner)))
    if (value instanceof Tuple) {
      return this.enclose('[]', value, margin, (inner) => value.items.map((item) => this.write(item, inner)))
    }
    if (isDict(value)) return this.enclose('{}', value, margin, (inner) => this.pairs(value, inner))
    throw typeError(`Object of type ${typeName(value).split('.').at(-1)} is not JSON serializable`)
  }

  private pairs(value: AnyDict, inner: string): string[] {
    const sorted = sortBy(
      dictEntries(value).map((pair) => new Tuple(pair)),
      (pair) => (pair as Tuple).items[0]!,
      false,
    )
    return sorted.map((pair) => {
      const [key, each] = (pair as Tuple).items as [Value, Value]
      return `${quoted(keyText(key))}: ${this.write(each, inner)}`
    })
  }

  private enclose(marks: string, value: Value, margin: string, parts: (inner: string) => string[]): string {
    if (this.open.has(value)) throw raise('ValueError', 'Circular reference detected')
    this.open.add(value)
    const inner = this.indent === undefined ? '' : margin + this.indent
    const items = parts(inner)
    this.open.delete(value)
    if (items.length === 0) return marks
    const [before, between, after] =
      this.indent === undefined ? ['', ', ', ''] : [`\n${inner}`, `,\n${inner}`, `\n${margin}`]
    const text = marks[0] + before + items.join(between) + after + marks[1]
    spendLength(text.length)
    return text
  }
}

const indentOf = (indent: Arg): string | undefined => {
  if (indent === undefined || indent === null) return undefined
  return textOf(indent) === undefined ? ' '.repeat(Math.max(0, indexOf(indent))) : needText(indent)
}

/** A text alone is written whatever the indent is. */
const json = (value: Value, indent: Arg): string =>
  new Writer(textOf(value) === undefined ? indentOf(indent) : undefined).write(value, '')

export const JSON_FILTERS: Record<string, Filter> = {
  pprint: filter('pprint', 'value', 1, (_, value) => pprint(value!)),
  tojson: filter('tojson', 'value indent', 1, (_, value, indent) => new Markup(json(value!, indent))),
}
