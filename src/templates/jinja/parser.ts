/* Parses Jinja2's expressions. Statements are in statements.ts. */
import { type Place, TemplateError, unsupported } from '../../python/error.ts'
import { isInt, type Value } from '../../python/values.ts'
import { describe, type Token, TokenReader } from './lexer.ts'
import { type Arguments, type AssignTarget, type Expr, node } from './nodes.ts'

const COMPARE = ['==', '!=', '<', '<=', '>', '>=']
const PRIMARY = ['name', 'string', 'number', '(', '[', '{']
const CONSTANTS: Record<string, Value> = {
  true: true,
  false: false,
  none: null,
  True: true,
  False: false,
  None: null,
}

const noArguments = (): Arguments => ({ args: [], kwargs: [] })

export class ExpressionParser extends TokenReader {
  // Operators, loosest first.

  expression(): Expr {
    return this.deeper(() => {
      const at = this.token
      let expr = this.or()
      while (this.skip('if')) {
        const cond = this.or()
        const otherwise = this.skip('else') ? this.expression() : undefined
        expr = node('If', at, { cond, value: expr, otherwise })
      }
      return expr
    })
  }

  private binary(ops: readonly string[], next: () => Expr): Expr {
    let left = next()
    for (let count = 0; ops.some((op) => this.is(op)); count++) {
      const at = this.take()
      if (count > 1000) throw new TemplateError('LimitError', 'an expression is too long').at(at)
      left = node('Binary', at, { op: String(at.value), left, right: next() })
    }
    return left
  }

  or(): Expr {
    return this.binary(['or'], () => this.binary(['and'], () => this.not()))
  }

  private not(): Expr {
    const at = this.token
    return this.skip('not')
      ? this.deeper(() => node('Unary', at, { op: 'not', target: this.not() }))
      : this.compare()
  }

  /** Comparisons, `in` and `not in`, in chains. */
  private compare(): Expr {
    const first = this.sum()
    const ops: { op: string; expr: Expr }[] = []
    for (;;) {
      const negated = this.is('not') && this.is('in', 1)
      if (!negated && !COMPARE.includes(this.token.type) && !this.is('in'))
        return ops.length > 0 ? node('Compare', first, { first, ops }) : first
      const op = String(this.take().value)
      if (negated) this.take()
      ops.push({ op, expr: this.sum() })
    }
  }

  private sum(): Expr {
    return this.binary(['+', '-'], () => {
      const items = [this.product()]
      while (this.skip('~')) items.push(this.product())
      return items.length > 1 ? node('Concat', items[0]!, { items }) : items[0]!
    })
  }

  private product(): Expr {
    return this.binary(['*', '/', '//', '%'], () => this.binary(['**'], () => this.unary()))
  }

  private unary(filters = true): Expr {
    const at = this.token
    const signed = this.is('-') || this.is('+')
    const op = signed && String(this.take().value)
    const expr = op ? this.deeper(() => node('Unary', at, { op, target: this.unary(false) })) : this.primary()
    const whole = this.postfixes(expr)
    return filters ? this.filters(whole) : whole
  }

  // Values.

  primary(): Expr {
    const at = this.token
    if (at.type === 'name') {
      const name = this.needName()
      return Object.hasOwn(CONSTANTS, name)
        ? node('Literal', at, { value: CONSTANTS[name]! })
        : node('Symbol', at, { name })
    }
    if (at.type === 'string') {
      let value = ''
      while (this.token.type === 'string') value += this.take().value
      return node('Literal', at, { value })
    }
    if (at.type === 'number') {
      return node('Literal', this.take(), { value: at.value })
    }
    if (this.skip('(')) {
      const expr = this.tuple(true)
      this.need(')')
      return expr
    }
    if (this.skip('[')) return node('List', at, { items: this.items(']', () => this.expression()) })
    if (!this.skip('{')) this.fail(at, `unexpected '${describe(at)}'`)
    const pair = (): [Expr, Expr] => {
      const key = this.expression()
      this.need(':')
      return [key, this.expression()]
    }
    return node('Dict', at, { pairs: this.items('}', pair) })
  }

  /** Items separated by commas, with an optional one after the last, and the end. */
  items<T>(end: string, parse: () => T): T[] {
    const items: T[] = []
    while (!this.is(end)) {
      if (items.length > 0) this.need(',')
      if (this.is(end)) break
      items.push(parse())
    }
    this.take()
    return items
  }

  /**
   * An expression, or a tuple of several with commas. An empty tuple needs parentheses. As in Jinja2, an item must follow
   * a comma before the `in` or `recursive` of a loop.
   * @param parse parses an item
   */
  tuple(parentheses = false, parse = () => this.expression()): Expr {
    const at = this.token
    const items: Expr[] = []
    let isTuple = false
    for (;;) {
      if (items.length > 0) this.need(',')
      if (this.token.type === 'end' || this.is(')')) break
      items.push(parse())
      if (!this.is(',')) break
      isTuple = true
    }
    if (!isTuple && items.length > 0) return items[0]!
    if (!isTuple && !parentheses) this.fail(at, `Expected an expression, got '${describe(this.token)}'`)
    return node('Tuple', at, { items })
  }

