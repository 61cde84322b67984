/* Jinja2's statements. */
import { strip } from '../../python/unicode.ts'
import { locate, notSupported, type Place, START, TemplateError } from '../error.ts'
import { type LexerOptions, tokenize } from './lexer.ts'
import { type Expr, node, type Statement, type Target } from './nodes.ts'
import { ExpressionParser } from './parser.ts'
import { describe } from './tokens.ts'

/** Reads a template. @throws TemplateError of kind `syntax` */
export const parseTemplate = (source: string, options: LexerOptions, name?: string): Statement[] => {
  try {
    return new Parser(tokenize(source, options)).template()
  } catch (error) {
    const found = locate(error, START, name)
    throw found instanceof TemplateError ? found.named(name) : found
  }
}

const quoted = (names: readonly string[]): string => names.map((each) => `'${each}'`).join(' or ')

class Parser extends ExpressionParser {
  /** The tags that would end the block being read. */
  private ends: readonly string[] = []

  template(): Statement[] {
    const body = this.nodes()
    if (this.token.type !== 'eof') this.fail(this.token, `unexpected '${describe(this.token)}'`)
    return body
  }

  /** Text, print statements and blocks, up to the end or to a tag that ends the enclosing block. */
  private nodes(): Statement[] {
    const result: Statement[] = []
    for (;;) {
      const at = this.token
      if (at.type === 'begin') {
        this.take()
        if (this.token.type === 'name' && this.ends.includes(String(this.token.value))) return result
        result.push(this.statement())
        this.need('end')
      } else if (at.type === 'data' || at.type === 'print') {
        const last = result.at(-1)
        const part = this.part()
        if (last?.type === 'Output') last.parts.push(part)
        else result.push(node('Output', at, { parts: [part] }))
      } else return result
    }
  }

  private part(): string | Expr {
    const at = this.take()
    if (at.type === 'data') return String(at.value)
    const expr = this.tuple()
    if (this.token.type !== 'end')
      this.fail(this.token, `expected token 'end of print statement', got '${describe(this.token)}'`)
    this.take()
    return expr
  }

  private statement(): Statement {
    const at = this.token
    if (at.type !== 'name') this.fail(at, 'tag name expected')
    const name = String(at.value)
    const parse = Object.hasOwn(STATEMENTS, name) ? STATEMENTS[name] : undefined
    const wanted =
      this.ends.length > 0 ? ` Jinja was looking for the following tags: ${quoted(this.ends)}.` : ''
    if (!parse) return this.fail(at, `Encountered unknown tag '${name}'.${wanted}`)
    this.take()
    return parse.call(this, at)
  }

  /** The body of a block up to one of the tags, which is taken; gives its name too. */
  private upTo(...ends: string[]): { body: Statement[]; end: string } {
    const outer = this.ends
    this.skip(':')
    this.need('end')
    this.ends = ends
    const body = this.nodes()
    this.ends = outer
    const token = this.take()
    if (token.type !== 'name') {
      const wanted = `Jinja was looking for the following tags: ${quoted(ends)}.`
      this.fail(token, `Unexpected end of template. ${wanted}`)
    }
    return { body, end: String(token.value) }
  }

  private body(end: string): Statement[] {
    return this.upTo(end).body
  }

  set(at: Place): Statement {
    const target = this.setTarget()
    if (this.skip('=')) return node('Set', at, { target, value: this.tuple() })
    return node('SetBlock', at, { target, filter: this.filter(undefined), body: this.body('endset') })
  }

  /** A name, an attribute of a namespace, or several of them. */
  private setTarget(): Target {
    return this.target(() => {
      const at = this.token
      if (at.type !== 'name' || !this.is('.', 1)) return this.primary()
      const name = this.needName()
      this.take()
      return node('NamespaceTarget', at, { name, attribute: this.needName() })
    })
  }

  for(at: Place): Statement {
    const target = this.target()
    this.need('in')
    const iterable = this.tuple(false, () => this.or())
    const test = this.skip('if') ? this.expression() : undefined
    const recursive = this.skip('recursive')
    const { body, end } = this.upTo('endfor', 'else')
    const otherwise = end === 'else' ? this.body('endfor') : []
    return node('For', at, { target, iterable, body, otherwise, recursive, ...(test && { test }) })
  }

  if(at: Place): Statement {
    const branches: { cond: Expr; body: Statement[] }[] = []
    for (;;) {
      const cond = this.tuple(false, () => this.or())
      const { body, end } = this.upTo('elif', 'else', 'endif')
      branches.push({ cond, body })
      if (end !== 'elif')
        return node('Branch', at, { branches, otherwise: end === 'else' ? this.body('endif') : [] })
    }
  }

