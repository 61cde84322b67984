/* Values and operators, compiled to closures: no code is generated. */
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
} from '../../python/arithmetic.ts'
import { isDictMethod } from '../../python/attributes.ts'
import { contains, equal, ordered } from '../../python/compare.ts'
import { Dict, isPlainDict } from '../../python/dict.ts'
import { spendLength } from '../../python/limits.ts'
import { str } from '../../python/print.ts'
import { getSlice } from '../../python/sequences.ts'
import { Tuple, truthy, type Value } from '../../python/values.ts'
import { assertionError, locate, notSupported, type Place } from '../error.ts'
import { lookupAttribute, lookupItem } from './lookup.ts'
import { type Expr, type Node, pathOf } from './nodes.ts'
import type { Evaluate, Frame, Scope } from './scope.ts'
import { Undefined } from './undefined.ts'

const BINARY: Record<string, (a: Value, b: Value) => Value> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '//': floorDivide,
  '%': modulo,
  '**': power,
}

const COMPARE: Record<string, (a: Value, b: Value) => boolean> = {
  '==': equal,
  '!=': (a, b) => !equal(a, b),
  '<': (a, b) => ordered(a, '<', b),
  '<=': (a, b) => ordered(a, '<=', b),
  '>': (a, b) => ordered(a, '>', b),
  '>=': (a, b) => ordered(a, '>=', b),
  in: (a, b) => contains(b, a),
  not: (a, b) => !contains(b, a),
}

const UNARY: Record<string, (value: Value) => Value> = {
  not: (value) => !truthy(value),
  '-': negate,
  '+': positive,
}

/** The value of `x if false`: Jinja2's default kind of undefined, also where it is strict otherwise. */
const NO_ELSE = new Undefined(false, {
  hint: 'the inline if-expression evaluated to false and no else section was defined.',
})

export abstract class OperatorCompiler {
  readonly name: string | undefined
  /** The names that are looked up in the context. */
  readonly free = new Set<string>()
  /** Within an `if`: unknown filters and tests are errors only when they are used. */
  protected soft = 0

  constructor(name: string | undefined) {
    this.name = name
  }

  protected fail(at: Place, reason: string): never {
    throw assertionError(reason).at(at, this.name)
  }

  protected at<T>(place: Place, run: (frame: Frame) => T): (frame: Frame) => T {
    const { name } = this
    return (frame) => {
      try {
        return run(frame)
      } catch (error) {
        throw locate(error, place, name)
      }
    }
  }

  protected softly<T>(run: () => T): T {
    this.soft++
    const result = run()
    this.soft--
    return result
  }

  expr(node: Expr, scope: Scope): Evaluate {
    switch (node.type) {
      case 'Literal': {
        const { value } = node
        return () => value
      }
      case 'Symbol':
        return this.symbol(node, scope)
      case 'List': {
        const items = this.all(node.items, scope)
        return (frame) => items.map((item) => item(frame))
      }
      case 'Tuple': {
        const items = this.all(node.items, scope)
        return (frame) => new Tuple(items.map((item) => item(frame)))
      }
      case 'Dict':
        return this.dict(node, scope)
      case 'Attribute':
        return this.attribute(node, scope)
      case 'Item':
        return this.item(node, scope)
      case 'Slice':
        return this.slice(node, scope)
      case 'Call':
        return this.call(node, scope)
      case 'Filter':
        return this.filter(node, scope)
      case 'Test':
        return this.test(node, scope)
      case 'If':
        return this.softly(() => this.inlineIf(node, scope))
      case 'Compare':
        return this.compare(node, scope)
      case 'Concat':
        return this.concat(node, scope)
      case 'Unary': {
        const target = this.expr(node.target, scope)
        const compute = UNARY[node.op]!
        return (frame) => compute(target(frame))
      }
      case 'Binary':
        return this.binary(node, scope)
      case 'NamespaceTarget':
        return this.fail(node, 'an attribute of a namespace can only be assigned to')
    }
  }

  protected abstract call(node: Node<'Call'>, scope: Scope): Evaluate
  protected abstract filter(node: Node<'Filter'>, scope: Scope): Evaluate
  protected abstract test(node: Node<'Test'>, scope: Scope): Evaluate

