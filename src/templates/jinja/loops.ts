/* for. */

import { iterate, unpack } from '../../python/iterate.ts'
import { DONE, Iterator, Markup, type Next, Tuple, truthy, type Value } from '../../python/values.ts'
import { locate } from '../error.ts'
import { spend } from '../limits.ts'
import { Frame, runtimeError } from './context.ts'
import { FunctionCompiler } from './functions.ts'
import { LoopContext } from './loop-context.ts'
import type { Node, Target } from './nodes.ts'
import { Namespace } from './objects.ts'
import { type Execute, leaveScope, nothing, readVariable, type Scope, type WriteSlot } from './scope.ts'
import { FunctionScope, Symbols } from './symbols.ts'
import { countNodes, findAll, findUndeclared } from './walk.ts'

/** What a loop is made of. `start` gives the iteration over a value, filtered if the loop has an `if`. */
interface LoopParts {
  start(frame: Frame, iterable: Value): Value
  assign: WriteSlot
  /** Keeps `loop`, where the loop's body uses it. */
  setLoop: WriteSlot | undefined
  body: Execute
  leave: Execute
  otherwise: Execute | undefined
  cost: number
}

export abstract class LoopCompiler extends FunctionCompiler {
  /** Assigns to a name, a tuple of names or an attribute of a namespace. */
  protected target(target: Target, scope: Scope): WriteSlot {
    if (target.typename === 'Tuple') {
      const parts = target.children.map((child) => this.target(child as Target, scope))
      return (frame, value) => {
        const items = unpack(value!, parts.length)
        for (let i = 0; i < parts.length; i++) parts[i]!(frame, items[i])
      }
    }
    const variable = scope.symbols.find(target.value)
    if (!variable) this.fail(target, `the name '${target.value}' can't be resolved here`)
    if (target.typename === 'Target') {
      const { slot } = variable
      return (frame, value) => {
        frame.slots[slot] = value
      }
    }
    const read = readVariable(scope.owner, variable)
    const { attribute } = target
    return (frame, value) => {
      const namespace = read(frame)
      if (!(namespace instanceof Namespace))
        throw runtimeError('cannot assign attribute on non-namespace object')
      namespace.values.set(attribute, value!)
    }
  }

  protected loop(node: Node<'For'>, outer: Scope): Execute {
    for (const target of findAll([node], 'Target')) {
      if (target.value === 'loop' && !target.param) {
        this.fail(target, "Can't assign to special loop variable in for-loop target")
      }
    }
    const iterable = this.expr(node.arr, outer)
    const run = this.loopRunner(node, outer)
    return (frame) => {
      let value: Value
      try {
        value = iterable(frame)
      } catch (error) {
        throw locate(error, node.arr, this.name)
      }
      run(frame, value)
    }
  }

  private loopRunner(node: Node<'For'>, outer: Scope): (frame: Frame, iterable: Value) => void {
    const owner = node.recursive ? new FunctionScope(outer.owner) : outer.owner
    const parts = this.loopParts(node, outer, owner)
    if (!node.recursive) {
      return (frame, iterable) => {
        const start = parts.start(frame, iterable)
        const loop = parts.setLoop && new LoopContext(start, this.iterateAt(node, start), frame.context)
        this.goRound(node, frame, parts, loop, loop ? () => loop.step() : this.iterateAt(node, start))
      }
    }
    const escaped = this.escaping()
    const render = (outerFrame: Frame, iterable: Value, depth: number): string =>
      outerFrame.render.nested(() => {
        const frame = new Frame(owner.slots, outerFrame.context, outerFrame)
        const start = parts.start(frame, iterable)
        const again = (value: Value, deeper: number): Value => {
          const text = render(outerFrame, value, deeper)
          return escaped(frame) ? new Markup(text) : text
        }
        const loop = new LoopContext(start, this.iterateAt(node, start), frame.context, again, depth)
        return frame.render.capture(() => this.goRound(node, frame, parts, loop, () => loop.step()))
      })
    return (frame, iterable) => frame.render.write(render(frame, iterable, 0))
  }

  private iterateAt(node: Node<'For'>, value: Value): Next {
    try {
      return iterate(value)
    } catch (error) {
      throw locate(error, node.arr, this.name)
    }
  }

  private goRound(
    node: Node<'For'>,
    frame: Frame,
    parts: LoopParts,
    loop: LoopContext | undefined,
    next: Next,
  ): void {
    let empty = true
    try {
      for (let item = next(); item !== DONE; item = next()) {
        spend(parts.cost)
        parts.assign(frame, item)
        if (loop) parts.setLoop!(frame, loop)
        parts.body(frame)
        empty = false
      }
    } catch (error) {
      throw locate(error, node, this.name)
    }
    parts.leave(frame)
    if (empty) parts.otherwise?.(frame)
  }

  private loopParts(node: Node<'For'>, outer: Scope, owner: FunctionScope): LoopParts {
    const inner = (): Scope => ({
      ...outer,
      owner,
      symbols: new Symbols(owner, outer.symbols),
      toplevel: false,
      rootlevel: false,
      soft: false,
    })
    const scope = inner()
    const extended =
      node.recursive ||
      findUndeclared(node.body, ['loop']).size > 0 ||
      findAll([node], 'Block').some((block) => block.scoped)
    const loopSlot = extended ? scope.symbols.param('loop').slot : undefined
    scope.symbols.analyzeLoopTarget(node.name)
    scope.symbols.analyzeAll(node.body)
    const assign = this.target(node.name, scope)
    const enter = this.enter(scope)
    const run = this.body(node.body, scope)
    return {
      start: this.loopStart(node, inner()),
      assign,
      setLoop:
        loopSlot === undefined
          ? undefined
          : (frame, loop) => {
              frame.slots[loopSlot] = loop
            },
      body: enter
        ? (frame) => {
            enter(frame)
            run(frame)
          }
        : run,
      leave: leaveScope(scope),
      otherwise: node.else_.length > 0 ? this.otherwise(node, inner()) : undefined,
      cost: 1 + (countNodes(node.body) >> 3),
    }
  }

  private otherwise(node: Node<'For'>, scope: Scope): Execute {
    scope.symbols.analyzeAll(node.else_)
    const enter = this.enter(scope) ?? nothing
    const run = this.body(node.else_, scope)
    const leave = leaveScope(scope)
    return (frame) => {
      enter(frame)
      run(frame)
      leave(frame)
    }
  }

  /** Without an `if` a loop goes over the value itself, else over a generator of what passes. */
  private loopStart(node: Node<'For'>, scope: Scope): LoopParts['start'] {
    if (!node.test) return (_frame, iterable) => iterable
    scope.symbols.analyzeLoopTarget(node.name)
    scope.symbols.analyzeAll([node.test])
    const assign = this.target(node.name, scope)
    const enter = this.enter(scope) ?? nothing
    const test = this.expr(node.test, scope)
    return (frame, iterable) => {
      const next = this.iterateAt(node, iterable)
      let entered = false
      return new Iterator('generator', () => {
        if (!entered) enter(frame)
        entered = true
        for (let item = next(); item !== DONE; item = next()) {
          spend(1)
          assign(frame, item)
          if (truthy(test(frame))) return repack(node.name, item)
        }
        return DONE
      })
    }
  }
}

/** What a filtered loop goes over: where it unpacks its items, tuples made of the parts. */
const repack = (target: Target, item: Value): Value => {
  if (target.typename !== 'Tuple') return item
  const parts = target.children as Target[]
  return new Tuple(unpack(item, parts.length).map((part, i) => repack(parts[i]!, part)))
}
