/*
 * nunjucks' expressions, compiled to closures. nunjucks writes operators into JavaScript without brackets, so
 * that JavaScript's precedence decides, not the tree (`not a == b` is `!a == b`, `1 ~ 2 + 3` is "123"):
 * expressions are flattened into operands and operators, and put together again by JavaScript's rules.
 */
import { PythonError, typeError } from '../../python/error.ts'
import { type Output, spend } from '../../python/limits.ts'
import { locate, notSupported, syntaxError, TemplateError } from '../error.ts'
import { filterNamed, testNamed } from './filters.ts'
import type { Node } from './types.ts'
import {
  Callable,
  isIn,
  type JsObject,
  looselyEqual,
  member,
  number,
  plus,
  primitive,
  toText,
  type Value,
} from './values.ts'

/** Variables of a scope; those of the scopes around it can be read, and set. */
export class Frame {
  readonly variables = new Map<string, Value>()
  private readonly parent: Frame | undefined
  /** The render's: what is written on, and what is found in the context. */
  readonly run: Run

  constructor(run: Run, parent?: Frame) {
    this.run = run
    this.parent = parent
  }

  lookup(name: string): Value {
    const value = this.variables.get(name)
    if (value !== undefined) return value
    return this.parent ? this.parent.lookup(name) : this.run.resolve(name)
  }

  /** Sets a variable where it is already known, else here. */
  assign(name: string, value: Value): void {
    for (let frame: Frame | undefined = this; frame; frame = frame.parent) {
      if (frame.variables.get(name) === undefined) continue
      frame.variables.set(name, value)
      return
    }
    this.variables.set(name, value)
  }
}

export interface Run {
  readonly output: Output
  readonly strict: boolean
  /** The template's own frame: what macros see. */
  top?: Frame
  depth: number
  resolve(name: string): Value
}

export type Evaluate = (frame: Frame) => Value
/** An operand or an operator. */
type Item = Evaluate | { op: string; unary?: boolean }

const BINARY: Record<string, string> = {
  Or: '||',
  And: '&&',
  Add: '+',
  Sub: '-',
  Mul: '*',
  Div: '/',
  Mod: '%',
}
const UNARY: Record<string, string> = { Not: '!', Neg: '-', Pos: '+' }
const LEVELS = [
  ['||'],
  ['&&'],
  ['==', '!=', '===', '!=='],
  ['<', '>', '<=', '>='],
  ['+', '-'],
  ['*', '/', '%'],
]
const MAX_NESTING = 200

const COMPUTE: Record<string, (a: Value, b: Value) => Value> = {
  '==': looselyEqual,
  '!=': (a, b) => !looselyEqual(a, b),
  '===': (a, b) => a === b,
  '!==': (a, b) => a !== b,
  '<': (a, b) => primitive(a)! < primitive(b)!,
  '>': (a, b) => primitive(a)! > primitive(b)!,
  '<=': (a, b) => primitive(a)! <= primitive(b)!,
  '>=': (a, b) => primitive(a)! >= primitive(b)!,
  '+': plus,
  '-': (a, b) => number(a) - number(b),
  '*': (a, b) => number(a) * number(b),
  '/': (a, b) => number(a) / number(b),
  '%': (a, b) => number(a) % number(b),
}

/** Puts operands and operators together by JavaScript's precedence. */
const assemble = (items: Item[], level = 0): Evaluate => {
  if (level === LEVELS.length) return operand(items)
  let left = assemble(items, level + 1)
  for (;;) {
    const [item] = items
    if (item === undefined || typeof item === 'function' || !LEVELS[level]!.includes(item.op)) return left
    items.shift()
    left = join(item.op, left, assemble(items, level + 1))
  }
}

const operand = (items: Item[]): Evaluate => {
  const item = items.shift()!
  if (typeof item === 'function') return item
  const target = operand(items)
  if (item.op === '!') return (frame) => !target(frame)
  return item.op === '-' ? (frame) => -number(target(frame)) : (frame) => number(target(frame))
}

const join = (op: string, left: Evaluate, right: Evaluate): Evaluate => {
  if (op === '||') return (frame) => left(frame) || right(frame)
  if (op === '&&') return (frame) => left(frame) && right(frame)
  const compute = COMPUTE[op]!
  return (frame) => {
    const value = left(frame)
    return compute(value, right(frame))
  }
}

export class ExpressionCompiler {
  readonly name: string | undefined
  /** The names that are looked up. */
  readonly free = new Set<string>()
  private nesting = 0

  constructor(name: string | undefined) {
    this.name = name
  }

  protected fail(node: Node): never {
    throw notSupported(`${node.typename} in a nunjucks template`).at(node, this.name)
  }

  expr(node: Node): Evaluate {
    return assemble(this.flatten(node))
  }

