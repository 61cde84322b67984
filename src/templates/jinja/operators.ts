/* Values and operators, compiled to closures: no code is generated. */

import { isDictAttribute } from '../../python/attributes.ts'
import { contains, equal, type Order, ordered } from '../../python/compare.ts'
import { Dict, isPlainDict } from '../../python/dicts.ts'
import { markupAdd, toMarkup } from '../../python/markup.ts'
import {
  add,
  divide,
  floorDivide,
  modulo,
  multiply,
  negate,
  positive,
  power,
  subtract,
} from '../../python/operators.ts'
import { str } from '../../python/print.ts'
import { getSlice } from '../../python/subscripts.ts'
import { Undefined } from '../../python/undefined.ts'
import { Float, Markup, Tuple, truthy, type Value } from '../../python/values.ts'
import { limitError, locate, TemplateError } from '../error.ts'
import { spendLength } from '../limits.ts'
import type { Frame } from './context.ts'
import { softText } from './filters/filter.ts'
import { lookupAttribute, lookupItem } from './lookup.ts'
import { LoopContext } from './loop-context.ts'
import type { Expr, Node } from './nodes.ts'
import { pathOf } from './paths.ts'
import { type Evaluate, type Execute, enterScope, readVariable, type Scope, soften } from './scope.ts'

type Binary = (a: Value, b: Value) => Value

const BINARY: Record<string, Binary> = {
  Add: add,
  Sub: subtract,
  Mul: multiply,
  Div: divide,
  FloorDiv: floorDivide,
  Mod: modulo,
  Pow: power,
}

/**
 * Jinja2 writes a negative constant with its sign into Python's code, where `-2 ** x` is `-(2 ** x)`.
 */
const powerAsSpelt: Binary = (a, b) => (isNegative(a) ? negate(power(negate(a), b)) : power(a, b))

const isNegative = (value: Value): boolean => {
  const number = value instanceof Float ? value.value : value
  if (typeof number === 'bigint') return number < 0n
  return typeof number === 'number' && (number < 0 || Object.is(number, -0))
}

const COMPARE: Record<string, (a: Value, b: Value) => boolean> = {
  '==': equal,
  '!=': (a, b) => !equal(a, b),
  in: (a, b) => contains(b, a),
  notin: (a, b) => !contains(b, a),
}
for (const op of ['<', '<=', '>', '>='] as const) COMPARE[op] = (a, b) => ordered(a, op as Order, b)

/** The most levels of brackets and operators within one another. */
const MAX_NESTING = 400

export abstract class OperatorCompiler {
  readonly name: string | undefined
  readonly strict: boolean
  /** The names that are looked up in the context. */
  readonly free = new Set<string>()
  /** Whether output is escaped here, as far as that is known when the template is compiled. */
  autoescape = false
  /** Within an `autoescape` whose value isn't constant: the context knows when the template runs. */
  volatile = false
  private nesting = 0

  constructor(name: string | undefined, strict: boolean) {
    this.name = name
    this.strict = strict
  }

  protected fail(at: Expr | Node, reason: string): never {
    throw new TemplateError('syntax', reason, { exception: 'TemplateAssertionError' }).at(at, this.name)
  }

  /** Whether Jinja2 computes all of these when it compiles. */
  protected foldsAll(_nodes: readonly Expr[]): boolean {
    return true
  }

  /** What happens when a scope is entered; notes what it takes from the context. */
  protected enter(scope: Scope): Execute | undefined {
    for (const load of scope.symbols.loads.values()) if (load.from === 'context') this.free.add(load.name)
    return enterScope(scope)
  }

  protected abstract call(node: Node<'FunCall'>, scope: Scope): Evaluate
  protected abstract filter(node: Node<'Filter'>, scope: Scope): Evaluate
  protected abstract test(node: Node<'Test'>, scope: Scope): Evaluate

