/* for. */
import { spend } from '../../python/limits.ts'
import { iter } from '../../python/sequences.ts'
import { Generator, type Next, truthy, type Value } from '../../python/values.ts'
import { locate } from '../error.ts'
import { AssignmentCompiler, costOf } from './assignment.ts'
import { pass } from './filters/sequences.ts'
import { LoopContext } from './loop.ts'
import { findAll, type Node, namesRead, targetNames } from './nodes.ts'
import { type Execute, Frame, Scope } from './scope.ts'

export abstract class LoopCompiler extends AssignmentCompiler {
  protected loop(node: Node<'For'>, outer: Scope): Execute {
    const assigned = [...findAll(node, 'For'), ...findAll(node, 'Set'), ...findAll(node, 'SetBlock')]
    const loop = assigned.find(({ target }) => targetNames(target).includes('loop'))
    if (loop) this.fail(loop.target, "Can't assign to special loop variable in for-loop target")
    const iterable = this.expr(node.iterable, outer)
    const scope = new Scope(outer, false, node.recursive)
    const filter = this.loopFilter(node, outer)
    const scopedBlocks = findAll(node.body, 'Block').some((block) => block.scoped)
    const extended = node.recursive || scopedBlocks || namesRead(node.body, ['loop']).size > 0
    const loopSlot = extended ? scope.assign('loop') : -1
    const assign = this.target(node.target, scope)
    scope.declareAll(node.body)
    const body = this.body(node.body, scope)
    const clear = scope.clearer()
    const cost = costOf(node.body)
    const otherwise = node.otherwise.length > 0 ? this.inner(node.otherwise, outer) : undefined
    const iterate = this.at(node.iterable, (frame) => filter(frame, iterable(frame)))
    const end = (frame: Frame, empty: boolean): void => {
      if (!empty || !otherwise) return
      otherwise.clear(frame)
      otherwise.run(frame)
    }
    const plain = this.at(node, (frame) => {
      let empty = true
      const next = this.iterateAt(node, iterate(frame))
      for (let item = next(); item !== undefined; item = next()) {
        spend(cost)
        clear?.(frame)
        assign(frame, item)
        body(frame)
        empty = false
      }
      end(frame, empty)
    })
    if (!extended) return plain
    const go = this.at(node, (frame) => {
      const loop = frame.slots[loopSlot] as LoopContext
      let empty = true
      for (let item = loop.step(); item !== undefined; item = loop.step()) {
        spend(cost)
        clear?.(frame)
        assign(frame, item)
        frame.slots[loopSlot] = loop
        body(frame)
        empty = false
      }
      end(frame, empty)
    })
    if (!node.recursive) {
      return (frame) => {
        const value = iterate(frame)
        this.iterateAt(node, value)
        frame.slots[loopSlot] = new LoopContext(frame.context, value)
        go(frame)
      }
    }
    const render = (outerFrame: Frame, value: Value, depth: number): string => {
      const frame = new Frame(scope.owner.slots, outerFrame.context, outerFrame)
      const again = (items: Value, deeper: number) => render(outerFrame, filter(outerFrame, items), deeper)
      this.iterateAt(node, value)
      frame.slots[loopSlot] = new LoopContext(frame.context, value, again, depth)
      return frame.render.nested(() => frame.render.capture(() => go(frame)))
    }
    return (frame) => frame.render.write(render(frame, iterate(frame), 0))
  }

  private iterateAt(node: Node<'For'>, value: Value): Next {
    try {
      return iter(value)
    } catch (error) {
      throw locate(error, node.iterable, this.name)
    }
  }

  /** Without an `if` a loop goes over the value itself, else over a generator of what passes. */
  private loopFilter(node: Node<'For'>, outer: Scope): (frame: Frame, value: Value) => Value {
    if (!node.test) return (_frame, value) => value
    const scope = new Scope(outer, false, false)
    const assign = this.target(node.target, scope)
    const test = this.expr(node.test, scope)
    return (frame, value) => {
      const next = this.iterateAt(node, value)
      const passes = (item: Value): boolean => {
        assign(frame, item)
        return truthy(test(frame))
      }
      return new Generator(() => pass(next, passes))
    }
  }
}