  private all(nodes: readonly Node[]): Evaluate[] {
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
    const binary = BINARY[node.typename]
    if (binary) return [...this.flatten(node.left), { op: binary }, ...this.flatten(node.right)]
    const unary = UNARY[node.typename]
    if (unary) return [{ op: unary, unary: true }, ...this.flatten(node.target)]
    if (node.typename === 'Concat')
      return [...this.flatten(node.left), { op: '+' }, () => '', { op: '+' }, ...this.flatten(node.right)]
    if (node.typename === 'Compare')
      return [
        ...this.flatten(node.expr),
        ...node.ops.flatMap(({ type, expr }) => [{ op: type }, ...this.flatten(expr)]),
      ]
    if (node.typename === 'Is') return [this.test(node), { op: '===' }, () => true]
    return [this.operand(node)]
  }

  private operand(node: Node): Evaluate {
    switch (node.typename) {
      case 'Literal': {
        const value = node.value as Value
        return () => value
      }
      case 'Symbol': {
        const name = String(node.value)
        this.free.add(name)
        return (frame) => frame.lookup(name)
      }
      case 'Group':
      case 'Array': {
        const items = this.all(node.children)
        if (node.typename === 'Group') return (frame) => items.map((item) => item(frame)).at(-1)
        return (frame) => items.map((item) => item(frame))
      }
      case 'Dict':
      case 'KeywordArgs':
        return this.dict(node)
      case 'LookupVal': {
        const [target, key] = [this.expr(node.target), this.expr(node.val)]
        return (frame) => member(target(frame), key(frame))
      }
      case 'InlineIf': {
        const [cond, body] = [this.expr(node.cond), this.expr(node.body)]
        const otherwise: Evaluate = node.else_ ? this.expr(node.else_) : () => ''
        return (frame) => (cond(frame) ? body(frame) : otherwise(frame))
      }
      case 'In': {
        const [key, container] = [this.expr(node.left), this.expr(node.right)]
        return this.at(node, (frame) => isIn(key(frame), container(frame)))
      }
      case 'FloorDiv':
      case 'Pow': {
        const [left, right] = [this.expr(node.left), this.expr(node.right)]
        if (node.typename === 'Pow') return (frame) => number(left(frame)) ** number(right(frame))
        return (frame) => Math.floor(number(left(frame)) / number(right(frame)))
      }
      case 'FunCall':
        return this.call(node)
      case 'Filter':
        return this.filter(node)
      default:
        return this.fail(node)
    }
  }

  /** Runs something, with the place in its errors. */
  protected at<T>(node: Node, run: (frame: Frame) => T): (frame: Frame) => T {
    return (frame) => {
      try {
        return run(frame)
      } catch (error) {
        throw locate(error, node, this.name)
      }
    }
  }

  private dict(node: Node): Evaluate {
    const pairs = node.children.map((pair) => {
      if (pair.key.typename !== 'Symbol' && pair.key.typename !== 'Literal')
        throw syntaxError('Dict keys must be strings or names').at(pair, this.name)
      return { key: String(pair.key.value), value: this.expr(pair.value as Node) }
    })
    return (frame) => {
      const result: JsObject = Object.create(null) as JsObject
      for (const { key, value } of pairs) result[key] = value(frame)
      return result
    }
  }

  private test(node: Node): Evaluate {
    const name = String(node.right.name ? node.right.name.value : node.right.value)
    const value = this.expr(node.left)
    const args = node.right.args ? this.all(node.right.args.children) : []
    return this.at(node, (frame) => testNamed(name)(value(frame), args[0]?.(frame)))
  }

  /** Arguments, and the named ones as an object, which data can't pass for. */
  private arguments(nodes: readonly Node[]): { args: Evaluate[]; named: Evaluate | undefined } {
    const last = nodes.at(-1)
    const named = last?.typename === 'KeywordArgs' ? this.dict(last) : undefined
    return { args: this.all(named ? nodes.slice(0, -1) : nodes), named }
  }

  private call(node: Node): Evaluate {
    const callee = this.expr(node.name)
    const { args, named } = this.arguments(node.args.children)
    return this.at(node, (frame) => {
      const value = callee(frame)
      spend(1)
      if (!(value instanceof Callable)) throw typeError(`${nameOf(node.name)} is no function`)
      return value.run(
        args.map((arg) => arg(frame)),
        named?.(frame) as JsObject | undefined,
      )
    })
  }

  protected filter(node: Node): Evaluate {
    const name = String(node.name.value)
    const { args, named } = this.arguments(node.args.children)
    const path = nameOf(node.args.children[0]!)
    return this.at(node, (frame) => {
      const filter = filterNamed(name)
      if (!filter) throw new PythonError('ValueError', `filter not found, or not supported: ${name}`)
      const values = args.map((arg) => arg(frame))
      if (values[0] === undefined && frame.run.strict && name !== 'default' && name !== 'd')
        throw missing(path)
      return filter(values, named?.(frame) as JsObject | undefined)
    })
  }
}

/** Where a value is looked for, in messages. */
export const nameOf = (node: Node): string => {
  if (node.typename === 'Symbol') return String(node.value)
  if (node.typename === 'Literal') return toText(node.value as Value)
  return node.typename === 'LookupVal' ? `${nameOf(node.target)}.${nameOf(node.val)}` : 'an expression'
}

export const missing = (path: string) => new TemplateError('UndefinedError', `'${path}' is undefined`, path)
