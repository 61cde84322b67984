/* Python's pprint.pformat with its default width of 80: containers too wide for a line are broken up. */

import { ordered } from '../../../python/compare.ts'
import { type AnyDict, dictEntries, isDict } from '../../../python/dicts.ts'
import { repr } from '../../../python/print.ts'
import { splitLines } from '../../../python/splitting.ts'
import { codePoints, compareText, WHITESPACE } from '../../../python/unicode.ts'
import { Tuple, typeName, type Value } from '../../../python/values.ts'
import { raise } from '../../error.ts'
import { spendLength } from '../../limits.ts'

const WIDTH = 80

export const pprint = (value: Value): string => {
  const text = new Printer().format(value, 0, 0, 1)
  spendLength(text.length)
  return text
}

/** pprint's own order of keys: Python's where there is one, else by type. */
const compareKeys = (a: Value, b: Value): number => {
  try {
    return ordered(a, '<', b) ? -1 : ordered(b, '<', a) ? 1 : 0
  } catch {
    return compareText(`<class '${typeName(a)}'>`, `<class '${typeName(b)}'>`)
  }
}

const sortedEntries = (dict: AnyDict): [Value, Value][] =>
  dictEntries(dict).sort(([a], [b]) => compareKeys(a, b))

/** repr() with the keys of dicts in order. */
const sortedRepr = (value: Value, open: Value[] = []): string => {
  if (!isContainer(value)) return repr(value)
  if (open.includes(value)) return `<Recursion on ${typeName(value)} with id=0>`
  if (open.length > 300) throw raise('RecursionError', 'maximum recursion depth exceeded')
  const inside = [...open, value]
  if (Array.isArray(value)) return `[${value.map((item) => sortedRepr(item, inside)).join(', ')}]`
  if (value instanceof Tuple) {
    const items = value.items.map((item) => sortedRepr(item, inside)).join(', ')
    return `(${items}${value.items.length === 1 ? ',' : ''})`
  }
  const pairs = sortedEntries(value).map(
    ([key, each]) => `${sortedRepr(key, inside)}: ${sortedRepr(each, inside)}`,
  )
  return `{${pairs.join(', ')}}`
}

/** What pprint takes apart: not the pairs of `groupby`, which print themselves. */
const isContainer = (value: Value): value is Value[] | Tuple | AnyDict =>
  Array.isArray(value) || (value instanceof Tuple && value.names === undefined) || isDict(value)

class Printer {
  private readonly open: Value[] = []

  /** `allowance` is what must still follow on the last line, `level` how deep the value stands. */
  format(value: Value, indent: number, allowance: number, level: number): string {
    if (this.open.includes(value)) return `<Recursion on ${typeName(value)} with id=0>`
    const text = sortedRepr(value)
    if (codePoints(text) <= WIDTH - indent - allowance) return text
    if (typeof value === 'string') return this.formatText(value, indent, allowance, level)
    if (!isContainer(value)) return text
    this.open.push(value)
    const result = this.formatContainer(value, indent, allowance, level)
    this.open.pop()
    return result
  }

  private formatContainer(
    value: Value[] | Tuple | AnyDict,
    indent: number,
    allowance: number,
    level: number,
  ): string {
    if (Array.isArray(value)) return `[${this.formatItems(value, indent, allowance + 1, level)}]`
    if (!(value instanceof Tuple)) return `{${this.formatEntries(value, indent, allowance + 1, level)}}`
    const end = value.items.length === 1 ? ',)' : ')'
    return `(${this.formatItems(value.items, indent, allowance + end.length, level)}${end}`
  }

  private formatItems(items: readonly Value[], indent: number, allowance: number, level: number): string {
    const inner = indent + 1
    return items
      .map((item, i) => this.format(item, inner, i === items.length - 1 ? allowance : 1, level + 1))
      .join(`,\n${' '.repeat(inner)}`)
  }

  private formatEntries(dict: AnyDict, indent: number, allowance: number, level: number): string {
    const inner = indent + 1
    const entries = sortedEntries(dict)
    return entries
      .map(([key, value], i) => {
        const name = sortedRepr(key)
        const rest = i === entries.length - 1 ? allowance : 1
        return `${name}: ${this.format(value, inner + codePoints(name) + 2, rest, level + 1)}`
      })
      .join(`,\n${' '.repeat(inner)}`)
  }

  /** A long text becomes several literals, one a line; at the top in parentheses. */
  private formatText(text: string, from: number, rest: number, level: number): string {
    const top = level === 1
    const indent = top ? from + 1 : from
    const allowance = top ? rest + 1 : rest
    const width = WIDTH - indent
    const lines = splitLines(text, true)
    const chunks = lines.flatMap((line, i) => {
      const isLast = i === lines.length - 1
      const whole = repr(line)
      if (codePoints(whole) <= (isLast ? width - allowance : width)) return [whole]
      return breakLine(line, width, isLast ? allowance : 0)
    })
    if (chunks.length === 1) return repr(lines.at(-1)!)
    const joined = chunks.join(`\n${' '.repeat(indent)}`)
    return top ? `(${joined})` : joined
  }
}

/** Words with the space behind them. */
const words = (line: string): string[] => {
  const parts: string[] = []
  let i = 0
  while (i < line.length) {
    const start = i
    while (i < line.length && !WHITESPACE.has(line[i]!)) i++
    while (i < line.length && WHITESPACE.has(line[i]!)) i++
    parts.push(line.slice(start, i))
  }
  return parts
}

const breakLine = (line: string, width: number, allowance: number): string[] => {
  const chunks: string[] = []
  const parts = words(line)
  let current = ''
  parts.forEach((part, i) => {
    const room = i === parts.length - 1 ? width - allowance : width
    if (codePoints(repr(current + part)) > room) {
      if (current) chunks.push(repr(current))
      current = part
    } else current += part
  })
  if (current) chunks.push(repr(current))
  return chunks
}
