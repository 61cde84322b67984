/* for. */
import { spend } from '../../python/limits.ts'
import { iter } from '../../python/sequences.ts'
import { Generator, truthy, type Value } from '../../python/values.ts'
import { locate } from '../error.ts'
import { AssignmentCompiler, costOf, type Write } from './assignment.ts'
import { LoopContext } from './loop.ts'
import { findAll, type Node, namesRead, targetNames } from './nodes.ts'
import { type Evaluate, type Execute, Frame, Scope } from './scope.ts'

export abstract class LoopCompiler extends AssignmentCompiler {
  protected loop(node: Node<'For'>, outer: Scope): Execute {
    if (targetNames(node.target).includes('loop'))
      this.fail(node.target, "Can't assign to special loop variable in for-loop target")
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
    const turn = (frame: Frame, item: Value): void => {
      spend(cost)
      clear?.(frame)
      assign(frame, item ?? null)
    }
    const end = (frame: Frame, empty: boolean): void => {
      if (!empty || !otherwise) return
      otherwise.clear(frame)
      otherwise.run(frame)
    }
    const plain = this.at(node, (frame) => {
      let empty = true
      for (const item of this.iterateAt(node, iterate(frame))) {
        turn(frame, item)
        body(frame)
        empty = false
      }
      end(frame, empty)
    })
    if (!extended) return plain
    const go = this.at(node, (frame) => {
      const loop = frame.slots[loopSlot] as LoopContext
      let empty = true
      for (let step = loop.step(); !step.done; step = loop.step()) {
        turn(frame, step.value)
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

  private iterateAt(node: Node<'For'>, value: Value): Iterable<Value> {
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
    return (frame, value) => new Generator(passing(frame, this.iterateAt(node, value), assign, test))
  }
}

function* passing(
  frame: Frame,
  items: Iterable<Value>,
  assign: Write,
  test: Evaluate,
): IterableIterator<Value> {
  for (const item of items) {
    spend(1)
    assign(frame, item)
    if (truthy(test(frame))) yield item
  }
}
