/* nunjucks' grammar, where it is not Jinja2's: its operators are JavaScript's, by JavaScript's precedence. */
import { type Place, unsupported } from '../../python/error.ts'
import type { LexicalRules, Token } from '../jinja/lexer.ts'
import { type Expr, node, type Statement } from '../jinja/nodes.ts'
import { Parser } from '../jinja/statements.ts'

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t' }

export const NUNJUCKS_RULES: LexicalRules = {
  raw: 'raw|verbatim',
  unescape: (literal) => literal.replace(/\\(.)/gsu, (_, char: string) => ESCAPES[char] ?? char),
  foldLineEnds: false,
}

/** Operators from the loosest to the tightest. `//` and `**` are calls in JavaScript, so that they come last. */
const LEVELS = [
  ['==', '!=', '===', '!=='],
  ['<', '<=', '>', '>='],
  ['+', '-', '~'],
  ['*', '/', '%'],
  ['//'],
  ['**'],
]
const INFIX = new Set(LEVELS.slice(0, 4).flat())
const REFUSED = 'asyncAll asyncEach block call extends filter from ifAsync import include switch'.split(' ')

export class NunjucksParser extends Parser {
  protected override readonly constants = { true: true, false: false, none: null, null: null }
  /** What `compare` of Jinja2's grammar leaves here: `in` and `not in`. */
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

  /** An operand of `in`: whatever has a tighter operator, with a test after it. */
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

  /** What stands in brackets stays apart; of several values the last one counts. */
  override primary(): Expr {
    const at = this.token
    const isGroup = this.is('(')
    const expr = super.primary()
    return isGroup ? node('Tuple', at, { items: [expr] }) : expr
  }
}

/** JavaScript's `!` goes to the first operand of what follows: `not a == b` is `!a == b`. */
const negated = (at: Place, expr: Expr): Expr =>
  expr.type === 'Binary' && INFIX.has(expr.op)
    ? { ...expr, left: negated(at, expr.left) }
    : node('Unary', at, { op: 'not', target: expr })
