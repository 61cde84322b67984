/* Jinja2's tokens. Handles white space control, as Jinja2's lexer does. */
import { type Place, syntaxError, TemplateError } from '../../python/error.ts'
import { escapeChar } from '../../python/print.ts'
import { isIdentifier, SPACE, strip } from '../../python/unicode.ts'
import { float, int, type Value } from '../../python/values.ts'
import type { LanguageOptions } from '../template.ts'

export interface Token extends Place {
  /** data, begin (a tag's), end (a tag's), print, name, string, number, eof, or an operator itself. */
  type: string
  value: Value
}

const S = `[${SPACE}]`
const TAG = /\{[{%#]/g
/** The tokens in a tag. Names that are not ASCII have a separate pattern, which V8 compiles slowly. */
const TOKEN = new RegExp(
  [
    `(?<blank>${S}+)`,
    String.raw`(?<real>(?<!\.)\d+(?:_\d+)*(?:(?:\.\d+(?:_\d+)*)?[eE][+-]?\d+(?:_\d+)*|\.\d+(?:_\d+)*))`,
    String.raw`(?<integer>0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\da-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*)`,
    String.raw`(?<name>[A-Za-z_]\w*(?![\w\x80-\uffff]))`,
    String.raw`(?<string>'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*")`,
    String.raw`(?<operator>\/\/|\*\*|[=!]==?|>=|<=|[-+/*%~[\](){}><=.:|,;])`,
  ].join('|'),
  'sy',
)
const CLOSING: Record<string, string> = { '(': ')', '[': ']', '{': '}' }

/** Splits a template into tokens. @throws TemplateError of kind `syntax` */
export const tokenize = (source: string, options: LanguageOptions): Token[] =>
  new Lexer(source, options).tokens

class Lexer {
  readonly tokens: Token[] = []
  private readonly source: string
  private readonly ends: Record<'{%' | '{{' | '{#', RegExp>
  private readonly beginraw: RegExp
  private readonly endraw: RegExp
  private readonly lstrip: boolean
  private index = 0
  private lineno = 0
  private lineStart = 0

  constructor(source: string, options: LanguageOptions) {
    const text = source.includes('\r') ? source.replace(/\r\n|\r/g, '\n') : source
    this.source = !options.keep_trailing_newline && text.endsWith('\n') ? text.slice(0, -1) : text
    this.lstrip = options.lstrip_blocks ?? false
    const newline = options.trim_blocks ? '\\n?' : ''
    const end = (mark: string) => `(?:\\+${mark}\\}|-${mark}\\}${S}*|${mark}\\}${newline})`
    this.ends = {
      '{%': new RegExp(end('%'), 'y'),
      '{{': new RegExp(`-\\}\\}${S}*|\\}\\}`, 'y'),
      '{#': new RegExp(end('#'), 'g'),
    }
    this.beginraw = new RegExp(`\\{%[-+]?${S}*raw${S}*(?:-%\\}${S}*|%\\})`, 'y')
    this.endraw = new RegExp(`\\{%([-+]?)${S}*endraw${S}*${end('%')}`, 'g')
    while (this.index < this.source.length) this.text()
    this.push('eof', '', 0)
  }

  private fail(reason: string): TemplateError {
    return syntaxError(reason).at(this.place())
  }

  private place(): Place {
    return { lineno: this.lineno, colno: this.index - this.lineStart }
  }

  /** Advances, and counts lines. */
  private moveTo(index: number): void {
    let at = this.source.indexOf('\n', this.index)
    for (; at >= 0 && at < index; at = this.source.indexOf('\n', at + 1)) {
      this.lineno++
      this.lineStart = at + 1
    }
    this.index = index
  }

  private push(type: string, value: Value, length: number): void {
    this.tokens.push({ type, value, ...this.place() })
    this.moveTo(this.index + length)
  }

  private match(pattern: RegExp, from = this.index): RegExpExecArray | null {
    pattern.lastIndex = from
    return pattern.exec(this.source)
  }

  /** Template text up to the next tag, and the tag. */
  private text(): unknown {
    const start = this.index
    const tag = this.match(TAG)
    if (!tag) return this.push('data', this.source.slice(start), this.source.length - start)
    const mark = tag[0] as '{%' | '{{' | '{#'
    const raw = this.match(this.beginraw, tag.index)
    const sign = this.source[tag.index + 2] ?? ''
    this.data(start, tag.index, sign, mark === '{{')
    const opening = sign === '-' || sign === '+' ? 3 : 2
    this.moveTo(tag.index + (raw ? raw[0].length : 0))
    if (raw) this.raw()
    else if (mark === '{#') this.comment(opening)
    else {
      this.push(mark === '{%' ? 'begin' : 'print', mark, opening)
      this.code(this.ends[mark])
    }
  }

  /** The text before a tag, without the white space that `-` or lstrip_blocks removes. */
  private data(start: number, end: number, sign: string, variable: boolean): void {
    let text = this.source.slice(start, end)
    if (sign === '-') text = strip(text, false, true)
    else if (sign !== '+' && this.lstrip && !variable) {
      const line = text.lastIndexOf('\n') + 1
      const startsLine = line > 0 || start === 0 || this.source[start - 1] === '\n'
      if (startsLine && strip(text.slice(line)) === '') text = text.slice(0, line)
    }
    if (text) this.push('data', text, 0)
  }

  private comment(opening: number): void {
    const end = this.match(this.ends['{#'], this.index + opening)
    // Jinja2 accepts an open comment at the end of the template.
    if (!end && this.index + opening < this.source.length) throw this.fail('Missing end of comment tag')
    this.moveTo(end ? end.index + end[0].length : this.source.length)
  }

  private raw(): void {
    const start = this.index
    const end = this.match(this.endraw)
    if (!end && start >= this.source.length) return
    if (!end) throw this.fail('Missing end of raw directive')
    this.data(start, end.index, end[1]!, false)
    this.moveTo(end.index + end[0].length)
  }

  /** The tokens in a tag; brackets hide its end. */
  private code(end: RegExp): unknown {
    const open: string[] = []
    while (this.index < this.source.length) {
      const closing = open.length === 0 ? this.match(end) : null
      if (closing) return this.push('end', closing[0], closing[0].length)
      this.token(open)
    }
  }

  private token(open: string[]): void {
    const found = this.match(TOKEN)
    const text = found?.[0] ?? this.otherName()
    const { blank, real, integer, string, operator } = found?.groups ?? {}
    if (blank) this.moveTo(this.index + text.length)
    else if (real) this.push('number', float(Number(text.replaceAll('_', ''))), text.length)
    else if (integer) this.push('number', int(BigInt(text.replaceAll('_', ''))), text.length)
    else if (string) this.push('string', this.unescaped(text.slice(1, -1)), text.length)
    else {
      if (operator) this.balance(text, open)
      this.push(operator ?? 'name', text, text.length)
    }
  }

  /** A name that is not ASCII. */
  private otherName(): string {
    const name = this.match(/[\p{L}\p{N}\p{XID_Continue}]+/uy)?.[0]
    if (name && isIdentifier(name)) return name
    if (name) throw this.fail('Invalid character in identifier')
    throw this.fail(`unexpected char '${String.fromCodePoint(this.source.codePointAt(this.index)!)}'`)
  }

  private unescaped(literal: string): string {
    const value = unescapeLiteral(literal)
    if (value !== undefined) return value
    const named = literal.includes('\\N{') ? ' (\\N{…} is not supported: write the character itself)' : ''
    throw this.fail(`invalid escape in a string${named}`)
  }

  private balance(operator: string, open: string[]): void {
    if (CLOSING[operator]) open.push(CLOSING[operator])
    if (operator !== ')' && operator !== ']' && operator !== '}') return
    const expected = open.pop()
    if (expected === operator) return
    throw this.fail(`unexpected '${operator}'${expected === undefined ? '' : `, expected '${expected}'`}`)
  }
}

/** The one-letter escapes. */
const SIMPLE = new Map(
  ['\n', '\\\\', "''", '""', 'a\x07', 'b\b', 'f\f', 'n\n', 'r\r', 't\t', 'v\v'].map((pair) => [
    pair[0],
    pair.slice(1),
  ]),
)
const ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3})|([xuUN])|(.))/gsu

