/* `format % values`: printf-style formatting (https://docs.python.org/3/library/stdtypes.html#old-string-formatting). */
import { raise, typeError, valueError } from '../templates/error.ts'
import { spendLength } from '../templates/limits.ts'
import { toExponential, toFixed, toGeneral } from './decimal.ts'
import { dictGet, isDict } from './dicts.ts'
import { floatText, intText, needFloat, truncate } from './numbers.ts'
import { ascii, repr, str } from './print.ts'
import { getItem } from './subscripts.ts'
import { Undefined, undefinedError } from './undefined.ts'
import { codePoints, sliceChars } from './unicode.ts'
import { floatOf, intOf, isInt, keyError, Obj, Tuple, textOf, typeName, type Value } from './values.ts'

/** How values become text: Markup escapes them first. */
export interface Printers {
  str(value: Value): string
  repr(value: Value): string
}

const PLAIN: Printers = { str, repr }

/** `format % args`. */
export const formatPercent = (format: string, args: Value, print: Printers = PLAIN): string =>
  fixed(format, args) ?? new Run(format, args, print).all()

/** What prompts mostly ask for, `%.2f` of a number, without going through it sign by sign. */
const fixed = (format: string, args: Value): string | undefined => {
  const [value, more] = args instanceof Tuple ? args.items : [args]
  if (typeof value !== 'number' || more !== undefined || !Number.isFinite(value)) return undefined
  const places = FIXED.exec(format)
  if (!places) return undefined
  const text = toFixed(value, Number(places[1]))
  return value < 0 || Object.is(value, -0) ? `-${text}` : text
}

const FIXED = /^%\.(\d)f$/

class Run {
  private readonly format: string
  private readonly print: Printers
  private readonly mapping: Value | undefined
  private args: readonly Value[]
  private next = 0
  private pos = 0

  constructor(format: string, args: Value, print: Printers) {
    this.format = format
    this.print = print
    this.args = args instanceof Tuple ? args.items : [args]
    this.mapping = isMapping(args) ? args : undefined
  }

  all(): string {
    let result = ''
    for (;;) {
      const at = this.format.indexOf('%', this.pos)
      if (at < 0) break
      result += this.format.slice(this.pos, at)
      this.pos = at + 1
      result += this.field()
      spendLength(result.length)
    }
    if (this.next < this.args.length && this.mapping === undefined) {
      throw typeError('not all arguments converted during string formatting')
    }
    return result + this.format.slice(this.pos)
  }

  private argument(): Value {
    const value = this.args[this.next++]
    if (value === undefined) throw typeError('not enough arguments for format string')
    return value
  }

  private peek(): string {
    const char = this.format[this.pos]
    if (char === undefined) throw valueError('incomplete format')
    return char
  }

  private field(): string {
    if (this.peek() === '%') {
      this.pos++
      return '%'
    }
    if (this.peek() === '(') this.key()
    const flags = this.flags()
    let width = this.number('width')
    if (width !== undefined && width < 0) {
      flags.add('-')
      width = -width
    }
    let precision: number | undefined
    if (this.peek() === '.') {
      this.pos++
      precision = Math.max(0, this.number('prec') ?? 0)
    }
    if ('hlL'.includes(this.peek())) this.pos++
    this.peek()
    const type = String.fromCodePoint(this.format.codePointAt(this.pos)!)
    this.pos += type.length
    spendLength((width ?? 0) + (precision ?? 0))
    return this.convert(type, this.argument(), flags, width ?? 0, precision)
  }

  /** `(name)`: the value comes out of the mapping on the right. */
  private key(): void {
    if (this.mapping === undefined) throw typeError('format requires a mapping')
    const start = ++this.pos
    for (let depth = 1; depth > 0; this.pos++) {
      const char = this.format[this.pos]
      if (char === undefined) throw valueError('incomplete format key')
      if (char === '(') depth++
      else if (char === ')') depth--
    }
    const name = this.format.slice(start, this.pos - 1)
    this.args = [lookup(this.mapping, name)]
    this.next = 0
  }

  private flags(): Set<string> {
    const flags = new Set<string>()
    while ('-+ #0'.includes(this.peek())) flags.add(this.format[this.pos++]!)
    return flags
  }

  private number(what: string): number | undefined {
    if (this.peek() === '*') {
      this.pos++
      const value = this.argument()
      if (!isInt(value)) throw typeError('* wants int')
      return Number(value)
    }
    const digits = /^\d*/.exec(this.format.slice(this.pos, this.pos + 12))![0]
    this.pos += digits.length
    if (digits.length > 10) throw valueError(`${what} too big`)
    return digits === '' ? undefined : Number(digits)
  }

