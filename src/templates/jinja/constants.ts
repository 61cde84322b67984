/*
 * What Jinja2 computes when it compiles. Mostly that can't be told from computing it later; where it can, it
 * is done here: a part of `or`, `and` or an inline `if` that is never reached isn't looked at, and what
 * can't be sliced is undefined instead of an error.
 */

import { dictEntries, isDict } from '../../python/dicts.ts'
import { NeedsCopy } from '../../python/ownership.ts'
import { Range } from '../../python/range.ts'
import { getSlice } from '../../python/subscripts.ts'
import { Float, Markup, Obj, Tuple, type Value } from '../../python/values.ts'
import { Context, Frame, Render, templateNotFound } from './context.ts'
import { ExpressionCompiler } from './expressions.ts'
import { filterNamed } from './filters/index.ts'
import { orUndefined } from './lookup.ts'
import type { Expr, Node } from './nodes.ts'
import type { Evaluate, Scope } from './scope.ts'
import { testNamed } from './tests.ts'
import { walk } from './walk.ts'

/** Filters that look at the context, so that Jinja2 leaves them for later. */
const CONTEXT_FILTERS = new Set(['map', 'random', 'reject', 'rejectattr', 'select', 'selectattr'])

/** Nodes that Jinja2 doesn't try to compute unless they are printed. */
const NOT_TRIED = new Set(['Literal', 'Symbol', 'Target', 'Tuple', 'Array', 'Dict', 'Slice'])

/** Thrown where something can only be computed when the template runs. */
class Impossible extends Error {}

const impossible: Evaluate = () => {
  throw new Impossible('not a constant')
}

const isUnknown = (node: Node): boolean =>
  (node.typename === 'Filter' && !filterNamed(node.name)) ||
  (node.typename === 'Test' && !testNamed(node.name))

/** Whether it makes a difference when an expression is computed. */
const matters = (node: Expr): boolean => {
  let found = false
  walk([node], (each) => {
    if (each.typename === 'Slice' || isUnknown(each)) found = true
    return !found
  })
  return found
}

/** Whether all of an expression is computed beforehand: nothing in it is read or called. */
export const isConstant = (node: Expr): boolean => {
  let constant = true
  walk([node], (each) => {
    if (each.typename === 'Symbol' || each.typename === 'FunCall') constant = false
    if (each.typename === 'Filter' && CONTEXT_FILTERS.has(each.name)) constant = false
    return constant
  })
  return constant
}

/** What the value of a constant may depend on. */
export interface Settings {
  autoescape: boolean
  /** Whether undefined values are of the strict kind. */
  strict: boolean
  /** Escaping is only known when the template runs: filters and tests are left for then. */
  volatile: boolean
}

/**
 * The expression as a constant, if Jinja2 takes it for one and that matters. `printed` says that it is
 * printed as it is, when any value will do.
 */
export const asConstant = (
  node: Expr,
  scope: Scope,
  settings: Settings,
  printed: boolean,
): Evaluate | undefined => {
  if ((!printed && NOT_TRIED.has(node.typename)) || !(settings.volatile || matters(node))) return undefined
  const { autoescape, strict } = settings
  const render = new Render(strict, (name) => {
    throw templateNotFound(name)
  })
  const context = new Context(render, undefined, () => undefined)
  context.escaping = autoescape
  const evaluate = new ConstantCompiler(settings).expr(node, { ...scope, soft: true })
  try {
    const value = evaluate(new Frame(0, context))
    return printed || isSafe(value) ? evaluate : undefined
  } catch (error) {
    if (error instanceof NeedsCopy) throw error
    return undefined
  }
}

/** Values that Python's code can spell out. */
const isSafe = (value: Value): boolean => {
  if (Array.isArray(value)) return value.every(isSafe)
  if (value instanceof Tuple) return value.items.every(isSafe)
  if (isDict(value)) return dictEntries(value).every(([key, each]) => isSafe(key) && isSafe(each))
  return (
    !(value instanceof Obj) || value instanceof Float || value instanceof Markup || value instanceof Range
  )
}

class ConstantCompiler extends ExpressionCompiler {
  constructor({ autoescape, strict, volatile }: Settings) {
    super(undefined, strict)
    this.autoescape = autoescape
    this.volatile = volatile
  }

  protected override variable(): Evaluate {
    return impossible
  }

  protected override call(): Evaluate {
    return impossible
  }

  protected override filter(node: Node<'Filter'>, scope: Scope): Evaluate {
    if (this.volatile || CONTEXT_FILTERS.has(node.name) || isUnknown(node)) return impossible
    return super.filter(node, scope)
  }

  protected override test(node: Node<'Test'>, scope: Scope): Evaluate {
    return this.volatile || isUnknown(node) ? impossible : super.test(node, scope)
  }

  protected override slice(node: Node<'Slice'>, target: Evaluate, scope: Scope): Evaluate {
    const [start, stop, step] = [node.start, node.stop, node.step].map(
      (part): Evaluate => (part ? this.expr(part, scope) : () => null),
    )
    return (frame) => {
      const obj = target(frame)
      const value = orUndefined(() => getSlice(obj, start!(frame), stop!(frame), step!(frame)))
      return value === undefined ? frame.context.undefined({ of: obj, name: null }) : value
    }
  }
}
