/* Expressions: values and operators (operators.ts), calls, filters and tests. */

import { textMethod } from '../../python/attributes.ts'
import { DICT_METHODS } from '../../python/dict-methods.ts'
import { isDict } from '../../python/dicts.ts'
import type { Value } from '../../python/values.ts'
import { locate, typeError } from '../error.ts'
import { type CompiledArguments, callValue, compileArguments } from './calls.ts'
import { type Frame, runtimeError } from './context.ts'
import { filterNamed } from './filters/index.ts'
import { lookupAttribute } from './lookup.ts'
import type { Arguments, Expr, Node } from './nodes.ts'
import { OperatorCompiler } from './operators.ts'
import { pathOf } from './paths.ts'
import type { Evaluate, Scope } from './scope.ts'
import { testNamed } from './tests.ts'

export class ExpressionCompiler extends OperatorCompiler {
  protected arguments(args: Arguments, scope: Scope): CompiledArguments {
    return compileArguments(
      args.args.map((arg) => this.expr(arg, scope)),
      args.kwargs.map(({ key, value }) => ({ key, value: this.expr(value, scope) })),
      args.spread && this.expr(args.spread, scope),
      args.spreadNamed && this.expr(args.spreadNamed, scope),
    )
  }

  /** A call. `extra` adds keyword arguments: the caller of a call block. */
  protected override call(
    node: Node<'FunCall'>,
    scope: Scope,
    extra?: (frame: Frame) => [string, Value],
  ): Evaluate {
    const callee = this.callee(node.name, scope)
    const { positional, named } = this.arguments(node.args, scope)
    return (frame) => {
      try {
        const run = callee(frame)
        const args = positional(frame, [])
        const kwargs = named?.(frame)
        if (!extra) return run(args, kwargs)
        const [key, value] = extra(frame)
        if (kwargs?.has(key)) throw typeError(`got multiple values for keyword argument '${key}'`)
        return run(args, new Map([...(kwargs ?? []), [key, value]]))
      } catch (error) {
        throw locate(error, node, this.name)
      }
    }
  }

  /** What is called, found before the arguments are evaluated. Common methods need no bound method. */
  private callee(
    node: Expr,
    scope: Scope,
  ): (frame: Frame) => (args: Value[], kwargs?: Map<string, Value>) => Value {
    if (node.typename !== 'LookupVal' || typeof node.val !== 'string') {
      const evaluate = this.expr(node, scope)
      return (frame) => {
        const value = evaluate(frame)
        return (args, kwargs) => callValue(frame.context, value, args, kwargs)
      }
    }
    const name = node.val
    const target = this.expr(node.target, scope)
    const ofText = textMethod(name)
    const ofDict = Object.hasOwn(DICT_METHODS, name) ? DICT_METHODS[name] : undefined
    const path = pathOf(node)
    return (frame) => {
      const obj = target(frame)
      if (ofText && typeof obj === 'string') return (args, kwargs) => ofText(obj, args, kwargs)
      if (ofDict && isDict(obj)) return (args, kwargs) => ofDict(obj, args, kwargs)
      const value = lookupAttribute(frame.context, obj, name, path)
      return (args, kwargs) => callValue(frame.context, value, args, kwargs)
    }
  }

  /** A filter; `text` stands for the value where the filter is put on the text of a block. */
  protected override filter(node: Node<'Filter'>, scope: Scope, text?: Evaluate): Evaluate {
    const { name } = node
    const filter = filterNamed(name)
    if (!filter && !scope.soft) this.fail(node, `No filter named '${name}'.`)
    const target = node.target === null ? text! : this.filterTarget(node.target, scope, text)
    const { positional, named } = this.arguments(node.args, scope)
    return (frame) => {
      const value = target(frame)
      try {
        if (!filter) throw runtimeError(`No filter named '${name}' found.`)
        return filter(frame.context, positional(frame, [value]), named?.(frame))
      } catch (error) {
        throw locate(error, node, this.name)
      }
    }
  }

  /** In a chain of filters on a block's text, the innermost one gets the text. */
  private filterTarget(target: Expr, scope: Scope, text: Evaluate | undefined): Evaluate {
    return text && target.typename === 'Filter' ? this.filter(target, scope, text) : this.expr(target, scope)
  }

  protected override test(node: Node<'Test'>, scope: Scope): Evaluate {
    const { name } = node
    const test = testNamed(name)
    if (!test && !scope.soft) this.fail(node, `No test named '${name}'.`)
    const target = this.expr(node.target, scope)
    const { positional, named } = this.arguments(node.args, scope)
    return (frame) => {
      const value = target(frame)
      try {
        if (!test) throw runtimeError(`No test named '${name}' found.`)
        return test(frame.context, positional(frame, [value]), named?.(frame))
      } catch (error) {
        throw locate(error, node, this.name)
      }
    }
  }
}
