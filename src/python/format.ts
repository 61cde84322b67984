/*
 * str.format: literal text with {fields}. A field is name[.attribute|[index]]...[!conversion][:spec]
 * (https://docs.python.org/3/library/string.html#format-string-syntax). Names that begin with an
 * underscore are refused: they lead from values to classes and modules.
 */
import { PythonError, valueError } from './error.ts'
import { format } from './format_spec.ts'
import { spendLength } from './limits.ts'
import { ascii, repr, str } from './print.ts'
import { getItem } from './sequences.ts'
import { Obj, typeName, type Value } from './values.ts'

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

/** Writes text and fields. */
export const fillFields = (parts: readonly (string | Field)[], lookup: Lookup): string => {
  let result = ''
  for (const part of parts) {
    result +=
      typeof part === 'string' ? part : format(fieldValue(part, lookup), fillFields(part.spec, lookup))
    spendLength(result.length)
  }
  return result
}

const CONVERSIONS: Record<string, (value: Value) => Value> = {
  '': (value) => value,
  a: ascii,
  r: repr,
  s: str,
}

const fieldValue = (field: Field, lookup: Lookup): Value => {
  let value = lookup(field.first, field.at)
  for (const { attribute, key } of field.path)
    value = attribute ? attributeOf(value, String(key)) : getItem(value, key)
  const convert = CONVERSIONS[field.conversion]
  if (!convert) throw valueError(`Unknown conversion specifier '${field.conversion}'`)
  return convert(value)
}

const attributeOf = (value: Value, name: string): Value => {
  if (name.startsWith('_'))
    throw new PythonError('SecurityError', `the attribute '${name}' can't be read in a format string`)
  const found = value instanceof Obj ? value.attr(name) : undefined
  if (found === undefined)
    throw new PythonError('AttributeError', `a ${typeName(value)} has no attribute '${name}'`)
  return found
}

/** Reads a format string into text and fields. */
export class FormatReader {
  /** Where the field stands that is being read. */
  at = 0

  private automatic = 0
  private manual = false

  /** @throws ValueError */
  parse(source: string, depth = 2): (string | Field)[] {
    if (depth < 0) throw valueError('Max string recursion exceeded')
    const parts: (string | Field)[] = []
    const brace = /[{}]/g
    let text = ''
    let i = 0
    for (;;) {
      brace.lastIndex = i
      const at = brace.exec(source)?.index ?? source.length
      text += source.slice(i, at)
      const char = source[at]
      if (text && (char === undefined || source[at + 1] !== char)) {
        parts.push(text)
        text = ''
      }
      if (char === undefined) return parts
      if (depth === 2) this.at = at
      if (source[at + 1] === char) {
        text += char
        i = at + 2
      } else if (char === '}' || at + 1 >= source.length) {
        throw valueError(`Single '${char}' encountered in format string`)
      } else {
        const [field, end] = this.field(source, at + 1, depth)
        parts.push(field)
        i = end
      }
    }
  }

  /** Reads a field after its brace; gives it and the position after its end. */
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
    const step = /\.([^.[]+)|\[([^\]]+)\]/y
    step.lastIndex = begin.length
    while (step.lastIndex < source.length) {
      const found = step.exec(source)
      if (!found) throw valueError(`invalid field name '${source}'`)
      const attribute = found[1] !== undefined
      const key = found[1] ?? found[2]!
      path.push({ attribute, key: !attribute && /^\d+$/.test(key) ? Number(key) : key })
    }
    return { first: this.first(begin), path }
  }

  private first(name: string): number | string {
    if (name !== '' && !/^\d+$/.test(name)) return name
    if (name === '' ? this.manual : this.automatic > 0)
      throw valueError('fields with and without numbers are mixed')
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