  // Postfixes: .name, [index], (arguments), |filter, is test.

  private postfixes(start: Expr): Expr {
    let expr = start
    for (;;) {
      const at = this.token
      if (this.skip('.')) expr = this.attribute(expr, at)
      else if (this.skip('[')) expr = this.subscript(expr, at)
      else if (this.is('(')) expr = node('Call', at, { callee: expr, args: this.arguments() })
      else return expr
    }
  }

  private attribute(target: Expr, dot: Token): Expr {
    const at = this.take()
    if (at.type === 'name') return node('Attribute', at, { target, name: String(at.value) })
    if (at.type !== 'number' || !isInt(at.value)) this.fail(at, 'expected name or number')
    return node('Item', dot, { target, key: node('Literal', dot, { value: at.value }) })
  }

  /** `[key]`, `[key, key]`, or a slice: `[start:stop:step]`, each part optional. */
  private subscript(target: Expr, at: Token): Expr {
    const bounds: (Expr | undefined)[] = []
    const keys: Expr[] = []
    while (!this.is(']')) {
      if (keys.length + bounds.length > 0) this.need(',')
      const start = this.is(':') ? undefined : this.expression()
      if (!this.is(':')) {
        keys.push(start!)
        continue
      }
      bounds.push(start)
      while (this.skip(':')) bounds.push(this.is(':') || this.is(']') ? undefined : this.expression())
      if (bounds.length > 3 || keys.length > 0 || !this.is(']')) this.fail(at, 'a slice must stand alone')
    }
    this.take()
    if (bounds.length > 0) return node('Slice', at, { target, bounds })
    const key = keys.length === 1 ? keys[0]! : node('Tuple', at, { items: keys })
    return node('Item', at, { target, key })
  }

  arguments(): Arguments {
    this.need('(')
    const result: Arguments = noArguments()
    this.items(')', () => {
      const { token } = this
      if (this.is('*') || this.is('**')) throw unsupported(`${token.type} before an argument`).at(token)
      if (token.type === 'name' && this.is('=', 1)) {
        const key = this.needName()
        this.take()
        const repeated = result.kwargs.some((each) => each.key === key)
        if (repeated) this.fail(token, `keyword argument repeated: ${key}`)
        result.kwargs.push({ key, value: this.expression() })
      } else {
        if (result.kwargs.length > 0) this.fail(token, 'a positional argument after a keyword argument')
        result.args.push(this.expression())
      }
    })
    return result
  }

  private filters(start: Expr): Expr {
    let expr = start
    for (;;) {
      const at = this.token
      if (this.is('|')) expr = this.filter(expr)
      else if (this.skip('is')) expr = this.test(expr, at)
      else if (this.is('(')) expr = node('Call', at, { callee: expr, args: this.arguments() })
      else return expr
    }
  }

  private dottedName(): string {
    let name = this.needName()
    while (this.skip('.')) name += `.${this.needName()}`
    return name
  }

  /** Filters with their bars. @param inline without the first bar, as in a filter block */
  filter(start: Expr, inline = false): Expr {
    let target = start
    for (let bare = inline; bare || this.skip('|'); bare = false) {
      const at = this.token
      const name = this.dottedName()
      target = node('Filter', at, { name, target, args: this.is('(') ? this.arguments() : noArguments() })
    }
    return target
  }

  private test(target: Expr, at: Token): Expr {
    const negated = this.skip('not')
    const name = this.dottedName()
    let args = noArguments()
    if (this.is('(')) args = this.arguments()
    else if (PRIMARY.includes(this.token.type) && !['else', 'or', 'and'].some((each) => this.is(each))) {
      if (this.is('is')) this.fail(this.token, 'You cannot chain multiple tests with is')
      args.args.push(this.postfixes(this.primary()))
    }
    const test = node('Test', at, { name, target, args })
    return negated ? node('Unary', at, { op: 'not', target: test }) : test
  }

  // Targets of assignments.

  private asTarget(expr: Expr): AssignTarget {
    if (expr.type === 'Symbol' || expr.type === 'NamespaceTarget') return expr
    if (expr.type === 'Tuple')
      return node('Tuple', expr, { items: expr.items.map((item) => this.asTarget(item)) })
    return this.fail(expr, `can't assign to '${expr.type === 'Literal' ? 'const' : expr.type.toLowerCase()}'`)
  }

  target(parse = () => this.primary()): AssignTarget {
    return this.asTarget(this.tuple(false, parse))
  }

  nameTarget(): string {
    const at: Place = this.token
    const name = this.needName()
    if (Object.hasOwn(CONSTANTS, name)) this.fail(at, "can't assign to 'const'")
    return name
  }
}
