/* Reading tokens one after the other. */
import { type Place, syntaxError, TemplateError } from '../error.ts'
import type { Token } from './lexer.ts'

/** What stands for a token in a message. */
const NAMES: Record<string, string> = {
  eof: 'end of template',
  end: 'end of statement block',
  data: 'template data / text',
}
/** Levels of brackets and operators within one another. */
const MAX_NESTING = 200

export class TokenReader {
  private readonly tokens: readonly Token[]
  private index = 0
  private nesting = 0

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
  }

  // Tokens.

  protected get token(): Token {
    return this.tokens[this.index]!
  }

  protected take(): Token {
    const { token } = this
    if (token.type !== 'eof') this.index++
    return token
  }

  protected fail(at: Place, reason: string): never {
    throw syntaxError(reason).at(at)
  }

  /** Whether the next token, or the one after it, is this operator or name. */
  protected is(value: string, ahead = 0): boolean {
    const token = this.tokens[this.index + ahead]
    return token?.value === value && (token.type === value || token.type === 'name')
  }

  protected skip(value: string): boolean {
    const found = this.is(value)
    if (found) this.take()
    return found
  }

  protected need(type: string): Token {
    const { token } = this
    if (token.type === type || this.is(type)) return this.take()
    return this.fail(token, `expected token '${NAMES[type] ?? type}', got '${describe(token)}'`)
  }

  protected needName(): string {
    return this.need('name').value as string
  }

  protected deeper<T>(run: () => T): T {
    if (++this.nesting > MAX_NESTING)
      throw new TemplateError('LimitError', 'an expression is nested too deeply').at(this.token)
    const result = run()
    this.nesting--
    return result
  }
}

export const describe = ({ type, value }: Token): string =>
  NAMES[type] ?? (type === 'string' || type === 'number' ? type : String(value))