  expr(node: Expr, scope: Scope): Evaluate {
    if (++this.nesting > MAX_NESTING)
      throw limitError('an expression is nested too deeply').at(node, this.name)
    const evaluate = this.constant(node, scope) ?? this.compile(node, scope)
    this.nesting--
    return evaluate
  }

  /** The value that Jinja2 computes when it compiles, where that isn't the same as computing it later. */
  protected constant(_node: Expr, _scope: Scope): Evaluate | undefined {
    return undefined
  }

  protected compile(node: Expr, scope: Scope): Evaluate {
    switch (node.typename) {
      case 'Literal': {
        const { value } = node
        return () => value
      }
      case 'Symbol':
        return this.variable(node, scope)
      case 'Array': {
        const items = node.children.map((child) => this.expr(child, scope))
        return (frame) => items.map((item) => item(frame))
      }
      case 'Tuple': {
        const items = node.children.map((child) => this.expr(child, scope))
        return (frame) => new Tuple(items.map((item) => item(frame)))
      }
      case 'Dict':
        return this.dict(node, scope)
      case 'LookupVal':
        return this.lookup(node, scope)
      case 'FunCall':
        return this.call(node, scope)
      case 'Filter':
        return this.filter(node, scope)
      case 'Test':
        return this.test(node, scope)
      case 'InlineIf':
        return this.inlineIf(node, soften(scope))
      case 'Compare':
        return this.compare(node, scope)
      case 'Concat':
        return this.concat(node.children, scope)
      case 'And': {
        const [left, right] = [this.expr(node.left, scope), this.expr(node.right, scope)]
        return (frame) => {
          const value = left(frame)
          return truthy(value) ? right(frame) : value
        }
      }
      case 'Or': {
        const [left, right] = [this.expr(node.left, scope), this.expr(node.right, scope)]
        return (frame) => {
          const value = left(frame)
          return truthy(value) ? value : right(frame)
        }
      }
      case 'Not': {
        const target = this.expr(node.target, scope)
        return (frame) => !truthy(target(frame))
      }
      case 'Neg':
      case 'Pos':
        return this.unary(node, scope)
      case 'Slice':
      case 'Target':
        return this.fail(node, `a ${node.typename.toLowerCase()} can't stand here`)
      default:
        return this.binary(node, scope)
    }
  }

  protected variable(node: Node<'Symbol'>, scope: Scope): Evaluate {
    const { value: name } = node
    const variable = scope.symbols.find(name)
    if (!variable) this.fail(node, `the name '${name}' can't be resolved here`)
    const read = readVariable(scope.owner, variable)
    return (frame) => {
      const value = read(frame)
      return value === undefined ? frame.context.undefined({ name, path: name }) : value
    }
  }

  private dict(node: Node<'Dict'>, scope: Scope): Evaluate {
    const pairs = node.children.map(
      ([key, value]) => [this.expr(key, scope), this.expr(value, scope)] as const,
    )
    return (frame) => {
      const dict = new Dict()
      for (const [key, value] of pairs) {
        const name = key(frame)
        dict.set(name, value(frame))
      }
      return dict
    }
  }

  private lookup(node: Node<'LookupVal'>, scope: Scope): Evaluate {
    const target = this.expr(node.target, scope)
    const path = pathOf(node)
    const { val } = node
    if (typeof val === 'string') {
      // Items of plain objects and the state of loops: most of what templates look up.
      const direct = !isDictAttribute(val)
      return (frame) => {
        try {
          const obj = target(frame)
          if (direct && isPlainDict(obj)) {
            const value = Object.hasOwn(obj, val) ? obj[val] : undefined
            if (value !== undefined) return value
          } else if (obj instanceof LoopContext) {
            const value = obj.attr(val)
            if (value !== undefined) return value
          }
          return lookupAttribute(frame.context, obj, val, path)
        } catch (error) {
          throw locate(error, node, this.name)
        }
      }
    }
    if (val.typename === 'Slice') return this.slice(val, target, scope)
    const key = this.expr(val, scope)
    return (frame) => {
      const obj = target(frame)
      try {
        return lookupItem(frame.context, obj, key(frame), path)
      } catch (error) {
        throw locate(error, node, this.name)
      }
    }
  }

