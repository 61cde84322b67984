/* Parses Jinja2's statements. */
import { type Place, unsupported } from '../../python/error.ts'
import { describe } from './lexer.ts'
import { type AssignTarget, type Expr, node, type Statement } from './nodes.ts'
import { ExpressionParser } from './parser.ts'

const wanted = (tags: readonly string[]): string =>
  `Jinja was looking for the following tags: ${tags.map((each) => `'${each}'`).join(' or ')}.`

export class Parser extends ExpressionParser {
  /** The tags that would end the block being read. */
  private ends: readonly string[] = []

  template(): Statement[] {
    const body = this.nodes()
    if (this.token.type !== 'eof') this.fail(this.token, `unexpected '${describe(this.token)}'`)
    return body
  }

  /** Text, print statements and blocks, up to the end of the template or of the enclosing block. */
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
    const ends = this.ends.length > 0 ? ` ${wanted(this.ends)}` : ''
    if (!parse) return this.fail(at, `Encountered unknown tag '${name}'.${ends}`)
    this.take()
    return parse(this, at)
  }

  /** The body of a block up to one of the tags, and the tag's name. */
  upTo(...ends: string[]): { body: Statement[]; end: string } {
    const outer = this.ends
    this.skip(':')
    this.need('end')
    this.ends = ends
    const body = this.nodes()
    this.ends = outer
    const token = this.take()
    if (token.type !== 'name') this.fail(token, `Unexpected end of template. ${wanted(ends)}`)
    return { body, end: String(token.value) }
  }

  body(end: string): Statement[] {
    return this.upTo(end).body
  }

  /** A name, an attribute of a namespace, or several of them. */
  setTarget(): AssignTarget {
    return this.target(() => {
      const at = this.token
      if (at.type !== 'name' || !this.is('.', 1)) return this.primary()
      const name = this.needName()
      this.take()
      return node('NamespaceTarget', at, { name, attribute: this.needName() })
    })
  }

  /** Items separated by commas, up to the end of the tag. */
  list<T>(parse: () => T): T[] {
    const items: T[] = []
    while (this.token.type !== 'end') {
      if (items.length > 0) this.need(',')
      items.push(parse())
    }
    return items
  }

  signature(): { params: string[]; defaults: Expr[] } {
    const params: string[] = []
    const defaults: Expr[] = []
    this.need('(')
    this.items(')', () => {
      const at = this.token
      const name = this.nameTarget()
      if (params.includes(name)) this.fail(at, `duplicate argument '${name}'`)
      if (this.skip('=')) defaults.push(this.expression())
      else if (defaults.length > 0) this.fail(at, 'non-default argument follows default argument')
      params.push(name)
    })
    return { params, defaults }
  }
}

const refused = (tag: string) => (_: Parser, at: Place) => {
  throw unsupported(`{% ${tag} %}`).at(at)
}

/** The text of a block with filters: a variable that no template can name. */
const captured = (at: Place): Expr => node('Symbol', at, { name: '' })

/** Parsers by tag. */
const STATEMENTS: Record<string, (parser: Parser, at: Place) => Statement> = {
  /** `autoescape false` is the default; `true` is refused. */
  autoescape: (parser, at) => {
    const value = parser.expression()
    if (value.type !== 'Literal' || value.value !== false) throw unsupported('{% autoescape true %}').at(at)
    return node('With', at, { targets: [], values: [], body: parser.body('endautoescape') })
  },
  block: refused('block'),
  call: (parser, at) => {
    const signature = parser.is('(') ? parser.signature() : { params: [], defaults: [] }
    const call = parser.expression()
    if (call.type !== 'Call') return parser.fail(at, 'expected call')
    return node('CallBlock', at, { call, ...signature, body: parser.body('endcall') })
  },
  extends: refused('extends'),
  filter: (parser, at) =>
    node('FilterBlock', at, { filter: parser.filter(captured(at), true), body: parser.body('endfilter') }),
  for: (parser, at) => {
    const target = parser.target()
    parser.need('in')
    const iterable = parser.tuple(false, () => parser.or())
    const test = parser.skip('if') ? parser.expression() : undefined
    const recursive = parser.skip('recursive')
    const { body, end } = parser.upTo('endfor', 'else')
    const otherwise = end === 'else' ? parser.body('endfor') : []
    return node('For', at, { target, iterable, body, otherwise, recursive, ...(test && { test }) })
  },
  from: refused('from'),
  if: (parser, at) => {
    const branches: { cond: Expr; body: Statement[] }[] = []
    for (;;) {
      const cond = parser.tuple(false, () => parser.or())
      const { body, end } = parser.upTo('elif', 'else', 'endif')
      branches.push({ cond, body })
      if (end !== 'elif')
        return node('Branch', at, { branches, otherwise: end === 'else' ? parser.body('endif') : [] })
    }
  },
  import: refused('import'),
  include: (parser, at) => {
    const template = parser.expression()
    const ignoreMissing = parser.is('missing', 1) && parser.skip('ignore') && parser.skip('missing')
    if (parser.is('without')) throw unsupported('include without context').at(at)
    if (parser.skip('with')) parser.need('context')
    return node('Include', at, { template, ignoreMissing })
  },
  macro: (parser, at) =>
    node('Macro', at, { name: parser.nameTarget(), ...parser.signature(), body: parser.body('endmacro') }),
  print: (parser, at) => node('Output', at, { parts: parser.list(() => parser.expression()) }),
  set: (parser, at) => {
    const target = parser.setTarget()
    if (parser.skip('=')) return node('Set', at, { target, value: parser.tuple() })
    return node('SetBlock', at, { target, filter: parser.filter(captured(at)), body: parser.body('endset') })
  },
  with: (parser, at) => {
    const pairs = parser.list(() => {
      const target = parser.target()
      parser.need('=')
      return { target, value: parser.expression() }
    })
    const [targets, values] = [pairs.map(({ target }) => target), pairs.map(({ value }) => value)]
    return node('With', at, { targets, values, body: parser.body('endwith') })
  },
}
