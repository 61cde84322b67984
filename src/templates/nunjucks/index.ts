/*
 * nunjucks templates (autoescape off), as in promptfoo's prompts: parsed and compiled as Jinja2's, with JavaScript's values
 * and operators, and nunjucks' filters and tests. Refused: other templates (extends, block, include, import), macros,
 * switch, call and filter blocks.
 */
import { type Place, unsupported } from '../../python/error.ts'
import { spendItems } from '../../python/limits.ts'
import { Func } from '../../python/values.ts'
import { compileIn, type Language } from '../jinja/index.ts'
import { type LexicalRules, type Token, tokenize } from '../jinja/lexer.ts'
import { type Expr, node, type Statement } from '../jinja/nodes.ts'
import { Parser } from '../jinja/statements.ts'
import type { LanguageOptions } from '../template.ts'
import { nunjucksCompiler } from './semantics.ts'
import { number } from './values.ts'

// Its grammar differs from Jinja2's in the operators, which have JavaScript's precedence.

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t' }

const NUNJUCKS_RULES: LexicalRules = {
  raw: 'raw|verbatim',
  unescape: (literal) => literal.replace(/\\(.)/gsu, (_, char: string) => ESCAPES[char] ?? char),
  foldLineEnds: false,
}

/** Operators, loosest first. `//` and `**` become calls in JavaScript, and so are the tightest. */
const LEVELS = [
  ['==', '!=', '===', '!=='],
  ['<', '<=', '>', '>='],
  ['+', '-', '~'],
  ['*', '/', '%'],
  ['//'],
  ['**'],
]
const INFIX = new Set(LEVELS.slice(0, 4).flat())
const REFUSED = 'asyncAll asyncEach block call extends filter from ifAsync import include macro switch'.split(
  ' ',
)

class NunjucksParser extends Parser {
  protected override readonly constants = { true: true, false: false, none: null, null: null }
  /** `compare` only parses `in` and `not in`: other comparisons are in LEVELS. */
  protected override readonly comparisons = []

  constructor(tokens: readonly Token[]) {
    super(tokens.map((token) => (token.value === 'elseif' ? { ...token, value: 'elif' } : token)))
  }

  protected override statement(): Statement {
    const { token } = this
    const name = String(token.value)
    if (REFUSED.includes(name)) throw unsupported(`{% ${name} %} in a nunjucks template`).at(token)
    return super.statement()
  }

  protected override not(): Expr {
    const at = this.token
    return this.skip('not') ? this.deeper(() => negated(at, this.not())) : this.compare()
  }

  /** An operand of `in`: an expression of tighter operators, and an optional test. */
  protected override sum(): Expr {
    const expr = this.infix(0)
    const at = this.token
    return this.skip('is') ? this.test(expr, at) : expr
  }

  private infix(level: number): Expr {
    const ops = LEVELS[level]
    return ops ? this.binary(ops, () => this.infix(level + 1)) : this.unary()
  }

  protected override filters(start: Expr): Expr {
    return this.filter(start)!
  }

  /** A group keeps its precedence; the value of several expressions is the last one's. */
  override primary(): Expr {
    const at = this.token
    const isGroup = this.is('(')
    const expr = super.primary()
    return isGroup ? node('Tuple', at, { items: [expr] }) : expr
  }
}

/** `not` becomes JavaScript's `!`, which applies to the first operand: `not a == b` is `!a == b`. */
const negated = (at: Place, expr: Expr): Expr =>
  expr.type === 'Binary' && INFIX.has(expr.op)
    ? { ...expr, left: negated(at, expr.left) }
    : node('Unary', at, { op: 'not', target: expr })

/** The only global. */
const range = new Func(([start, stop, step]) => {
  const [from, to] = stop === undefined ? [0, number(start)] : [number(start), number(stop)]
  const by = stop === undefined ? 1 : number(step) || 1
  const count = Math.max(0, Math.ceil((to - from) / by)) || 0
  spendItems(count)
  return Array.from({ length: count }, (_, i) => from + i * by)
})

const NUNJUCKS: Language = {
  parser: (source, options) =>
    new NunjucksParser(tokenize(source, { ...options, keep_trailing_newline: true }, NUNJUCKS_RULES)),
  compiler: nunjucksCompiler,
  exact: false,
  globalNamed: (name) => (name === 'range' ? range : undefined),
}

export const compileNunjucks = (source: string, options: LanguageOptions) =>
  compileIn(NUNJUCKS, source, options)
