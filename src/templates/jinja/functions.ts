/* Macros and call blocks. */

import { textOf, typeName, type Value } from '../../python/values.ts'
import { locate, typeError } from '../error.ts'
import { spend } from '../limits.ts'
import { asConstant, isConstant } from './constants.ts'
import { type Context, Frame } from './context.ts'
import { ExpressionCompiler } from './expressions.ts'
import { Macro, type MacroDefinition } from './macro.ts'
import type { Expr, Node, Statement } from './nodes.ts'
import { type Evaluate, type Execute, nothing, type Scope } from './scope.ts'
import { FunctionScope, Symbols, type Variable } from './symbols.ts'
import { countNodes, findUndeclared } from './walk.ts'

const SPECIAL = ['caller', 'kwargs', 'varargs'] as const

/** A parameter: its slot, and the value it has when none is given. */
interface Parameter {
  name: string
  slot: number
  fallback: Evaluate | undefined
}

export abstract class FunctionCompiler extends ExpressionCompiler {
  abstract body(statements: readonly Statement[], scope: Scope): Execute

  protected override constant(node: Expr, scope: Scope): Evaluate | undefined {
    return this.volatile ? undefined : asConstant(node, scope, this, false)
  }

  protected override foldsAll(nodes: readonly Expr[]): boolean {
    return nodes.every(isConstant)
  }

  /** Compiles a macro or the body of a call block; the result makes the macro in the frame it stands in. */
  protected macro(node: Node<'Macro' | 'CallBlock'>, outer: Scope): (frame: Frame) => Macro {
    const owner = new FunctionScope(outer.owner)
    const symbols = new Symbols(owner, outer.symbols)
    const inside = [...node.params, ...node.defaults, ...node.body]
    symbols.analyzeAll(inside)
    const params = node.params.map(({ value }) => value)
    const used = findUndeclared(node.body, SPECIAL)
    if (used.has('caller') && params.includes('caller') && !hasDefault(node, 'caller')) {
      this.fail(node, 'the special "caller" argument must be omitted or be given a default.')
    }
    const extra = SPECIAL.filter((name) => used.has(name) && !params.includes(name))
    const extraVariables = extra.map((name) => symbols.param(name))
    symbols.analyzeAll(inside)

    const scope: Scope = {
      symbols,
      owner,
      toplevel: false,
      rootlevel: false,
      soft: false,
      outputCheck: false,
    }
    const parameters = node.params.map((param, i): Parameter => {
      const fallback = node.defaults[i - node.params.length + node.defaults.length]
      const { slot } = symbols.find(param.value)!
      return { name: param.value, slot, fallback: fallback && this.expr(fallback, scope) }
    })
    const run = this.runner(node, scope, parameters, extraVariables)
    const signature: Omit<MacroDefinition, 'run'> = {
      name: node.typename === 'Macro' ? node.name : null,
      params,
      catchKwargs: extra.includes('kwargs'),
      catchVarargs: extra.includes('varargs'),
      caller: used.has('caller'),
    }
    return (frame) => new Macro({ ...signature, run: (values) => run(frame, values) }, frame.context)
  }

  private runner(
    node: Node<'Macro' | 'CallBlock'>,
    scope: Scope,
    parameters: Parameter[],
    extra: Variable[],
  ) {
    const { owner } = scope
    const enter = this.enter(scope) ?? nothing
    const body = this.body(node.body, scope)
    const cost = 1 + (countNodes(node.body) >> 3)
    return (outer: Frame, values: (Value | undefined)[]): string => {
      spend(cost)
      const { context, render } = outer
      const frame = new Frame(owner.slots, context, outer)
      return render.nested(() => {
        enter(frame)
        parameters.forEach(({ slot }, i) => {
          frame.slots[slot] = values[i]
        })
        extra.forEach(({ slot }, i) => {
          frame.slots[slot] = values[parameters.length + i]
        })
        for (const parameter of parameters) this.fillIn(parameter, frame, context)
        return render.capture(() => body(frame))
      })
    }
  }

  private fillIn({ name, slot, fallback }: Parameter, frame: Frame, context: Context): void {
    if (frame.slots[slot] !== undefined) return
    frame.slots[slot] = fallback
      ? fallback(frame)
      : context.undefined({ hint: `parameter '${name}' was not provided`, name })
  }

  protected callBlock(node: Node<'CallBlock'>, scope: Scope): Execute {
    const make = this.macro(node, scope)
    const call = this.call(node.call, scope, (frame) => ['caller', make(frame)])
    return (frame) => {
      try {
        frame.render.write(needOutput(call(frame)))
      } catch (error) {
        throw locate(error, node, this.name)
      }
    }
  }
}

/** The text of a filter block or call block: Jinja2 joins it as it is, so it must be a str. */
export const needOutput = (value: Value): string => {
  const text = textOf(value)
  if (text === undefined) throw typeError(`expected str instance, ${typeName(value)} found`)
  return text
}

const hasDefault = (
  { params, defaults }: { params: Node<'Target'>[]; defaults: Expr[] },
  name: string,
): boolean => params.findIndex(({ value }) => value === name) >= params.length - defaults.length
