/*
 * Jinja2's grammar on nunjucks' parser: the token handling, the nesting of blocks and `or`, `and`, `not`
 * are inherited, the rest of the expressions follows Jinja2's precedence. Statements are in statements.ts.
 */
import { float, int, type Value } from '../../python/values.ts'
import type { Token } from './lexer.ts'
import { type Arguments, type Expr, type Node, node, type Target } from './nodes.ts'
import { describe, TokenParser } from './tokens.ts'

const COMPARE = new Set(['==', '!=', '<', '<=', '>', '>='])
const PRIMARY = new Set(['symbol', 'string', 'int', 'float', 'left-paren', 'left-bracket', 'left-curly'])
const CONSTANTS: Record<string, Value> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
}

export class ExpressionParser extends TokenParser {
  // Operators, from the loosest to the tightest.

  override parseInlineIf(): Expr {
    const at = this.peek()
    let expr = this.parseOr() as Expr
    while (this.skipSymbol('if')) {
      const cond = this.parseOr() as Expr
      const else_ = this.skipSymbol('else') ? this.parseInlineIf() : null
      expr = node('InlineIf', at, { cond, body: expr, else_ })
    }
    return expr
  }

  /** Comparisons, `in` and `not in`, in chains. */
  override parseIn(): Expr {
    const expr = this.parseSum()
    const ops: { type: string; expr: Expr }[] = []
    for (;;) {
      const token = this.peek()
      if (token.type === 'operator' && COMPARE.has(token.value as string)) {
        this.take()
        ops.push({ type: token.value as string, expr: this.parseSum() })
      } else if (this.skipSymbol('in')) ops.push({ type: 'in', expr: this.parseSum() })
      else if (this.isSymbol(token, 'not') && this.isSymbol(this.second(), 'in')) {
        this.take()
        this.take()
        ops.push({ type: 'notin', expr: this.parseSum() })
      } else return ops.length > 0 ? node('Compare', expr, { expr, ops }) : expr
    }
  }

  private parseBinary(
    kinds: Record<string, 'Add' | 'Sub' | 'Mul' | 'Div' | 'FloorDiv' | 'Mod' | 'Pow'>,
    next: () => Expr,
  ): Expr {
    let left = next()
    for (;;) {
      const token = this.peek()
      const kind = token.type === 'operator' ? kinds[token.value as string] : undefined
      if (!kind) return left
      this.take()
      left = node(kind, token, { left, right: next() })
    }
  }

  private parseSum(): Expr {
    return this.parseBinary({ '+': 'Add', '-': 'Sub' }, () => this.parseConcatenation())
  }

  private parseConcatenation(): Expr {
    const first = this.parseProduct()
    const children = [first]
    while (this.skip('tilde')) children.push(this.parseProduct())
    return children.length > 1 ? node('Concat', first, { children }) : first
  }

  private parseProduct(): Expr {
    return this.parseBinary({ '*': 'Mul', '/': 'Div', '//': 'FloorDiv', '%': 'Mod' }, () =>
      this.parseBinary({ '**': 'Pow' }, () => this.parseUnary()),
    )
  }

  override parseUnary(noFilters = false): Expr {
    const token = this.peek()
    let expr: Expr
    if (this.skipValue('operator', '-')) expr = node('Neg', token, { target: this.parseUnary(true) })
    else if (this.skipValue('operator', '+')) expr = node('Pos', token, { target: this.parseUnary(true) })
    else expr = this.parsePrimary()
    expr = this.parsePostfixes(expr)
    return noFilters ? expr : this.parseFilters(expr)
  }

  // Values.

  override parsePrimary(): Expr {
    const token = this.peek()
    switch (token.type) {
      case 'symbol': {
        this.take()
        const name = token.value as string
        if (Object.hasOwn(CONSTANTS, name)) return node('Literal', token, { value: CONSTANTS[name]! })
        return node('Symbol', token, { value: name })
      }
      case 'string': {
        let value = ''
        while (this.peek().type === 'string') value += this.take().value
        return node('Literal', token, { value })
      }
      case 'int':
        return node('Literal', this.take(), { value: int(token.value as number | bigint) })
      case 'float':
        return node('Literal', this.take(), { value: float(token.value as number) })
      case 'left-paren': {
        this.take()
        const expr = this.parseTuple({ parentheses: true })
        this.need('right-paren')
        return expr
      }
      case 'left-bracket':
        this.take()
        return node('Array', token, { children: this.parseItems('right-bracket', () => this.parseExpr()) })
      case 'left-curly':
        this.take()
        return node('Dict', token, { children: this.parseItems('right-curly', () => this.parsePair()) })
      default:
        return this.failAt(token, `unexpected '${describe(token)}'`)
    }
  }