/**
 * The text of a string literal, given without its quotes: Python's backslash escapes (the codec `unicode-escape`, as
 * Jinja2 uses it). Undefined if an escape is malformed; unknown ones are kept.
 */
const unescapeLiteral = (source: string): string | undefined => {
  if (!source.includes('\\')) return source
  let valid = true
  const text = source.replace(ESCAPE, (whole, x, u, long, octal, malformed, simple) => {
    const hex: string | undefined = x ?? u ?? long
    const code = hex === undefined ? Number.parseInt(octal, 8) : Number.parseInt(hex, 16)
    if (code <= 0x10ffff) return String.fromCodePoint(code)
    if (hex !== undefined || malformed !== undefined) valid = false
    // Jinja2 first escapes characters beyond ASCII; a backslash before one escapes that escape.
    return SIMPLE.get(simple) ?? (simple > '\x7f' ? escapeChar(simple) : whole)
  })
  return valid ? text : undefined
}

/** Names of tokens in messages. */
const NAMES: Record<string, string> = {
  eof: 'end of template',
  end: 'end of statement block',
  data: 'template data / text',
}
/** Nested brackets and operators. */
const MAX_NESTING = 200

export class TokenReader {
  private readonly tokens: readonly Token[]
  private index = 0
  private nesting = 0

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
  }

  get token(): Token {
    return this.tokens[this.index]!
  }

  take(): Token {
    const { token } = this
    if (token.type !== 'eof') this.index++
    return token
  }

  fail(at: Place, reason: string): never {
    throw syntaxError(reason).at(at)
  }

  /** Whether the next token, or the one after it, is this operator or name. */
  is(value: string, ahead = 0): boolean {
    const token = this.tokens[this.index + ahead]
    return token?.value === value && (token.type === value || token.type === 'name')
  }

  skip(value: string): boolean {
    const found = this.is(value)
    if (found) this.take()
    return found
  }

  need(type: string): Token {
    const { token } = this
    if (token.type === type || this.is(type)) return this.take()
    return this.fail(token, `expected token '${NAMES[type] ?? type}', got '${describe(token)}'`)
  }

  needName(): string {
    return this.need('name').value as string
  }

  deeper<T>(run: () => T): T {
    if (++this.nesting > MAX_NESTING)
      throw new TemplateError('LimitError', 'an expression is nested too deeply').at(this.token)
    const result = run()
    this.nesting--
    return result
  }
}

export const describe = ({ type, value }: Token): string =>
  NAMES[type] ?? (type === 'string' || type === 'number' ? type : String(value))
