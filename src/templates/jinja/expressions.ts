/* Compiles expressions to closures. */
import * as math from '../../python/arithmetic.ts'
import { contains, equal, ordered } from '../../python/arithmetic.ts'
import { methodNamed } from '../../python/attributes.ts'
import { Dict } from '../../python/dict.ts'
import { typeError, unsupported } from '../../python/error.ts'
import { spend, spendLength } from '../../python/limits.ts'
import { str } from '../../python/print.ts'
import { getSlice } from '../../python/sequences.ts'
import { type Kwargs, Obj, Tuple, truthy, typeName, type Value } from '../../python/values.ts'
import type { Filter } from './filters/filter.ts'
import { filterNamed, testNamed } from './filters/index.ts'
import { lookupAttribute, lookupItem } from './lookup.ts'
import { LoopContext, loopAttribute } from './loop.ts'
import { type Arguments, type Expr, type Node, pathOf } from './nodes.ts'
import type { Evaluate, Frame, Scope } from './scope.ts'
import { type Compile, type ExpressionCompiler, REFUSED, type Semantics } from './semantics.ts'
import { NO_ELSE } from './undefined.ts'

const BINARY: Semantics['binary'] = {
  '+': math.add,
  '-': math.subtract,
  '*': math.multiply,
  '/': math.divide,
  '//': math.floorDivide,
  '%': math.modulo,
  '**': math.power,
}

const COMPARE: Semantics['compare'] = {
  '==': equal,
  '!=': (a, b) => !equal(a, b),
  '<': (a, b) => ordered(a, '<', b),
  '<=': (a, b) => ordered(a, '<=', b),
  '>': (a, b) => ordered(a, '>', b),
  '>=': (a, b) => ordered(a, '>=', b),
  in: (a, b) => contains(b, a),
  not: (a, b) => !contains(b, a),
}

const UNARY: Semantics['unary'] = {
  not: (value) => !truthy(value),
  '-': math.negate,
  '+': math.positive,
}

/** The positional arguments, after those in `before`, and the keyword arguments. */
const compileArguments = (compiler: ExpressionCompiler, node: Arguments, scope: Scope) => {
  const args = compiler.all(node.args, scope)
  const positional = (frame: Frame, before: Value[]): Value[] => {
    for (let i = 0; i < args.length; i++) before.push(args[i]!(frame))
    return before
  }
  const kwargs = node.kwargs.map(({ key, value }) => ({ key, value: compiler.expr(value, scope) }))
  const named = (frame: Frame): Kwargs | undefined =>
    kwargs.length === 0 ? undefined : new Map(kwargs.map(({ key, value }) => [key, value(frame)]))
  return { positional, named }
}

/** A call; the function is looked up before the arguments. `caller` makes the macro of a call block. */
export const compileCall: Compile<Node<'Call'>> = (compiler, node, scope, caller) => {
  const { callee } = node
  if (callee.type === 'Symbol' && REFUSED.has(callee.name) && !scope.isAssigned(callee.name))
    throw unsupported(`${callee.name}()`).at(node, compiler.name)
  const method = callee.type === 'Attribute' ? callee : undefined
  const target = compiler.expr(method ? method.target : callee, scope)
  const path = pathOf(callee)
  const { positional, named } = compileArguments(compiler, node.args, scope)
  return compiler.at(node, (frame) => {
    const value = target(frame)
    spend(1)
    // Methods are called without creating a bound method.
    const direct = method && methodNamed(value, method.name)
    const found = method && !direct ? lookupAttribute(frame.render, value, method.name, path) : value
    if (!direct && !(found instanceof Obj && found.call))
      throw typeError(`'${typeName(found)}' object is not callable`)
    const args = positional(frame, [])
    let kwargs = named(frame)
    if (caller) {
      if (kwargs?.has('caller')) throw typeError("got multiple values for keyword argument 'caller'")
      kwargs = new Map([...(kwargs ?? []), ['caller', caller(frame)]])
    }
    return direct ? direct(value as never, args, kwargs) : (found as Obj).call!(args, kwargs)
  })
}

/** A filter or a test on a value. */
const compileApplied =
  (find: (name: string) => Filter | undefined): Compile<Node<'Filter' | 'Test'>> =>
  (compiler, node, scope) => {
    const run = compiler.named(node, find(node.name))
    const target = compiler.expr(node.target, scope)
    const { positional, named } = compileArguments(compiler, node.args, scope)
    return compiler.at(node, (frame) => run(frame.render, positional(frame, [target(frame)]), named(frame)))
  }