  /** Tells at run time whether output is escaped where this is compiled. */
  protected escaping(): (frame: Frame) => boolean {
    const { autoescape, volatile } = this
    return volatile ? (frame) => frame.context.autoescape : () => autoescape
  }

  protected slice(node: Node<'Slice'>, target: Evaluate, scope: Scope): Evaluate {
    const part = (expr: Expr | null): Evaluate => (expr ? this.expr(expr, scope) : () => null)
    const [start, stop, step] = [part(node.start), part(node.stop), part(node.step)]
    return (frame) => getSlice(target(frame), start(frame), stop(frame), step(frame))
  }

  private unary(node: Node<'Neg' | 'Pos'>, scope: Scope): Evaluate {
    const target = this.expr(node.target, scope)
    const compute = node.typename === 'Neg' ? negate : positive
    return (frame) => compute(target(frame))
  }

  private binary(
    node: Node<'Add' | 'Sub' | 'Mul' | 'Div' | 'FloorDiv' | 'Mod' | 'Pow'>,
    scope: Scope,
  ): Evaluate {
    const [left, right] = [this.expr(node.left, scope), this.expr(node.right, scope)]
    const spelt = node.typename === 'Pow' && this.foldsAll([node.left]) && !this.foldsAll([node])
    const compute = spelt ? powerAsSpelt : BINARY[node.typename]!
    return (frame) => {
      const a = left(frame)
      const b = right(frame)
      try {
        return compute(a, b)
      } catch (error) {
        throw locate(error, node, this.name)
      }
    }
  }

  /** a < b < c: each operand is evaluated once, and none behind the first comparison that fails. */
  private compare(node: Node<'Compare'>, scope: Scope): Evaluate {
    const first = this.expr(node.expr, scope)
    const ops = node.ops.map(({ type, expr }) => ({ holds: COMPARE[type]!, operand: this.expr(expr, scope) }))
    if (ops.length === 1) {
      const { holds, operand } = ops[0]!
      return (frame) => {
        const value = first(frame)
        return holds(value, operand(frame))
      }
    }
    return (frame) => {
      let left = first(frame)
      for (const { holds, operand } of ops) {
        const right = operand(frame)
        if (!holds(left, right)) return false
        left = right
      }
      return true
    }
  }

  private concat(children: readonly Expr[], scope: Scope): Evaluate {
    const parts = children.map((child) => this.expr(child, scope))
    if (this.autoescape && !this.volatile && !this.foldsAll(children)) {
      return (frame) => {
        let result: Value = ''
        for (const part of parts) result = joinMarkup(result, softText(part(frame)))
        return result
      }
    }
    return (frame) => {
      let text = ''
      for (const part of parts) text += str(part(frame))
      spendLength(text.length)
      return text
    }
  }

  private inlineIf(node: Node<'InlineIf'>, scope: Scope): Evaluate {
    const condition = this.expr(node.cond, scope)
    const body = this.expr(node.body, scope)
    const otherwise: Evaluate = node.else_ ? this.expr(node.else_, scope) : () => NO_ELSE
    return (frame) => (truthy(condition(frame)) ? body(frame) : otherwise(frame))
  }
}

/** The value of `x if false`: Jinja2's default kind of undefined, also where it is strict otherwise. */
const NO_ELSE = new Undefined(false, {
  hint: 'the inline if-expression evaluated to false and no else section was defined.',
})

/** `a ~ b` where output is escaped: text that isn't HTML yet is escaped as soon as some is. */
const joinMarkup = (a: Value, b: Value): Value => {
  if (a instanceof Markup || b instanceof Markup) return markupAdd(toMarkup(a), b)!
  return add(a, b)
}
