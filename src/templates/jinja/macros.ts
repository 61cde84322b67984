/* macro and the body of a call block. */
import { spend } from '../../python/limits.ts'
import type { Value } from '../../python/values.ts'
import { notSupported } from '../error.ts'
import { costOf } from './assignment.ts'
import { LoopCompiler } from './loops.ts'
import { type Node, namesRead } from './nodes.ts'
import { Macro } from './objects.ts'
import { type Evaluate, Frame, Scope } from './scope.ts'

const SPECIAL = ['caller', 'kwargs', 'varargs']

export abstract class MacroCompiler extends LoopCompiler {
  /** Makes the macro in the frame it stands in. */
  protected macro(node: Node<'Macro' | 'CallBlock'>, outer: Scope): Evaluate {
    const { params, defaults } = node
    const { checked } = this
    this.checked = false
    const used = namesRead(node.body, SPECIAL)
    if (
      used.has('caller') &&
      params.includes('caller') &&
      params.indexOf('caller') < params.length - defaults.length
    )
      this.fail(node, 'the special "caller" argument must be omitted or be given a default.')
    const special = new Set(SPECIAL.filter((name) => used.has(name) && !params.includes(name)))
    const scope = new Scope(outer, false, true)
    const slots = [...params, ...special].map((name) => scope.assign(name))
    const fallbacks = params.map((name, i): Evaluate => {
      const fallback = defaults[i - params.length + defaults.length]
      if (fallback && namesRead([fallback], params.slice(i)).size > 0)
        throw notSupported("a parameter's default that reads itself or a later parameter").at(node, this.name)
      if (fallback) return this.expr(fallback, scope)
      return ({ context }) => context.undefined({ hint: `parameter '${name}' was not provided`, name })
    })
    scope.declareAll(node.body)
    const body = this.body(node.body, scope)
    // A call takes as long as several turns of a loop.
    const cost = 4 + costOf(node.body)
    this.checked = checked
    const run = (outerFrame: Frame, values: (Value | undefined)[]): string => {
      spend(cost)
      const { context, render } = outerFrame
      const frame = new Frame(scope.owner.slots, context, outerFrame)
      return render.nested(() => {
        slots.forEach((slot, i) => {
          frame.slots[slot] = values[i]
        })
        fallbacks.forEach((fallback, i) => {
          frame.slots[slots[i]!] ??= values[i] === undefined ? fallback(frame) : null
        })
        return render.capture(() => body(frame))
      })
    }
    const name = node.type === 'Macro' ? node.name : undefined
    return (frame) => new Macro({ name, params, special, run: (values) => run(frame, values) }, frame.context)
  }
}