/** Compilers by type of expression. */
const EXPRESSIONS = {
  Literal: (_compiler, { value }) => {
    return () => value
  },
  Symbol: (compiler, at, scope) => {
    const { name } = at
    if (!scope.isAssigned(name)) compiler.free.add(name)
    const read = scope.reader(name)
    return (frame) => {
      const value = read(frame)
      return value === undefined ? frame.render.undefined({ name, path: name }) : value
    }
  },
  List: (compiler, node, scope) => {
    const items = compiler.all(node.items, scope)
    return (frame) => items.map((item) => item(frame))
  },
  Tuple: (compiler, node, scope) => {
    const items = compiler.all(node.items, scope)
    return (frame) => new Tuple(items.map((item) => item(frame)))
  },
  Dict: (compiler, node, scope) => {
    const pairs = node.pairs.map((pair) => compiler.all(pair, scope) as [Evaluate, Evaluate])
    return (frame) => {
      const dict = new Dict()
      for (const [key, value] of pairs) dict.set(key(frame), value(frame))
      return dict
    }
  },
  Attribute: (compiler, node, scope) => {
    const target = compiler.expr(node.target, scope)
    const path = pathOf(node)
    const { name } = node
    const ofLoop = loopAttribute(name)
    return compiler.at(node, (frame) => {
      const obj = target(frame)
      // The most frequent one first.
      return ofLoop && obj instanceof LoopContext
        ? ofLoop(obj)
        : lookupAttribute(frame.render, obj, name, path)
    })
  },
  Item: (compiler, node, scope) => {
    const [target, key] = [compiler.expr(node.target, scope), compiler.expr(node.key, scope)]
    const path = pathOf(node)
    return compiler.at(node, (frame) => lookupItem(frame.render, target(frame), key(frame), path))
  },
  Slice: (compiler, node, scope) => {
    const target = compiler.expr(node.target, scope)
    const bounds = [0, 1, 2].map((i) => node.bounds[i] && compiler.expr(node.bounds[i], scope))
    return compiler.at(node, (frame) => {
      const value = target(frame)
      const [start, stop, step] = bounds.map((bound) => bound?.(frame) ?? null)
      return getSlice(value, start!, stop!, step!)
    })
  },
  Call: compileCall,
  Filter: compileApplied(filterNamed),
  Test: compileApplied(testNamed),
  If: (compiler, node, scope) => {
    const [cond, then] = [compiler.expr(node.cond, scope), compiler.expr(node.value, scope)]
    const { noElse, truthy } = compiler.semantics
    const otherwise: Evaluate = node.otherwise ? compiler.expr(node.otherwise, scope) : () => noElse
    return (frame) => (truthy(cond(frame)) ? then(frame) : otherwise(frame))
  },
  /** a < b < c: evaluates each operand once, up to the first comparison that fails. */
  Compare: (compiler, node, scope) => {
    const first = compiler.expr(node.first, scope)
    const ops = node.ops.map(({ op, expr }) => ({
      holds: compiler.semantics.compare[op]!,
      operand: compiler.expr(expr, scope),
    }))
    const [{ holds, operand }] = ops as [(typeof ops)[0]]
    if (ops.length === 1) return (frame) => holds(first(frame), operand(frame))
    return (frame) => {
      let left = first(frame)
      return ops.every((each) => {
        const right = each.operand(frame)
        const result = each.holds(left, right)
        left = right
        return result
      })
    }
  },
  Concat: (compiler, node, scope) => {
    const parts = compiler.all(node.items, scope)
    return (frame) => {
      let text = ''
      for (const part of parts) text += str(part(frame))
      spendLength(text.length)
      return text
    }
  },
  Unary: (compiler, node, scope) => {
    const target = compiler.expr(node.target, scope)
    const compute = compiler.semantics.unary[node.op]!
    return (frame) => compute(target(frame))
  },
  Binary: (compiler, node, scope) => {
    const [left, right] = [compiler.expr(node.left, scope), compiler.expr(node.right, scope)]
    if (node.op === 'and' || node.op === 'or') {
      const continues = node.op === 'and'
      const { truthy } = compiler.semantics
      return (frame) => {
        const value = left(frame)
        return truthy(value) === continues ? right(frame) : value
      }
    }
    // Whether Jinja2 applies the sign before or after the power depends on the exponent.
    const signed = node.op === '**' && node.left.type === 'Unary' && node.right.type !== 'Literal'
    if (signed) throw unsupported('a signed base of ** (set a variable to it)').at(node, compiler.name)
    const compute = compiler.semantics.binary[node.op]!
    return compiler.at(node, (frame) => compute(left(frame), right(frame)))
  },
  NamespaceTarget: (compiler, node) =>
    compiler.fail(node, 'an attribute of a namespace can only be assigned to'),
} satisfies { [K in Expr['type']]: Compile<Node<K>> } as Required<Semantics['expressions']>

export const JINJA: Semantics & { expressions: Required<Semantics['expressions']> } = {
  expressions: EXPRESSIONS,
  binary: BINARY,
  compare: COMPARE,
  unary: UNARY,
  truthy,
  print: str,
  noElse: NO_ELSE,
}
