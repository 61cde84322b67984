/*
 * nunjucks' expressions, compiled to closures. nunjucks writes operators into JavaScript without brackets, so
 * that JavaScript's precedence decides, not the tree (`not a == b` is `!a == b`, `1 ~ 2 + 3` is "123"):
 * expressions are flattened into operands and operators, and put together again by JavaScript's rules.
 */
import { locate, syntaxError, TemplateError, typeError, unsupported } from '../../python/error.ts'
import { Output, spend } from '../../python/limits.ts'
import { filterNamed, testNamed } from './filters.ts'
import type { Frame, Node } from './package.ts'
import * as js from './values.ts'

type Value = js.Value
export type Evaluate = (frame: Frame) => Value
export type Execute = (frame: Frame) => void
/** An operand or an operator. */
type Item = Evaluate | string

/** JavaScript's operators, from the loosest to the tightest; `||` and `&&` are in `join`. */
const LEVELS: Record<string, (a: Value, b: Value) => Value>[] = [
  { '||': (a) => a },
  { '&&': (a) => a },
  {
    '==': js.looselyEqual,
    '!=': (a, b) => !js.looselyEqual(a, b),
    '===': (a, b) => a === b,
    '!==': (a, b) => a !== b,
  },
  {
    '<': (a, b) => js.primitive(a)! < js.primitive(b)!,
    '>': (a, b) => js.primitive(a)! > js.primitive(b)!,
    '<=': (a, b) => js.primitive(a)! <= js.primitive(b)!,
    '>=': (a, b) => js.primitive(a)! >= js.primitive(b)!,
  },
  { '+': js.plus, '-': (a, b) => js.number(a) - js.number(b) },
  {
    '*': (a, b) => js.number(a) * js.number(b),
    '/': (a, b) => js.number(a) / js.number(b),
    '%': (a, b) => js.number(a) % js.number(b),
  },
]
const BINARY: Record<string, string> = {
  Or: '||',
  And: '&&',
  Add: '+',
  Sub: '-',
  Mul: '*',
  Div: '/',
  Mod: '%',
}
const UNARY: Record<string, string> = { Not: 'not', Neg: 'minus', Pos: 'plus' }
const MAX_NESTING = 200

/** Puts operands and operators together by JavaScript's precedence. */
const assemble = (items: Item[], level = 0): Evaluate => {
  const operators = LEVELS[level]
  if (!operators) return operand(items)
  let left = assemble(items, level + 1)
  for (;;) {
    const [op] = items
    if (typeof op !== 'string' || !Object.hasOwn(operators, op)) return left
    items.shift()
    left = join(op, operators[op]!, left, assemble(items, level + 1))
  }
}

const operand = (items: Item[]): Evaluate => {
  const item = items.shift()!
  if (typeof item === 'function') return item
  const target = operand(items)
  if (item === 'not') return (frame) => !target(frame)
  return item === 'minus' ? (frame) => -js.number(target(frame)) : (frame) => js.number(target(frame))
}

const join = (
  op: string,
  compute: (a: Value, b: Value) => Value,
  left: Evaluate,
  right: Evaluate,
): Evaluate => {
  if (op === '||') return (frame) => left(frame) || right(frame)
  if (op === '&&') return (frame) => left(frame) && right(frame)
  return (frame) => {
    const value = left(frame)
    return compute(value, right(frame))
  }
}

/** What one render uses; rendering is synchronous, so a compiled template has one. */
export interface Run {
  output: Output
  strict: boolean
  depth: number
  /** The template's own frame: what macros see. */
  top: Frame | undefined
  /** Finds a name in the context. */
  resolve(name: string): Value
}

export class ExpressionCompiler {
  readonly name: string | undefined
  readonly run: Run = {
    output: new Output(),
    strict: true,
    depth: 0,
    top: undefined,
    resolve: () => undefined,
  }
  /** The names that are looked up. */
  readonly free = new Set<string>()
  private nesting = 0

  constructor(name: string | undefined) {
    this.name = name
  }

  /** Runs something, with the place in its errors. */
  at<T>(node: Node, run: (frame: Frame) => T): (frame: Frame) => T {
    return (frame) => {
      try {
        return run(frame)
      } catch (error) {
        throw locate(error, node, this.name)
      }
    }
  }

  expr(node: Node): Evaluate {
    return assemble(this.flatten(node))
  }

  all(nodes: readonly Node[]): Evaluate[] {
    return nodes.map((node) => this.expr(node))
  }

  private flatten(node: Node): Item[] {
    if (++this.nesting > MAX_NESTING)
      throw new TemplateError('LimitError', 'an expression is nested too deeply').at(node, this.name)
    const items = this.items(node)
    this.nesting--
    return items
  }

  private items(node: Node): Item[] {
    const { typename: type } = node
    const sides = () => [this.flatten(node.left), this.flatten(node.right)] as const
    if (type === 'Concat') {
      const [left, right] = sides()
      return [...left, '+', () => '', '+', ...right]
    }
    if (BINARY[type]) {
      const [left, right] = sides()
      return [...left, BINARY[type], ...right]
    }
    if (UNARY[type]) return [UNARY[type], ...this.flatten(node.target)]
    if (type === 'Compare')
      return [...this.flatten(node.expr), ...node.ops.flatMap((op) => [op.type, ...this.flatten(op.expr)])]
    if (type === 'Is') return [isTest(this, node), '===', () => true]
    const compile = Object.hasOwn(OPERANDS, type) ? OPERANDS[type] : undefined
    if (!compile) throw unsupported(`${type} in a nunjucks template`).at(node, this.name)
    return [compile(this, node)]
  }