  protected parseExpr(): Expr {
    return this.parseExpression() as Expr
  }

  private parsePair(): [Expr, Expr] {
    const key = this.parseExpr()
    this.need('colon')
    return [key, this.parseExpr()]
  }

  /** Items with commas between them, and perhaps one behind the last. */
  private parseItems<T>(end: string, parse: () => T): T[] {
    const items: T[] = []
    while (this.peek().type !== end) {
      if (items.length > 0) this.need('comma')
      if (this.peek().type === end) break
      items.push(parse())
    }
    this.need(end)
    return items
  }

  /**
   * An expression, or several with commas: a tuple. `parse` reads one item. Nothing at all is a tuple only
   * in parentheses. A comma before the `in` or `recursive` of a loop wants one more item, as in Jinja2.
   */
  protected parseTuple(options: { parentheses?: boolean; parse?: () => Expr }): Expr {
    const { parentheses = false, parse = () => this.parseExpr() } = options
    const at = this.peek()
    const children: Expr[] = []
    const ended = () => ['variable-end', 'block-end', 'right-paren'].includes(this.peek().type)
    let isTuple = false
    for (;;) {
      if (children.length > 0) this.need('comma')
      if (ended()) break
      children.push(parse())
      if (this.peek().type !== 'comma') break
      isTuple = true
    }
    if (!isTuple && children.length > 0) return children[0]!
    if (!isTuple && !parentheses) this.failAt(at, `Expected an expression, got '${describe(this.peek())}'`)
    return node('Tuple', at, { children })
  }

  // What follows a value: .name, [index], (arguments), |filter, is test.

  private parsePostfixes(start: Expr): Expr {
    let expr = start
    for (;;) {
      const token = this.peek()
      if (this.isOperator(token, '.')) expr = this.parseAttribute(expr)
      else if (token.type === 'left-bracket') expr = this.parseSubscript(expr)
      else if (token.type === 'left-paren') expr = this.parseCallOf(expr)
      else return expr
    }
  }

  private parseAttribute(target: Expr): Expr {
    const dot = this.take()
    const token = this.take()
    if (token.type === 'symbol') return node('LookupVal', token, { target, val: token.value as string })
    if (token.type !== 'int') this.failAt(token, 'expected name or number')
    return node('LookupVal', dot, { target, val: node('Literal', token, { value: token.value }) })
  }

  private parseSubscript(target: Expr): Expr {
    const at = this.take()
    const parts: Expr[] = []
    while (this.peek().type !== 'right-bracket') {
      if (parts.length > 0) this.need('comma')
      parts.push(this.parseIndex())
    }
    this.take()
    if (parts.length > 1 && parts.some((part) => part.typename === 'Slice')) {
      this.failAt(at, 'a slice must stand alone')
    }
    const val = parts.length === 1 ? parts[0]! : node('Tuple', at, { children: parts })
    return node('LookupVal', at, { target, val })
  }

  /** An index, or a slice: start:stop:step, each part optional. */
  private parseIndex(): Expr {
    const at = this.peek()
    const start = at.type === 'colon' ? null : this.parseExpr()
    if (!this.skip('colon')) return start!
    const part = () =>
      ['colon', 'comma', 'right-bracket'].includes(this.peek().type) ? null : this.parseExpr()
    const stop = part()
    const step = this.skip('colon') ? part() : null
    return node('Slice', at, { start, stop, step })
  }

  private parseCallOf(name: Expr): Node<'FunCall'> {
    return node('FunCall', this.peek(), { name, args: this.parseArguments() })
  }