  with(at: Place): Statement {
    const targets: Target[] = []
    const values: Expr[] = []
    while (this.token.type !== 'end') {
      if (targets.length > 0) this.need(',')
      targets.push(this.target())
      this.need('=')
      values.push(this.expression())
    }
    return node('With', at, { targets, values, body: this.body('endwith') })
  }

  /** What `autoescape false` holds is printed as it is, as everything is; escaping is refused. */
  autoescape(at: Place): Statement {
    const value = this.expression()
    if (value.type !== 'Literal' || value.value !== false) throw notSupported('{% autoescape true %}').at(at)
    return node('With', at, { targets: [], values: [], body: this.body('endautoescape') })
  }

  block(at: Place): Statement {
    const name = this.needName()
    const scoped = this.skip('scoped')
    const required = this.skip('required')
    if (this.is('-')) this.fail(this.token, 'block names may not contain hyphens, use an underscore instead')
    const body = this.body('endblock')
    if (required && !body.every(isBlank))
      this.fail(at, 'Required blocks can only contain comments or whitespace')
    this.skip(name)
    return node('Block', at, { name, body, scoped, required })
  }

  extends(at: Place): Statement {
    return node('Extends', at, { template: this.expression() })
  }

  /** `with context` and `without context`. */
  private context(): boolean | undefined {
    if (!(this.is('with') || this.is('without')) || !this.is('context', 1)) return undefined
    const { value } = this.take()
    this.take()
    return value === 'with'
  }

  include(at: Place): Statement {
    const template = this.expression()
    const ignoreMissing = this.is('ignore') && this.is('missing', 1)
    if (ignoreMissing) {
      this.take()
      this.take()
    }
    return node('Include', at, { template, ignoreMissing, withContext: this.context() ?? true })
  }

  import(at: Place): Statement {
    const template = this.expression()
    this.need('as')
    const target = this.nameTarget()
    return node('Import', at, { template, target, withContext: this.context() ?? false })
  }

  from(at: Place): Statement {
    const template = this.expression()
    this.need('import')
    const names: [string, string][] = []
    let withContext: boolean | undefined
    do {
      withContext = this.context()
      if (withContext !== undefined) break
      const { token } = this
      const name = this.nameTarget()
      if (name.startsWith('_')) this.fail(token, 'names starting with an underline can not be imported')
      names.push([name, this.skip('as') ? this.nameTarget() : name])
      withContext = this.context()
    } while (withContext === undefined && this.skip(','))
    return node('FromImport', at, { template, names, withContext: withContext ?? false })
  }

  private signature(): { params: string[]; defaults: Expr[] } {
    const params: string[] = []
    const defaults: Expr[] = []
    this.need('(')
    while (!this.is(')')) {
      if (params.length > 0) this.need(',')
      const at = this.token
      const name = this.nameTarget()
      if (params.includes(name)) this.fail(at, `duplicate argument '${name}'`)
      if (this.skip('=')) defaults.push(this.expression())
      else if (defaults.length > 0) this.fail(at, 'non-default argument follows default argument')
      params.push(name)
    }
    this.take()
    return { params, defaults }
  }

  macro(at: Place): Statement {
    return node('Macro', at, { name: this.nameTarget(), ...this.signature(), body: this.body('endmacro') })
  }

  call(at: Place): Statement {
    const signature = this.is('(') ? this.signature() : { params: [], defaults: [] }
    const call = this.expression()
    if (call.type !== 'Call') return this.fail(at, 'expected call')
    return node('CallBlock', at, { call, ...signature, body: this.body('endcall') })
  }

  filterBlock(at: Place): Statement {
    const filter = this.filter(undefined, true)!
    return node('FilterBlock', at, { filter, body: this.body('endfilter') })
  }

  print(at: Place): Statement {
    const parts: Expr[] = []
    while (this.token.type !== 'end') {
      if (parts.length > 0) this.need(',')
      parts.push(this.expression())
    }
    return node('Output', at, { parts })
  }
}

const isBlank = (statement: Statement): boolean =>
  statement.type === 'Output' &&
  statement.parts.every((part) => typeof part === 'string' && strip(part) === '')

/** How each tag is read. */
const STATEMENTS: Record<string, (this: Parser, at: Place) => Statement> = {
  autoescape: Parser.prototype.autoescape,
  block: Parser.prototype.block,
  call: Parser.prototype.call,
  extends: Parser.prototype.extends,
  filter: Parser.prototype.filterBlock,
  for: Parser.prototype.for,
  from: Parser.prototype.from,
  if: Parser.prototype.if,
  import: Parser.prototype.import,
  include: Parser.prototype.include,
  macro: Parser.prototype.macro,
  print: Parser.prototype.print,
  set: Parser.prototype.set,
  with: Parser.prototype.with,
}