  protected all(nodes: readonly Expr[], scope: Scope): Evaluate[] {
    return nodes.map((node) => this.expr(node, scope))
  }

  private symbol({ name }: Node<'Symbol'>, scope: Scope): Evaluate {
    if (!scope.isSure(name)) this.free.add(name)
    const read = scope.reader(name)
    return (frame) => {
      const value = read(frame)
      return value === undefined ? frame.context.undefined({ name, path: name }) : value
    }
  }

  private dict(node: Node<'Dict'>, scope: Scope): Evaluate {
    const pairs = node.pairs.map(([key, value]) => [this.expr(key, scope), this.expr(value, scope)] as const)
    return (frame) => {
      const dict = new Dict()
      for (const [key, value] of pairs) {
        const name = key(frame)
        dict.set(name, value(frame))
      }
      return dict
    }
  }

  private attribute(node: Node<'Attribute'>, scope: Scope): Evaluate {
    const target = this.expr(node.target, scope)
    const path = pathOf(node)
    const { name } = node
    const isField = !isDictMethod(name)
    const file = this.name
    return (frame) => {
      try {
        const obj = target(frame)
        // Most of what templates look up, by the shortest way.
        if (isField && isPlainDict(obj) && Object.hasOwn(obj, name)) {
          const value = obj[name]
          if (value !== undefined) return value
        }
        return lookupAttribute(frame.context, obj, name, path)
      } catch (error) {
        throw locate(error, node, file)
      }
    }
  }

  private item(node: Node<'Item'>, scope: Scope): Evaluate {
    const [target, key] = [this.expr(node.target, scope), this.expr(node.key, scope)]
    const path = pathOf(node)
    return this.at(node, (frame) => lookupItem(frame.context, target(frame), key(frame), path))
  }

  private slice(node: Node<'Slice'>, scope: Scope): Evaluate {
    const target = this.expr(node.target, scope)
    const [start, stop, step] = [0, 1, 2].map((i): Evaluate => {
      const bound = node.bounds[i]
      return bound ? this.expr(bound, scope) : () => null
    }) as [Evaluate, Evaluate, Evaluate]
    return this.at(node, (frame) => getSlice(target(frame), start(frame), stop(frame), step(frame)))
  }

  private binary(node: Node<'Binary'>, scope: Scope): Evaluate {
    const [left, right] = [this.expr(node.left, scope), this.expr(node.right, scope)]
    if (node.op === 'and' || node.op === 'or') {
      const goesOn = node.op === 'and'
      return (frame) => {
        const value = left(frame)
        return truthy(value) === goesOn ? right(frame) : value
      }
    }
    // Jinja2 computes the sign of a constant first, or last, depending on what follows.
    if (node.op === '**' && node.left.type === 'Unary' && node.right.type !== 'Literal')
      throw notSupported('a signed base of ** (set a variable to it)').at(node, this.name)
    const compute = BINARY[node.op]!
    return this.at(node, (frame) => {
      const value = left(frame)
      return compute(value, right(frame))
    })
  }

  /** a < b < c: each operand is evaluated once, and none after the first comparison that fails. */
  private compare(node: Node<'Compare'>, scope: Scope): Evaluate {
    const first = this.expr(node.first, scope)
    const ops = node.ops.map(({ op, expr }) => ({ holds: COMPARE[op]!, operand: this.expr(expr, scope) }))
    const [{ holds, operand }] = ops as [(typeof ops)[0]]
    if (ops.length === 1) {
      return (frame) => {
        const left = first(frame)
        return holds(left, operand(frame))
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

  private concat({ items }: Node<'Concat'>, scope: Scope): Evaluate {
    const parts = this.all(items, scope)
    return (frame) => {
      let text = ''
      for (const part of parts) text += str(part(frame))
      spendLength(text.length)
      return text
    }
  }

  private inlineIf(node: Node<'If'>, scope: Scope): Evaluate {
    const [cond, then] = [this.expr(node.cond, scope), this.expr(node.value, scope)]
    const otherwise: Evaluate = node.otherwise ? this.expr(node.otherwise, scope) : () => NO_ELSE
    return (frame) => (truthy(cond(frame)) ? then(frame) : otherwise(frame))
  }
}