  protected parseArguments(): Arguments {
    const at = this.need('left-paren')
    const result: Arguments = { args: [], kwargs: [], spread: null, spreadNamed: null }
    const ensure = (holds: boolean) => {
      if (!holds) this.failAt(at, 'invalid syntax for function call expression')
    }
    let first = true
    while (this.peek().type !== 'right-paren') {
      if (!first) this.need('comma')
      if (this.peek().type === 'right-paren') break
      first = false
      if (this.skipValue('operator', '*')) {
        ensure(!result.spread && !result.spreadNamed)
        result.spread = this.parseExpr()
      } else if (this.skipValue('operator', '**')) {
        ensure(!result.spreadNamed)
        result.spreadNamed = this.parseExpr()
      } else if (this.peek().type === 'symbol' && this.isOperator(this.second(), '=')) {
        ensure(!result.spreadNamed)
        this.addKeyword(result)
      } else {
        ensure(!result.spread && !result.spreadNamed && result.kwargs.length === 0)
        result.args.push(this.parseExpr())
      }
    }
    this.need('right-paren')
    return result
  }

  private addKeyword({ kwargs }: Arguments): void {
    const token = this.needName()
    this.take()
    if (kwargs.some(({ key }) => key === token.value))
      this.failAt(token, `keyword argument repeated: ${token.value}`)
    kwargs.push({ key: token.value, value: this.parseExpr() })
  }

  private parseFilters(start: Expr): Expr {
    let expr = start
    for (;;) {
      const token = this.peek()
      if (token.type === 'pipe') expr = this.parseFilterOn(expr)!
      else if (this.isSymbol(token, 'is')) expr = this.parseTest(expr)
      else if (token.type === 'left-paren') expr = this.parseCallOf(expr)
      else return expr
    }
  }

  private parseDottedName(): Token & { value: string } {
    const token = this.needName()
    let value = token.value
    while (this.skipValue('operator', '.')) value += `.${this.needName().value}`
    return { ...token, value }
  }

  private noArguments(): Arguments {
    return { args: [], kwargs: [], spread: null, spreadNamed: null }
  }

  /** Filters with their bars; without one where `inline`, as in a filter block. */
  protected parseFilterOn(start: Expr | null, inline = false): Expr | null {
    let target = start
    let bare = inline
    while (bare || this.skip('pipe')) {
      bare = false
      const token = this.parseDottedName()
      const args = this.peek().type === 'left-paren' ? this.parseArguments() : this.noArguments()
      target = node('Filter', token, { name: token.value, target, args })
    }
    return target
  }

  private parseTest(target: Expr): Expr {
    const at = this.take()
    const negated = this.skipSymbol('not')
    const { value: name } = this.parseDottedName()
    const next = this.peek()
    let args = this.noArguments()
    if (next.type === 'left-paren') args = this.parseArguments()
    else if (PRIMARY.has(next.type) && !this.isSymbol(next, 'else', 'or', 'and')) {
      if (this.isSymbol(next, 'is')) this.failAt(next, 'You cannot chain multiple tests with is')
      args = { ...args, args: [this.parsePostfixes(this.parsePrimary())] }
    }
    const test = node('Test', at, { name, target, args })
    return negated ? node('Not', at, { target: test }) : test
  }

  // Targets of assignments.

  /** Turns what was read as an expression into what can be assigned to. */
  protected asTarget(expr: Expr, param: boolean): Target {
    if (expr.typename === 'Symbol') return node('Target', expr, { value: expr.value, param })
    if (expr.typename === 'Tuple') {
      return node('Tuple', expr, {
        children: expr.children.map((item) => this.asTarget(item, param) as Expr),
      })
    }
    return this.failAt(expr, `can't assign to '${TARGETS[expr.typename] ?? expr.typename.toLowerCase()}'`)
  }

  protected parseTarget(param: boolean): Target {
    return this.asTarget(this.parseTuple({ parse: () => this.parsePrimary() }), param)
  }

  protected parseNameTarget(): Token & { value: string } {
    const token = this.needName()
    if (Object.hasOwn(CONSTANTS, token.value)) this.failAt(token, "can't assign to 'const'")
    return token
  }
}

const TARGETS: Record<string, string> = { Literal: 'const', Array: 'list' }
