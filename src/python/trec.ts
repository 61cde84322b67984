/** Numbers and JSON as Python prints them, so that files compare equal with the original's. */

/**
 * `repr` of a Python float: the shortest digits that read back the same, `1.0` for a whole number, an
 * exponent of two digits at least below 1e-4 and from 1e16 on, `inf`, `nan`, `-0.0`.
 */
export function floatRepr(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  const size = Math.abs(value)
  if (size >= 1e16 || size < 1e-4) {
    // JavaScript writes the same shortest digits; only the exponent's form differs.
    const [digits, exponent] = value.toExponential().split('e') as [string, string]
    return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`
  }
  const text = String(value)
  return text.includes('.') ? text : `${text}.0`
}

const FLOAT = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i

/** Python's `float(text)`; undefined where Python would raise ValueError. */
export function readFloat(text: string): number | undefined {
  const trimmed = text.trim()
  if (FLOAT.test(trimmed)) return Number(trimmed.replaceAll('_', ''))
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(trimmed)
  if (!special) return undefined
  if (special[2]!.toLowerCase() === 'nan') return Number.NaN
  return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

/** A setting or value: whole numbers are bigint, so that 1 and 1.0 stay apart as they do in Python. */
export type Value = null | boolean | bigint | number | string | Value[] | { [key: string]: Value }

export interface JsonStyle {
  /** `", "` and `": "`, as json.dumps writes by default; without them nothing stands between. */
  spaces?: boolean
  sortKeys?: boolean
  /** Leave characters beyond ASCII as they are. */
  unicode?: boolean
}

/** `json.dumps`: numbers are Python's (a JavaScript number is a float), the rest is escaped to ASCII. */
export function pythonJson(value: Value, style: JsonStyle = {}): string {
  const comma = style.spaces ? ', ' : ','
  const write = (one: Value): string => {
    if (one === null) return 'null'
    if (typeof one === 'bigint' || typeof one === 'boolean') return String(one)
    if (typeof one === 'number') return jsonFloat(one)
    if (typeof one === 'string') return style.unicode ? JSON.stringify(one) : asciiString(one)
    if (Array.isArray(one)) return `[${one.map(write).join(comma)}]`
    const keys = Object.keys(one)
    if (style.sortKeys) keys.sort(byCodePoint)
    const colon = style.spaces ? ': ' : ':'
    return `{${keys.map((key) => write(key) + colon + write(one[key]!)).join(comma)}}`
  }
  return write(value)
}

const jsonFloat = (value: number) =>
  Number.isNaN(value)
    ? 'NaN'
    : Number.isFinite(value)
      ? floatRepr(value)
      : value > 0
        ? 'Infinity'
        : '-Infinity'

function asciiString(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Order of two strings by code points: Python's, and the same on every machine. */
export function byCodePoint(a: string, b: string): number {
  if (a === b) return 0
  // Units compare as code points do, but for surrogates, which stand for higher points than U+E000..U+FFFF.
  let i = 0
  while (a.charCodeAt(i) === b.charCodeAt(i)) i++
  const [first, second] = [a.charCodeAt(i), b.charCodeAt(i)]
  if (Number.isNaN(first) || Number.isNaN(second)) return a.length - b.length
  const high = (unit: number) => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit)
  return high(first) - high(second)
}

/** `str(value)`, for a value put into a text: `True`, `None`, `0.3`, `[1, 2]`. */
export function pythonStr(value: Value): string {
  return typeof value === 'string' ? value : pythonRepr(value)
}

function pythonRepr(value: Value): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'number') return floatRepr(value)
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, one]) => `${pythonRepr(key)}: ${pythonRepr(one)}`)
      .join(', ')}}`
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'"
  const escaped = value
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replaceAll('\r', '\\r')
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote
}
