/* The semantics of expressions, and their compiler. */
import { assertionError, locate, type Place, unsupported } from '../../python/error.ts'
import type { Value } from '../../python/values.ts'
import type { Expr, Node } from './nodes.ts'
import type { Evaluate, Frame, Render, Scope } from './scope.ts'

/** What operators and values mean: see expressions.ts. */
export interface Semantics {
  readonly expressions: { [K in Expr['type']]?: Compile<Node<K>> }
  readonly binary: Record<string, (a: Value, b: Value) => Value>
  readonly compare: Record<string, (a: Value, b: Value) => boolean>
  readonly unary: Record<string, (value: Value) => Value>
  truthy(value: Value): boolean
  /** The output of `{{ expression }}`. */
  print(value: Value, of: Expr, render: Render): string
  /** The value of `x if false`. */
  readonly noElse: Value
}

/** Jinja2's own filters and functions that are refused by name. */
export const REFUSED = new Set(['pprint', 'striptags', 'urlize', 'lipsum'])

export class ExpressionCompiler {
  readonly name: string | undefined
  readonly semantics: Semantics
  /** The names that are looked up in the context. */
  readonly free = new Set<string>()

  constructor(name: string | undefined, semantics: Semantics) {
    this.name = name
    this.semantics = semantics
  }

  fail(at: Place, reason: string): never {
    throw assertionError(reason).at(at, this.name)
  }

  /** Adds a place to the errors of a function. */
  at<T>(place: Place, run: (frame: Frame) => T): (frame: Frame) => T {
    const { name } = this
    return (frame) => {
      try {
        return run(frame)
      } catch (error) {
        throw locate(error, place, name)
      }
    }
  }

  expr(node: Expr, scope: Scope): Evaluate {
    const compile = this.semantics.expressions[node.type] as Compile<Expr> | undefined
    if (!compile) throw unsupported(`${node.type} in this language`).at(node, this.name)
    return compile(this, node, scope)
  }

  all(nodes: readonly Expr[], scope: Scope): Evaluate[] {
    return nodes.map((node) => this.expr(node, scope))
  }

  /** The filter or test of a node. */
  named<T>(node: Node<'Filter' | 'Test'>, found: T | undefined): T {
    const what = node.type === 'Filter' ? 'filter' : 'test'
    if (found) return found
    if (REFUSED.has(node.name)) throw unsupported(`the ${what} ${node.name}`).at(node, this.name)
    return this.fail(node, `No ${what} named '${node.name}'.`)
  }
}

export type Compile<N> = (compiler: ExpressionCompiler, node: N, scope: Scope, extra?: Evaluate) => Evaluate