  private convert(
    type: string,
    value: Value,
    flags: Set<string>,
    width: number,
    precision: number | undefined,
  ): string {
    switch (type) {
      case 's':
        return padText(cut(this.print.str(value), precision), flags, width)
      case 'r':
        return padText(cut(this.print.repr(value), precision), flags, width)
      case 'a':
        return padText(cut(ascii(value), precision), flags, width)
      case 'c':
        return padText(character(value), flags, width)
      case 'd':
      case 'i':
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        return padNumber(wholeDigits(type, value, flags, precision), flags, width)
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        return padNumber(floatDigits(type, value, flags, precision ?? 6), flags, width)
      default: {
        const code = type.codePointAt(0)!.toString(16)
        throw valueError(
          `unsupported format character '${type}' (0x${code}) at index ${this.pos - type.length}`,
        )
      }
    }
  }
}

/** What Python takes for a mapping here: anything with elements but str and tuple. */
const isMapping = (value: Value): boolean =>
  Array.isArray(value) ||
  isDict(value) ||
  value instanceof Undefined ||
  (value instanceof Obj && value.type === 'range')

const lookup = (mapping: Value, name: string): Value => {
  if (isDict(mapping)) {
    const value = dictGet(mapping, name)
    if (value === undefined) throw keyError(repr(name))
    return value
  }
  return getItem(mapping, name)
}

const cut = (text: string, precision: number | undefined): string =>
  precision === undefined ? text : sliceChars(text, 0, Math.min(precision, codePoints(text)))

const padText = (text: string, flags: Set<string>, width: number): string => {
  const spaces = ' '.repeat(Math.max(0, width - codePoints(text)))
  return flags.has('-') ? text + spaces : spaces + text
}

/** Sign first, then filling, as the flags 0 and - ask. */
const padNumber = ([sign, digits]: [string, string], flags: Set<string>, width: number): string => {
  const missing = Math.max(0, width - sign.length - digits.length)
  if (flags.has('-')) return sign + digits + ' '.repeat(missing)
  return flags.has('0') ? sign + '0'.repeat(missing) + digits : ' '.repeat(missing) + sign + digits
}

const signOf = (negative: boolean, flags: Set<string>): string =>
  negative ? '-' : flags.has('+') ? '+' : flags.has(' ') ? ' ' : ''

const character = (value: Value): string => {
  const text = textOf(value)
  if (text !== undefined && codePoints(text) === 1) return text
  if (!isInt(value)) throw typeError('%c requires int or char')
  const code = Number(value)
  if (code < 0 || code > 0x10ffff) throw raise('OverflowError', '%c arg not in range(0x110000)')
  return String.fromCodePoint(code)
}

const wholeDigits = (
  type: string,
  value: Value,
  flags: Set<string>,
  precision: number | undefined,
): [string, string] => {
  const number = whole(type, value)
  const size = number < 0 ? -number : number
  const radix = type === 'o' ? 8 : type === 'x' || type === 'X' ? 16 : 10
  const digits = (radix === 10 ? intText(size) : size.toString(radix)).padStart(precision ?? 0, '0')
  const prefix = flags.has('#') && radix !== 10 ? `0${type}` : ''
  return [signOf(number < 0, flags) + prefix, type === 'X' ? digits.toUpperCase() : digits]
}

const whole = (type: string, value: Value): number | bigint => {
  if (isInt(value)) return intOf(value)
  const number = floatOf(value)
  if (number !== undefined && 'diu'.includes(type)) return truncate(number)
  if (value instanceof Undefined && 'diu'.includes(type)) throw undefinedError(value)!
  const wanted = 'diu'.includes(type) ? 'a real number' : 'an integer'
  throw typeError(`%${type} format: ${wanted} is required, not ${typeName(value)}`)
}

const floatDigits = (type: string, value: Value, flags: Set<string>, precision: number): [string, string] => {
  const error = undefinedError(value)
  if (error) throw error
  const number = needFloat(value)
  const sign = signOf(number < 0 || Object.is(number, -0), flags)
  const digits = Number.isFinite(number)
    ? finiteDigits(type.toLowerCase(), Math.abs(number), flags.has('#'), precision)
    : floatText(Math.abs(number))
  return [sign, type === type.toUpperCase() ? digits.toUpperCase() : digits]
}

const finiteDigits = (type: string, number: number, alternate: boolean, precision: number): string => {
  if (type === 'g') return toGeneral(number, precision, alternate)
  const text = type === 'f' ? toFixed(number, precision) : toExponential(number, precision)
  return alternate && precision === 0 ? text.replace(/^\d+/, '$&.') : text
}