  lookup(frame: Frame, name: string): Value {
    const value = frame.lookup(name) as Value
    return value === undefined ? this.run.resolve(name) : value
  }
}

/** How each node that is one operand is compiled. */
const OPERANDS: Record<string, (compiler: ExpressionCompiler, node: Node) => Evaluate> = {
  Literal: (_, { value }) => {
    return () => value as Value
  },
  Symbol: (compiler, node) => {
    const name = String(node.value)
    compiler.free.add(name)
    return (frame) => compiler.lookup(frame, name)
  },
  Group: (compiler, { children }) => {
    const items = compiler.all(children)
    return (frame) => items.map((item) => item(frame)).at(-1)
  },
  Array: (compiler, { children }) => {
    const items = compiler.all(children)
    return (frame) => items.map((item) => item(frame))
  },
  Dict: (compiler, node) => dict(compiler, node),
  KeywordArgs: (compiler, node) => dict(compiler, node),
  LookupVal: (compiler, node) => {
    const [target, key] = [compiler.expr(node.target), compiler.expr(node.val)]
    return (frame) => js.member(target(frame), key(frame))
  },
  InlineIf: (compiler, node) => {
    const [cond, body] = [compiler.expr(node.cond), compiler.expr(node.body)]
    const otherwise: Evaluate = node.else_ ? compiler.expr(node.else_) : () => ''
    return (frame) => (cond(frame) ? body(frame) : otherwise(frame))
  },
  In: (compiler, node) => {
    const [key, container] = [compiler.expr(node.left), compiler.expr(node.right)]
    return compiler.at(node, (frame) => js.isIn(key(frame), container(frame)))
  },
  FloorDiv: (compiler, node) => {
    const [left, right] = [compiler.expr(node.left), compiler.expr(node.right)]
    return (frame) => Math.floor(js.number(left(frame)) / js.number(right(frame)))
  },
  Pow: (compiler, node) => {
    const [left, right] = [compiler.expr(node.left), compiler.expr(node.right)]
    return (frame) => js.number(left(frame)) ** js.number(right(frame))
  },
  FunCall: (compiler, node) => call(compiler, node),
  Filter: (compiler, node) => filter(compiler, node),
}

const dict = (compiler: ExpressionCompiler, { children }: Node): ((frame: Frame) => js.JsObject) => {
  const pairs = children.map((pair) => {
    if (pair.key.typename !== 'Symbol' && pair.key.typename !== 'Literal')
      throw syntaxError('Dict keys must be strings or names').at(pair, compiler.name)
    return { key: String(pair.key.value), value: compiler.expr(pair.value as Node) }
  })
  return (frame) => Object.fromEntries(pairs.map(({ key, value }) => [key, value(frame)]))
}

const isTest = (compiler: ExpressionCompiler, node: Node): Evaluate => {
  const { right } = node
  const name = String(right.name ? right.name.value : right.value)
  const value = compiler.expr(node.left)
  const args = right.args ? compiler.all(right.args.children) : []
  return compiler.at(node, (frame) => testNamed(name)(value(frame), args[0]?.(frame)))
}

/** Arguments, and the named ones as an object, which data can't pass for. */
const compileArguments = (compiler: ExpressionCompiler, { children }: Node) => {
  const last = children.at(-1)
  const named = last?.typename === 'KeywordArgs' ? dict(compiler, last) : undefined
  const args = compiler.all(named ? children.slice(0, -1) : children)
  return (frame: Frame) => [args.map((arg) => arg(frame)), named?.(frame)] as const
}

const call = (compiler: ExpressionCompiler, node: Node): Evaluate => {
  const callee = compiler.expr(node.name)
  const values = compileArguments(compiler, node.args)
  return compiler.at(node, (frame) => {
    const value = callee(frame)
    spend(1)
    if (!(value instanceof js.Callable)) throw typeError(`${nameOf(node.name)} is not a function`)
    return value.run(...values(frame))
  })
}

const filter = (compiler: ExpressionCompiler, node: Node): Evaluate => {
  const name = String(node.name.value)
  const values = compileArguments(compiler, node.args)
  const path = nameOf(node.args.children[0]!)
  return compiler.at(node, (frame) => {
    const run = filterNamed(name)
    if (!run) throw new TemplateError('ValueError', `filter not found, or not supported: ${name}`)
    const [args, named] = values(frame)
    const needed = compiler.run.strict && name !== 'default' && name !== 'd'
    if (needed && args[0] === undefined) throw missing(path)
    return run([...args], named)
  })
}

/** Where a value is looked for, in messages. */
export const nameOf = (node: Node): string => {
  if (node.typename === 'Symbol') return String(node.value)
  if (node.typename === 'Literal') return js.toText(node.value as Value)
  return node.typename === 'LookupVal' ? `${nameOf(node.target)}.${nameOf(node.val)}` : 'an expression'
}

export const missing = (path: string) => new TemplateError('UndefinedError', `'${path}' is undefined`, path)
