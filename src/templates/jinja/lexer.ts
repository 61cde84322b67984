/*
 * Jinja2's tokens by nunjucks' tokenizer: its token types and its place keeping, with Jinja2's rules for
 * what a token is. White space control happens here, as in Jinja2, not in the parser.
 */
import lexer from 'nunjucks/src/lexer.js'
import { isIdentifier, WHITESPACE } from '../../python/unicode.ts'
import { int } from '../../python/values.ts'
import { syntaxError, type TemplateError } from '../error.ts'
import type { NunjucksTokenizer } from '../nunjucks_types.ts'
import { unescapeLiteral } from './escapes.ts'

export interface LexerOptions {
  trim_blocks?: boolean | undefined
  lstrip_blocks?: boolean | undefined
  keep_trailing_newline?: boolean | undefined
}

export interface Token {
  type: string
  value: string | number | bigint
  lineno: number
  colno: number
}

/** Python's `\s`. */
const S = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]'

const TAG = /\{[{%#]/g
const RAW = new RegExp(`\\{%[-+]?${S}*raw${S}*(?:-%\\}${S}*|%\\})`, 'y')
const SPACE = new RegExp(`${S}+`, 'y')
const FLOAT = /(?<!\.)\d+(?:_\d+)*(?:(?:\.\d+(?:_\d+)*)?[eE][+-]?\d+(?:_\d+)*|\.\d+(?:_\d+)*)/y
const INTEGER = /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\da-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*/y
/** Nearly all names: the pattern of any name is made where it is needed, which takes V8 a millisecond. */
const ASCII_NAME = /[A-Za-z_]\w*(?![\w\x80-\uffff])/y
const STRING = /'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*"/sy
const OPERATOR = /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}><=.:|,;]/y

const OPENING: Record<string, string> = { '(': ')', '[': ']', '{': '}' }

const TYPES: Record<string, string> = {
  '(': 'left-paren',
  ')': 'right-paren',
  '[': 'left-bracket',
  ']': 'right-bracket',
  '{': 'left-curly',
  '}': 'right-curly',
  ',': 'comma',
  ':': 'colon',
  '~': 'tilde',
  '|': 'pipe',
}

/** nunjucks doesn't export its class, but its tokenizers have it. */
const Tokenizer = Object.getPrototypeOf(lexer.lex('')).constructor as new (
  source: string,
) => NunjucksTokenizer

export class JinjaLexer extends Tokenizer {
  private readonly ends: { block: RegExp; variable: RegExp; comment: RegExp; raw: RegExp }
  private readonly lstrip: boolean
  private readonly tokens: Token[] = []
  private next = 0
  private lineStart = 0

  constructor(source: string, options: LexerOptions) {
    super(normalize(source, options.keep_trailing_newline ?? false))
    const newline = options.trim_blocks ? '\\n?' : ''
    const end = (mark: string) => `(?:\\+${mark}\\}|-${mark}\\}${S}*|${mark}\\}${newline})`
    this.lstrip = options.lstrip_blocks ?? false
    this.ends = {
      block: new RegExp(end('%'), 'y'),
      variable: new RegExp(`-\\}\\}${S}*|\\}\\}`, 'y'),
      comment: new RegExp(end('#'), 'g'),
      raw: new RegExp(`\\{%([-+]?)${S}*endraw${S}*${end('%')}`, 'g'),
    }
    while (this.index < this.len) this.text()
  }

  /** The tokens one after the other; after the last one, the end. */
  override nextToken(): Token {
    return this.tokens[this.next++] ?? this.end()
  }

  /** The token behind those that were taken. */
  look(): Token {
    return this.tokens[this.next] ?? this.end()
  }

  private end(): Token {
    this.moveTo(this.len)
    return { type: 'eof', value: '', lineno: this.lineno, colno: this.colno }
  }

  private fail(reason: string, at = this.index): TemplateError {
    this.moveTo(at)
    return syntaxError(reason).at(this)
  }

  /** Goes forward and keeps count of line and column. */
  private moveTo(index: number): void {
    for (
      let at = this.str.indexOf('\n', this.index);
      at >= 0 && at < index;
      at = this.str.indexOf('\n', at + 1)
    ) {
      this.lineno++
      this.lineStart = at + 1
    }
    this.index = index
    this.colno = index - this.lineStart
  }

  private push(type: string, value: string | number | bigint, length: number): void {
    this.tokens.push({ type, value, lineno: this.lineno, colno: this.colno })
    this.moveTo(this.index + length)
  }

  private match(pattern: RegExp, from = this.index): RegExpExecArray | null {
    pattern.lastIndex = from
    return pattern.exec(this.str)
  }

  /** Template text up to the next tag, and the tag. */
  private text(): void {
    const start = this.index
    const tag = this.match(TAG)
    if (!tag) {
      this.push('data', this.str.slice(start), this.len - start)
      return
    }
    const raw = this.match(RAW, tag.index)
    const sign = this.str[tag.index + 2] ?? ''
    const data = this.strip(this.str.slice(start, tag.index), start, sign, tag[0] === '{{')
    if (data) this.push('data', data, 0)
    this.moveTo(tag.index)
    if (raw) {
      this.moveTo(tag.index + raw[0].length)
      this.raw()
      return
    }
    const opening = sign === '-' || sign === '+' ? 3 : 2
    if (tag[0] === '{#') this.comment(opening)
    else {
      const block = tag[0] === '{%'
      this.push(block ? 'block-start' : 'variable-start', tag[0], opening)
      this.code(block ? this.ends.block : this.ends.variable, block ? 'block-end' : 'variable-end')
    }
  }

  /** The text before a tag, without what `-` or lstrip_blocks takes away. */
  private strip(text: string, start: number, sign: string, variable: boolean): string {
    if (sign === '-') return trimEnd(text)
    if (sign === '+' || !this.lstrip || variable) return text
    const line = text.lastIndexOf('\n') + 1
    const startsLine = line > 0 || start === 0 || this.str[start - 1] === '\n'
    return startsLine && trimEnd(text.slice(line)) === '' ? text.slice(0, line) : text
  }

  private comment(opening: number): void {
    const end = this.match(this.ends.comment, this.index + opening)
    // Jinja2 misses the end only where there is something that it isn't.
    if (!end && this.index + opening < this.len) throw this.fail('Missing end of comment tag')
    this.moveTo(end ? end.index + end[0].length : this.len)
  }

  private raw(): void {
    const start = this.index
    const end = this.match(this.ends.raw)
    if (!end && start >= this.len) return
    if (!end) throw this.fail('Missing end of raw directive')
    const data = this.strip(this.str.slice(start, end.index), start, end[1]!, false)
    if (data) this.push('data', data, 0)
    this.moveTo(end.index + end[0].length)
  }

  /** The tokens within a tag; its end counts only outside of brackets. */
  private code(end: RegExp, type: string): void {
    const open: string[] = []
    while (this.index < this.len) {
      const closing = open.length === 0 ? this.match(end) : null
      if (closing) {
        this.push(type, closing[0], closing[0].length)
        return
      }
      this.token(open)
    }
  }

  private token(open: string[]): void {
    const space = this.match(SPACE)?.[0]
    const float = space ? undefined : this.match(FLOAT)?.[0]
    const integer = space || float ? undefined : this.match(INTEGER)?.[0]
    if (space) this.moveTo(this.index + space.length)
    else if (float) this.push('float', Number(float.replaceAll('_', '')), float.length)
    else if (integer) this.push('int', int(BigInt(integer.replaceAll('_', ''))), integer.length)
    else if (!this.name() && !this.string()) this.operator(open)
  }

  private name(): boolean {
    const ascii = this.match(ASCII_NAME)?.[0]
    const name = ascii ?? this.match(/[\p{L}\p{N}\p{XID_Continue}]+/uy)?.[0]
    if (!name) return false
    if (!ascii && !isIdentifier(name)) throw this.fail('Invalid character in identifier')
    this.push('symbol', name, name.length)
    return true
  }

  private string(): boolean {
    const string = this.match(STRING)?.[0]
    if (!string) return false
    const value = unescapeLiteral(string.slice(1, -1))
    if (value === undefined) {
      const named = string.includes('\\N{') ? ' (\\N{…} is not known here: write the character itself)' : ''
      throw this.fail(`invalid escape in a string${named}`)
    }
    this.push('string', value, string.length)
    return true
  }

  private operator(open: string[]): void {
    const operator = this.match(OPERATOR)?.[0]
    if (!operator) {
      throw this.fail(`unexpected char '${String.fromCodePoint(this.str.codePointAt(this.index)!)}'`)
    }
    this.balance(operator, open)
    this.push(TYPES[operator] ?? 'operator', operator, operator.length)
  }

  private balance(operator: string, open: string[]): void {
    if (OPENING[operator]) open.push(OPENING[operator])
    else if (operator === ')' || operator === ']' || operator === '}') {
      const expected = open.pop()
      if (expected === undefined) throw this.fail(`unexpected '${operator}'`)
      if (expected !== operator) throw this.fail(`unexpected '${operator}', expected '${expected}'`)
    }
  }
}

/** All newlines become \n, and one at the end goes. */
const normalize = (source: string, keep: boolean): string => {
  const text = source.includes('\r') ? source.replace(/\r\n|\r/g, '\n') : source
  return !keep && text.endsWith('\n') ? text.slice(0, -1) : text
}

const trimEnd = (text: string): string => {
  let end = text.length
  while (end > 0 && WHITESPACE.has(text[end - 1]!)) end--
  return text.slice(0, end)
}
