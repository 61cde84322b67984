/* Calls, filters and tests, compiled to closures. */
import { typeError } from '../../python/error.ts'
import { notSupported, runtimeError } from '../error.ts'
import { filterNamed } from './filters/index.ts'
import { callable, callableAttribute, compileArguments } from './lookup.ts'
import { type Arguments, type Node, pathOf } from './nodes.ts'
import { OperatorCompiler } from './operators.ts'
import type { Evaluate, Scope } from './scope.ts'
import { testNamed } from './tests.ts'

/** What Jinja2's own filters and functions are, which are refused by name. */
const REFUSED = new Set(['pprint', 'striptags', 'urlize', 'lipsum'])

export class ExpressionCompiler extends OperatorCompiler {
  protected arguments({ args, kwargs, spread, spreadNamed }: Arguments, scope: Scope) {
    return compileArguments(
      this.all(args, scope),
      kwargs.map(({ key, value }) => ({ key, value: this.expr(value, scope) })),
      spread && this.expr(spread, scope),
      spreadNamed && this.expr(spreadNamed, scope),
    )
  }

  /** A call; what is called is found before the arguments are. `caller` makes the macro of a call block. */
  protected override call(node: Node<'Call'>, scope: Scope, caller?: Evaluate): Evaluate {
    const { callee } = node
    if (callee.type === 'Symbol' && REFUSED.has(callee.name) && !scope.isSure(callee.name))
      throw notSupported(`${callee.name}()`).at(node, this.name)
    const method = callee.type === 'Attribute' ? callee : undefined
    const target = this.expr(method ? method.target : callee, scope)
    const path = pathOf(callee)
    const { positional, named } = this.arguments(node.args, scope)
    return this.at(node, (frame) => {
      const value = target(frame)
      const run = method ? callableAttribute(frame.context, value, method.name, path) : callable(value)
      const args = positional(frame, [])
      const kwargs = named?.(frame)
      if (!caller) return run(args, kwargs)
      if (kwargs?.has('caller')) throw typeError("got multiple values for keyword argument 'caller'")
      return run(args, new Map([...(kwargs ?? []), ['caller', caller(frame)]]))
    })
  }

  /** A filter; `text` stands for the value where the filter is put on the text of a block. */
  protected override filter(node: Node<'Filter'>, scope: Scope, text?: Evaluate): Evaluate {
    const { name } = node
    const filter = filterNamed(name)
    if (!filter && REFUSED.has(name)) throw notSupported(`the filter ${name}`).at(node, this.name)
    if (!filter && !this.soft) this.fail(node, `No filter named '${name}'.`)
    // In a chain of filters on a block's text, the innermost one gets the text.
    const target =
      node.target === undefined
        ? text!
        : text && node.target.type === 'Filter'
          ? this.filter(node.target, scope, text)
          : this.expr(node.target, scope)
    const { positional, named } = this.arguments(node.args, scope)
    return this.at(node, (frame) => {
      const value = target(frame)
      if (!filter) throw runtimeError(`No filter named '${name}' found.`)
      return filter(frame.context, positional(frame, [value]), named?.(frame))
    })
  }

  protected override test(node: Node<'Test'>, scope: Scope): Evaluate {
    const { name } = node
    const test = testNamed(name)
    if (!test && !this.soft) this.fail(node, `No test named '${name}'.`)
    const target = this.expr(node.target, scope)
    const { positional, named } = this.arguments(node.args, scope)
    return this.at(node, (frame) => {
      const value = target(frame)
      if (!test) throw runtimeError(`No test named '${name}' found.`)
      return test(frame.context, positional(frame, [value]), named?.(frame))
    })
  }
}
