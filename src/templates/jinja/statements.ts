/* Jinja2's statements. */

import { WHITESPACE } from '../../python/unicode.ts'
import { locate, type Place, type TemplateError } from '../error.ts'
import { JinjaLexer, type LexerOptions, type Token } from './lexer.ts'
import { type Expr, type Node, node, type Statement, type Target } from './nodes.ts'
import { ExpressionParser } from './parser.ts'

/** Reads a template; throws a TemplateError of kind `syntax` with the place. */
export const parseTemplate = (source: string, options: LexerOptions, name?: string): Statement[] => {
  try {
    return new JinjaParser(new JinjaLexer(source, options)).parseAsRoot().children as unknown as Statement[]
  } catch (error) {
    throw named(error, name)
  }
}

/** The error of a parser or lexer with the template's name. */
const named = (error: unknown, name: string | undefined): TemplateError => {
  const located = locate(error, { lineno: 0, colno: 0 }, name)
  return located.named(name)
}

class JinjaParser extends ExpressionParser {
  /** Text, print statements and blocks, up to the end or to a tag that ends the enclosing block. */
  override parseNodes(): Statement[] {
    const result: Statement[] = []
    let output: Node<'Output'> | undefined
    for (;;) {
      const token = this.peek()
      if (token.type === 'data' || token.type === 'variable-start') {
        if (!output) {
          output = node('Output', token, { children: [] })
          result.push(output)
        }
        output.children.push(this.parseText())
      } else if (token.type === 'block-start') {
        output = undefined
        this.take()
        const statement = this.parseStatement()
        if (!statement) return result
        result.push(statement)
        this.need('block-end')
      } else return result
    }
  }

  private parseText(): Expr | Node<'TemplateData'> {
    const token = this.take()
    if (token.type === 'data') return node('TemplateData', token, { value: token.value as string })
    const expr = this.parseTuple({})
    this.need('variable-end')
    return expr
  }

  override parseStatement(): Statement | null {
    const token = this.peek()
    if (token.type !== 'symbol') this.failAt(token, 'tag name expected')
    const name = token.value as string
    if (this.breakOnBlocks?.includes(name)) return null
    if (!Object.hasOwn(STATEMENTS, name)) this.failAt(token, this.unknownTag(name))
    this.take()
    return this[STATEMENTS[name as keyof typeof STATEMENTS]](token)
  }

  private unknownTag(name: string): string {
    const wanted = this.breakOnBlocks?.map((each) => `'${each}'`).join(' or ')
    return `Encountered unknown tag '${name}'.${wanted ? ` Jinja was looking for the following tags: ${wanted}.` : ''}`
  }

  /** The body of a block up to one of the tags, which is taken; gives its name too. */
  private parseBody(...ends: string[]): { body: Statement[]; end: string } {
    this.skip('colon')
    this.need('block-end')
    const body = this.parseUntilBlocks(...ends).children as unknown as Statement[]
    const token = this.take()
    if (token.type === 'eof') {
      const wanted = ends.map((each) => `'${each}'`).join(' or ')
      this.failAt(token, `Unexpected end of template. Jinja was looking for the following tags: ${wanted}.`)
    }
    return { body, end: token.value as string }
  }

  private parseFullBody(end: string): Statement[] {
    return this.parseBody(end).body
  }

  parseSetTag(at: Place): Statement {
    const target = this.parseSetTarget()
    if (this.skipValue('operator', '=')) return node('Set', at, { target, value: this.parseTuple({}) })
    const filter = this.parseFilterOn(null)
    return node('SetBlock', at, { target, filter, body: this.parseFullBody('endset') })
  }

  private parseSetTarget(): Target {
    const token = this.peek()
    if (!this.isOperator(this.second(), '.')) return this.parseTarget(false)
    const name = this.needName()
    this.take()
    return node('NamespaceTarget', token, { value: name.value, attribute: this.needName().value })
  }

  parseForTag(at: Place): Statement {
    const name = this.parseTarget(false)
    this.need('symbol', 'in')
    const arr = this.parseTuple({ parse: () => this.parseOr() as Expr })
    const test = this.skipSymbol('if') ? this.parseExpr() : null
    const recursive = this.skipSymbol('recursive')
    const { body, end } = this.parseBody('endfor', 'else')
    const else_ = end === 'else' ? this.parseFullBody('endfor') : []
    return node('For', at, { name, arr, body, else_, test, recursive })
  }

  parseIfTag(at: Place): Node<'If'> {
    const condition = () => this.parseTuple({ parse: () => this.parseOr() as Expr })
    const result = node('If', at, { cond: condition(), body: [], elifs: [], else_: [] })
    let branch = result
    for (;;) {
      const { body, end } = this.parseBody('elif', 'else', 'endif')
      branch.body = body
      if (end === 'else') result.else_ = this.parseFullBody('endif')
      if (end !== 'elif') return result
      branch = node('If', this.peek(), { cond: condition(), body: [], elifs: [], else_: [] })
      result.elifs.push(branch)
    }
  }

  parseWithTag(at: Place): Statement {
    const targets: Target[] = []
    const values: Expr[] = []
    while (this.peek().type !== 'block-end') {
      if (targets.length > 0) this.need('comma')
      targets.push(this.parseTarget(true))
      this.need('operator', '=')
      values.push(this.parseExpr())
    }
    return node('With', at, { targets, values, body: this.parseFullBody('endwith') })
  }

