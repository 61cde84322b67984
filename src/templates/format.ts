/*
 * Prompts that are format strings: Python's str.format (`--syntax format`) and alpaca_eval's replacement
 * of {name} (`--syntax alpaca`).
 */

import { Dict, dictGet } from '../python/dicts.ts'
import { type Field, FormatReader, fill } from '../python/format.ts'
import { format } from '../python/format-spec.ts'
import { str } from '../python/print.ts'
import type { PlainDict, Value } from '../python/values.ts'
import { locate, type Place, syntaxError, TemplateError } from './error.ts'
import { parseContext } from './json.ts'
import { resetMeter } from './limits.ts'

export interface FormatOptions {
  undefined?: 'error' | 'empty' | undefined
  name?: string | undefined
}

export interface FormatTemplate {
  render(context: object | string): string
  variables: string[]
  plain?: (string | { field: string })[]
}

/** Line and column of a place in a text. */
const placeOf = (source: string, index: number): Place => {
  const before = source.slice(0, index).split('\n')
  return { lineno: before.length - 1, colno: before.at(-1)!.length }
}

const read = (context: object | string): PlainDict | Dict =>
  typeof context === 'string' ? parseContext(context, false) : (context as PlainDict)

/** Finds fields in a context; what is missing is an error that names it, or empty. */
const finder = (
  { undefined: missing }: FormatOptions,
  context: object | string,
): ((name: string) => Value) => {
  const data = read(context)
  return (name) => {
    const value =
      data instanceof Dict ? dictGet(data, name) : Object.hasOwn(data, name) ? data[name] : undefined
    if (value !== undefined) return value
    if (missing === 'empty') return ''
    throw new TemplateError('undefined', `'${name}' is undefined`, { field: name, exception: 'KeyError' })
  }
}

/** Compiles a format string whose fields are all named. */
export const compileFormat = (source: string, options: FormatOptions): FormatTemplate => {
  const parts = readFormat(source, options.name)
  const names = new Set<string>()
  for (const field of fieldsOf(parts)) {
    if (typeof field.first === 'number') {
      throw syntaxError('a field without a name: only names have values here').at(
        placeOf(source, field.at),
        options.name,
      )
    }
    names.add(field.first)
  }
  const plain = plainParts(parts)
  return {
    variables: [...names].sort(),
    ...(plain && { plain }),
    render: (context) => {
      resetMeter()
      const find = finder(options, context)
      let at = 0
      const lookup = (first: number | string, index: number) => {
        at = index
        return find(String(first))
      }
      try {
        return fill(parts, lookup, format)
      } catch (error) {
        throw locate(error, placeOf(source, at), options.name)
      }
    },
  }
}

const readFormat = (source: string, name: string | undefined): (string | Field)[] => {
  const reader = new FormatReader()
  try {
    return reader.parse(source, 2)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw syntaxError(error.reason).at(placeOf(source, reader.at), name)
  }
}

/** All fields, also those within specs. */
const fieldsOf = (parts: readonly (string | Field)[]): Field[] =>
  parts.flatMap((part) => (typeof part === 'string' ? [] : [part, ...fieldsOf(part.spec)]))

const plainParts = (parts: readonly (string | Field)[]): FormatTemplate['plain'] => {
  const simple = parts.every(
    (part) =>
      typeof part === 'string' ||
      (part.path.length === 0 && part.conversion === '' && part.spec.length === 0),
  )
  if (!simple) return undefined
  return parts.map((part) => (typeof part === 'string' ? part : { field: String(part.first) }))
}

const PLACEHOLDER = /\{([^\s]+?)\}/g

/**
 * Compiles a prompt of alpaca_eval: each {name} stands for str() of the field and may stand only once; other
 * braces are text. (alpaca_eval puts one field in after the other, and so also replaces a name that stands
 * in the data. Here data is never looked at.)
 */
export const compileAlpaca = (source: string, options: FormatOptions): FormatTemplate => {
  const parts: (string | { field: string; at: number })[] = []
  const names = new Set<string>()
  let end = 0
  for (const { 0: whole, 1: name, index } of source.matchAll(PLACEHOLDER)) {
    if (names.has(name!)) {
      throw syntaxError(`the placeholder {${name}} stands here twice`).at(
        placeOf(source, index),
        options.name,
      )
    }
    names.add(name!)
    if (index > end) parts.push(source.slice(end, index))
    parts.push({ field: name!, at: index })
    end = index + whole.length
  }
  if (end < source.length) parts.push(source.slice(end))
  const write = (find: (name: string) => Value, part: (typeof parts)[number]): string => {
    if (typeof part === 'string') return part
    try {
      return str(find(part.field))
    } catch (error) {
      throw locate(error, placeOf(source, part.at), options.name)
    }
  }
  return {
    variables: [...names].sort(),
    plain: parts.map((part) => (typeof part === 'string' ? part : { field: part.field })),
    render: (context) => {
      resetMeter()
      const find = finder(options, context)
      return parts.map((part) => write(find, part)).join('')
    },
  }
}
