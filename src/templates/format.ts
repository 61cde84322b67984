/* Format strings: Python's str.format (`--syntax format`) and alpaca_eval's {name} (`--syntax alpaca`). */
import { locate, type Place, syntaxError, TemplateError } from '../python/error.ts'
import { type Field, type FormatPart, fillFields, parseFormat } from '../python/format.ts'
import type { ValueUse } from '../python/json.ts'
import { resetMeter } from '../python/limits.ts'
import type { Value } from '../python/values.ts'
import type { CompiledTemplate, FindValue, LanguageOptions } from './template.ts'

/** Line and column of an offset. */
const placeOf = (source: string, index: number): Place => {
  const before = source.slice(0, index).split('\n')
  return { lineno: before.length - 1, colno: before.at(-1)!.length }
}

const USE: ValueUse = { changes: false, exact: true }

/** The value of a field; a missing one is an error, or empty. */
const fieldOf = (name: string, find: FindValue, options: LanguageOptions): Value => {
  const value = find(name, USE)
  if (value !== undefined) return options.readable?.(value) ?? value
  if (options.undefined === 'empty') return ''
  throw new TemplateError('UndefinedError', `'${name}' is undefined`, name)
}

const template = (
  source: string,
  options: LanguageOptions,
  parts: readonly FormatPart[],
  fields: readonly Field[],
): CompiledTemplate => {
  const plain = fields.every(
    ({ path, conversion, spec }) => path.length === 0 && conversion === '' && spec === '',
  )
  return {
    variables: [...new Set(fields.map(({ first }) => String(first)))].sort(),
    ...(plain && {
      plain: parts.map((part) => (typeof part === 'string' ? part : { field: String(part.first) })),
    }),
    renderWith: (find) => {
      resetMeter()
      let at = 0
      try {
        return fillFields(parts, (first, index) => {
          at = index
          return fieldOf(String(first), find, options)
        })
      } catch (error) {
        throw locate(error, placeOf(source, at), options.name)
      }
    },
  }
}

/** Compiles a format string whose fields are all named. @throws TemplateError */
export const compileFormat = (source: string, options: LanguageOptions): CompiledTemplate => {
  const progress = { at: 0 }
  try {
    const parts = parseFormat(source, progress)
    const fields = parts.filter((part) => typeof part !== 'string')
    const unnamed = fields.find(({ first }) => typeof first === 'number')
    progress.at = unnamed?.at ?? 0
    if (unnamed) throw syntaxError('a field without a name: name a field of the item, as in {question}')
    return template(source, options, parts, fields)
  } catch (error) {
    throw locate(error, placeOf(source, progress.at), options.name)
  }
}

/**
 * Compiles a prompt of alpaca_eval: each {name} is str() of the field and may occur only once; other braces are text.
 * (alpaca_eval replaces one field after the other, and so also replaces names that occur in the data. This does not.)
 * @throws TemplateError
 */
export const compileAlpaca = (source: string, options: LanguageOptions): CompiledTemplate => {
  const parts: FormatPart[] = []
  const fields: Field[] = []
  let end = 0
  for (const { 0: whole, 1: first = '', index } of source.matchAll(/\{([^\s}]+)\}/g)) {
    if (fields.some((field) => field.first === first))
      throw syntaxError(`the placeholder {${first}} occurs twice`).at(placeOf(source, index), options.name)
    if (index > end) parts.push(source.slice(end, index))
    const field: Field = { first, at: index, path: [], conversion: '', spec: '' }
    parts.push(field)
    fields.push(field)
    end = index + whole.length
  }
  if (end < source.length) parts.push(source.slice(end))
  return template(source, options, parts, fields)
}