  parseAutoescapeTag(at: Place): Statement {
    return node('Autoescape', at, { value: this.parseExpr(), body: this.parseFullBody('endautoescape') })
  }

  parseBlockTag(at: Place): Statement {
    const name = this.needName().value
    const scoped = this.skipSymbol('scoped')
    const required = this.skipSymbol('required')
    if (this.isOperator(this.peek(), '-')) {
      this.failAt(this.peek(), 'block names may not contain hyphens, use an underscore instead')
    }
    const body = this.parseFullBody('endblock')
    if (required && !body.every(isBlank)) {
      this.failAt(at, 'Required blocks can only contain comments or whitespace')
    }
    this.skipSymbol(name)
    return node('Block', at, { name, body, scoped, required })
  }

  parseExtendsTag(at: Place): Statement {
    return node('Extends', at, { template: this.parseExpr() })
  }

  /** `with context` and `without context`. */
  private parseContext(): boolean | undefined {
    const token = this.peek()
    if (!this.isSymbol(token, 'with', 'without') || !this.isSymbol(this.second(), 'context')) return undefined
    this.take()
    this.take()
    return token.value === 'with'
  }

  parseIncludeTag(at: Place): Statement {
    const template = this.parseExpr()
    const ignoreMissing = this.isSymbol(this.peek(), 'ignore') && this.isSymbol(this.second(), 'missing')
    if (ignoreMissing) {
      this.take()
      this.take()
    }
    return node('Include', at, { template, ignoreMissing, withContext: this.parseContext() ?? true })
  }

  parseImportTag(at: Place): Statement {
    const template = this.parseExpr()
    this.need('symbol', 'as')
    const target = this.parseNameTarget().value
    return node('Import', at, { template, target, withContext: this.parseContext() ?? false })
  }

  parseFromTag(at: Place): Statement {
    const template = this.parseExpr()
    this.need('symbol', 'import')
    const names: [string, string][] = []
    let withContext: boolean | undefined
    for (;;) {
      if (names.length > 0) this.need('comma')
      if (this.peek().type !== 'symbol') this.need('symbol')
      withContext = this.parseContext()
      if (withContext !== undefined) break
      const name = this.parseNameTarget()
      if (name.value.startsWith('_')) {
        this.failAt(name, 'names starting with an underline can not be imported')
      }
      names.push([name.value, this.skipSymbol('as') ? this.parseNameTarget().value : name.value])
      withContext = this.parseContext()
      if (withContext !== undefined || this.peek().type !== 'comma') break
    }
    return node('FromImport', at, { template, names, withContext: withContext ?? false })
  }

  private parseSignatureOf(): { params: Node<'Target'>[]; defaults: Expr[] } {
    const params: Node<'Target'>[] = []
    const defaults: Expr[] = []
    this.need('left-paren')
    while (this.peek().type !== 'right-paren') {
      if (params.length > 0) this.need('comma')
      const name = this.parseNameTarget()
      if (params.some(({ value }) => value === name.value))
        this.failAt(name, `duplicate argument '${name.value}'`)
      if (this.skipValue('operator', '=')) defaults.push(this.parseExpr())
      else if (defaults.length > 0) this.failAt(name, 'non-default argument follows default argument')
      params.push(node('Target', name, { value: name.value, param: true }))
    }
    this.take()
    return { params, defaults }
  }

  parseMacroTag(at: Place): Statement {
    const name = this.parseNameTarget().value
    return node('Macro', at, { name, ...this.parseSignatureOf(), body: this.parseFullBody('endmacro') })
  }

  parseCallTag(at: Place): Statement {
    const signature =
      this.peek().type === 'left-paren' ? this.parseSignatureOf() : { params: [], defaults: [] }
    const call = this.parseExpr()
    if (call.typename !== 'FunCall') this.failAt(at, 'expected call')
    return node('CallBlock', at, { call, ...signature, body: this.parseFullBody('endcall') })
  }

  parseFilterTag(at: Place): Statement {
    const filter = this.parseFilterOn(null, true)!
    return node('FilterBlock', at, { filter, body: this.parseFullBody('endfilter') })
  }

  parsePrintTag(at: Token): Statement {
    const children: Expr[] = []
    while (this.peek().type !== 'block-end') {
      if (children.length > 0) this.need('comma')
      children.push(this.parseExpr())
    }
    return node('Output', at, { children })
  }
}

const isBlank = (statement: Statement): boolean =>
  statement.typename === 'Output' &&
  statement.children.every(
    (child) => child.typename === 'TemplateData' && [...child.value].every((char) => WHITESPACE.has(char)),
  )

const STATEMENTS = {
  autoescape: 'parseAutoescapeTag',
  block: 'parseBlockTag',
  call: 'parseCallTag',
  extends: 'parseExtendsTag',
  filter: 'parseFilterTag',
  for: 'parseForTag',
  from: 'parseFromTag',
  if: 'parseIfTag',
  import: 'parseImportTag',
  include: 'parseIncludeTag',
  macro: 'parseMacroTag',
  print: 'parsePrintTag',
  set: 'parseSetTag',
  with: 'parseWithTag',
} as const satisfies Record<string, keyof JinjaParser>
