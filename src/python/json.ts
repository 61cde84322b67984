/* JSON as Python's json module writes it. */
import { sortBy } from './arithmetic.ts'
import { type AnyDict, dictGet, dictKeys, isDict } from './dict.ts'
import { TemplateError, typeError, valueError } from './error.ts'
import { spendLength } from './limits.ts'
import { floatRepr, intText } from './numbers.ts'
import { str } from './print.ts'
import { float, floatOf, isInt, Tuple, textOf, typeName, type Value } from './values.ts'

export interface JsonStyle {
  /** `", "` and `": "`, as json.dumps writes by default; else nothing stands between. */
  spaces?: boolean
  sortKeys?: boolean
  /** Leave characters beyond ASCII as they are. */
  unicode?: boolean
  /** Escape what means something in HTML too, unless `unicode`. */
  html?: boolean
  /** What each level is indented by. */
  indent?: string | undefined
}

const unitEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Nothing to escape in any style. */
const PLAIN = /^[ !#-%(-;=?-[\]-~]*$/

const quoted = (text: string, { unicode, html }: JsonStyle): string => {
  if (PLAIN.test(text)) return `"${text}"`
  const json = JSON.stringify(text)
  return unicode ? json : json.replace(html ? /[\x7f-\uffff<>&']/g : /[\x7f-\uffff]/g, unitEscape)
}

/** A number, true, false or null; undefined for anything else. */
const scalar = (value: Value): string | undefined => {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return String(value)
  if (isInt(value)) return intText(value)
  const number = floatOf(value)
  if (number === undefined || Number.isFinite(number))
    return number === undefined ? undefined : floatRepr(number)
  return Number.isNaN(number) ? 'NaN' : number > 0 ? 'Infinity' : '-Infinity'
}

const MAX_NESTING = 500

/** json.dumps. @throws TypeError for what JSON can't hold */
export const dumps = (value: Value, style: JsonStyle): string => {
  const open: Value[] = []
  const enclose = (marks: string, of: Value, parts: () => string[]): string => {
    if (open.includes(of)) throw valueError('Circular reference detected')
    if (open.length >= MAX_NESTING) throw new TemplateError('RecursionError', 'nested too deeply for JSON')
    open.push(of)
    const inner = parts()
    open.pop()
    if (inner.length === 0) return marks
    const line = style.indent === undefined ? '' : `\n${style.indent.repeat(open.length)}`
    const comma = style.indent === undefined && style.spaces ? ', ' : ','
    const text = inner.map((part) => (line ? line + style.indent + part : part)).join(comma)
    spendLength(text.length)
    return marks[0] + text + line + marks[1]
  }
  const pairs = (dict: AnyDict): string[] => {
    const keys = style.sortKeys ? sortBy(dictKeys(dict), (key) => key, false) : dictKeys(dict)
    return keys.map((key) => {
      const text = textOf(key) ?? scalar(key)
      if (text === undefined) throw typeError(`a key of JSON can't be a ${typeName(key)}`)
      return quoted(text, style) + (style.spaces ? ': ' : ':') + write(dictGet(dict, key)!)
    })
  }
  const write = (one: Value): string => {
    const text = textOf(one)
    if (text !== undefined) return quoted(text, style)
    const written = scalar(one)
    if (written !== undefined) return written
    if (isDict(one)) return enclose('{}', one, () => pairs(one))
    const items = Array.isArray(one) ? one : one instanceof Tuple ? one.items : undefined
    if (!items) throw typeError(`Object of type ${typeName(one)} is not JSON serializable`)
    return enclose('[]', one, () => items.map(write))
  }
  return write(value)
}

/** A setting: a number is a float, a whole number a bigint, so that 1 and 1.0 stay apart as in Python. */
export type Exact = null | boolean | bigint | number | string | Exact[] | { [key: string]: Exact }

const fromExact = (exact: Exact): Value => {
  if (typeof exact === 'number') return float(exact)
  if (typeof exact !== 'object' || exact === null) return exact
  if (Array.isArray(exact)) return exact.map(fromExact)
  return Object.fromEntries(Object.entries(exact).map(([key, each]) => [key, fromExact(each)]))
}

/** json.dumps(value). */
export const pythonJson = (value: Exact, style: JsonStyle = {}): string => dumps(fromExact(value), style)

/** `str(value)`, for a value put into a text: `True`, `None`, `0.3`, `[1, 2]`. */
export const pythonStr = (value: Exact): string => str(fromExact(value))
