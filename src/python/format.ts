/*
 * str.format: literal text with {fields}. A field is name[.attribute|[index]]...[!conversion][:spec]
 * (https://docs.python.org/3/library/string.html#format-string-syntax). Names that begin with an
 * underscore are refused: they lead from values to classes and modules.
 */
import { raise, TemplateError, valueError } from '../templates/error.ts'
import { spendLength } from '../templates/limits.ts'
import { getAttribute } from './attributes.ts'
import { dictGet, isDict } from './dicts.ts'
import { format } from './format-spec.ts'
import { ascii, repr, str } from './print.ts'
import { getItem } from './subscripts.ts'
import { indexError, type Kwargs, keyError, type Value } from './values.ts'

/** A field as it stands in the text. */
export interface Field {
  /** The first part of the name: a position or a key. */
  first: number | string
  /** Where the outermost field stands in the text. */
  at: number
  path: { attribute: boolean; key: string | number }[]
  conversion: string
  /** The spec, cut into text and fields like the whole. */
  spec: (string | Field)[]
}

/** Finds the value a field begins with; `at` is where the field stands. */
export type Lookup = (first: number | string, at: number) => Value

/** Fields out of the arguments of a call, or out of a mapping. */
export const lookupIn =
  (args: Value[], named: Kwargs | Value | undefined): Lookup =>
  (first) => {
    if (typeof first === 'number') {
      const value = args[first]
      if (value === undefined) {
        throw indexError(`Replacement index ${first} out of range for positional args tuple`)
      }
      return value
    }
    const value =
      named instanceof Map ? named.get(first) : named === undefined ? undefined : fromMapping(named, first)
    if (value === undefined) throw keyError(repr(first))
    return value
  }

const fromMapping = (mapping: Value, key: string): Value | undefined =>
  isDict(mapping) ? dictGet(mapping, key) : getItem(mapping, key)

/** Reads a format string into text and fields. */
export const parseFormat = (source: string): (string | Field)[] => new FormatReader().parse(source, 2)

export const formatFields = (source: string, lookup: Lookup): string =>
  fill(parseFormat(source), lookup, format)

/** Writes text and fields; `write` formats one value by its spec. */
export const fill = (
  parts: readonly (string | Field)[],
  lookup: Lookup,
  write: (value: Value, spec: string) => string,
): string => {
  let result = ''
  for (const part of parts) {
    if (typeof part === 'string') result += part
    else result += write(fieldValue(part, lookup), fill(part.spec, lookup, format))
    spendLength(result.length)
  }
  return result
}

const fieldValue = (field: Field, lookup: Lookup): Value => {
  let value = lookup(field.first, field.at)
  for (const { attribute, key } of field.path)
    value = attribute ? attributeOf(value, String(key)) : getItem(value, key)
  switch (field.conversion) {
    case '':
      return value
    case 's':
      return str(value)
    case 'r':
      return repr(value)
    case 'a':
      return ascii(value)
    default:
      throw valueError(`Unknown conversion specifier '${field.conversion}'`)
  }
}

const attributeOf = (value: Value, name: string): Value => {
  if (name.startsWith('_')) {
    throw new TemplateError('forbidden', `access to attribute '${name}' in a format string is not allowed`)
  }
  const found = getAttribute(value, name)
  if (found === undefined) throw raise('AttributeError', `no attribute '${name}'`)
  return found
}

export class FormatReader {
  /** Where the field stands that is being read. */
  at = 0

  private automatic = 0
  private manual = false

  parse(source: string, depth: number): (string | Field)[] {
    if (depth < 0) throw valueError('Max string recursion exceeded')
    const parts: (string | Field)[] = []
    let text = ''
    let i = 0
    while (i < source.length) {
      const char = source[i]!
      if (char !== '{' && char !== '}') {
        const next = source.slice(i).search(/[{}]/)
        text += next < 0 ? source.slice(i) : source.slice(i, i + next)
        i = next < 0 ? source.length : i + next
      } else if (source[i + 1] === char) {
        text += char
        i += 2
      } else if (char === '}' || i + 1 >= source.length) {
        if (depth === 2) this.at = i
        throw valueError(`Single '${char}' encountered in format string`)
      } else {
        if (text) parts.push(text)
        text = ''
        if (depth === 2) this.at = i
        const [field, end] = this.field(source, i + 1, depth)
        parts.push(field)
        i = end
      }
    }
    if (text) parts.push(text)
    return parts
  }

  /** Reads a field from behind its brace; gives it and the position behind its end. */
  private field(source: string, start: number, depth: number): [Field, number] {
    let i = start
    while (i < source.length && !':!}'.includes(source[i]!)) {
      if (source[i] === '{') throw valueError("unexpected '{' in field name")
      if (source[i] === '[') while (i < source.length && source[i] !== ']') i++
      else i++
    }
    if (i >= source.length) throw valueError("expected '}' before end of string")
    const named = { ...this.name(source.slice(start, i)), at: this.at }
    let conversion = ''
    if (source[i] === '!') {
      conversion = source[i + 1] ?? ''
      if (conversion === '') throw valueError('end of string while looking for conversion specifier')
      i += 2
      if (source[i] !== '}' && source[i] !== ':') throw valueError("expected ':' after conversion specifier")
    }
    if (source[i] === '}') return [{ ...named, conversion, spec: [] }, i + 1]
    const end = closing(source, i + 1)
    return [{ ...named, conversion, spec: this.parse(source.slice(i + 1, end), depth - 1) }, end + 1]
  }

  private name(source: string): Pick<Field, 'first' | 'path'> {
    const begin = /^[^.[]*/.exec(source)![0]
    const path: Field['path'] = []
    let rest = source.slice(begin.length)
    while (rest !== '') {
      const step = /^\.([^.[]*)|^\[([^\]]*)\]/.exec(rest)
      if (!step) {
        throw valueError(
          rest[0] === '['
            ? "Missing ']' in format string"
            : "Only '.' or '[' may follow ']' in format field specifier",
        )
      }
      const key = step[1] ?? step[2]!
      if (key === '') throw valueError('Empty attribute in format string')
      path.push({
        attribute: step[1] !== undefined,
        key: /^\d+$/.test(key) && step[1] === undefined ? Number(key) : key,
      })
      rest = rest.slice(step[0].length)
    }
    return { first: this.first(begin), path }
  }

  private first(name: string): number | string {
    if (name !== '' && !/^\d+$/.test(name)) return name
    if (name === '' ? this.manual : this.automatic > 0) {
      const [from, to] =
        name === ''
          ? ['manual field specification', 'automatic field numbering']
          : ['automatic field numbering', 'manual field specification']
      throw valueError(`cannot switch from ${from} to ${to}`)
    }
    if (name === '') return this.automatic++
    this.manual = true
    return Number(name)
  }
}

/** The brace that closes a field, which may hold others. */
const closing = (source: string, start: number): number => {
  let depth = 1
  for (let i = start; i < source.length; i++) {
    if (source[i] === '{') depth++
    else if (source[i] === '}' && --depth === 0) return i
  }
  throw valueError("unmatched '{' in format spec")
}
