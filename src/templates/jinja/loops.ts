/* The for statement. */
import { located } from '../../python/error.ts'
import { spend } from '../../python/limits.ts'
import { iter } from '../../python/sequences.ts'
import { Generator, type Next, truthy, type Value } from '../../python/values.ts'
import { type StatementCompiler, stepsOf } from './bodies.ts'
import { mapItems } from './filters/filter.ts'
import { LoopContext } from './loop.ts'
import { findAll, type Node, namesRead, targetNames } from './nodes.ts'
import { type Execute, Frame, Scope } from './scope.ts'

export const compileLoop = (compiler: StatementCompiler, node: Node<'For'>, outer: Scope): Execute => {
  const assigned = [...findAll(node, 'For'), ...findAll(node, 'Set'), ...findAll(node, 'SetBlock')]
  const loop = assigned.find(({ target }) => targetNames(target).includes('loop'))
  if (loop) compiler.fail(loop.target, "Can't assign to special loop variable in for-loop target")

  const iterable = compiler.expr(node.iterable, outer)
  const iterateAt = (value: Value): Next => located(node.iterable, compiler.name, () => iter(value))
  const filter = loopFilter(compiler, node, outer, iterateAt)
  const start = compiler.at(node.iterable, (frame) => filter(frame, iterable(frame)))

  const scope = new Scope(outer, node.recursive)
  const extended = node.recursive || namesRead(node.body, ['loop']).size > 0
  const loopSlot = extended ? scope.assign('loop') : -1
  const assign = compiler.target(node.target, scope)
  const clear = scope.declareAll(node.body)
  const body = compiler.body(node.body, scope)
  const cost = stepsOf(node.body)
  const otherwise = node.otherwise.length > 0 ? compiler.inner(node.otherwise, outer).run : undefined

  /** Runs the body for each item. @param loop set if the body may read it */
  const runLoop = (frame: Frame, next: Next, loop?: LoopContext): void => {
    if (loop) frame.slots[loopSlot] = loop
    located(node, compiler.name, () => {
      let item = loop ? loop.step() : next()
      if (item === undefined) otherwise?.(frame)
      for (; item !== undefined; item = loop ? loop.step() : next()) {
        spend(cost)
        clear?.(frame)
        assign(frame, item)
        body(frame)
      }
    })
  }
  if (!extended) return (frame) => runLoop(frame, iterateAt(start(frame)))
  if (!node.recursive)
    return (frame) => {
      const value = start(frame)
      const next = iterateAt(value)
      runLoop(frame, next, new LoopContext(frame.render, value, next))
    }
  const render = (outerFrame: Frame, value: Value, depth: number): string => {
    const frame = new Frame(scope.owner.slots, outerFrame.render, outerFrame.resolve, outerFrame)
    const recurse = (items: Value, deeper: number) => render(outerFrame, filter(outerFrame, items), deeper)
    const next = iterateAt(value)
    const loop = new LoopContext(frame.render, value, next, recurse, depth)
    return frame.render.nested(() => frame.render.capture(() => runLoop(frame, next, loop)))
  }
  return (frame) => frame.render.write(render(frame, start(frame), 0))
}

/** A loop with `if` iterates over a generator of the items that pass. */
const loopFilter = (
  compiler: StatementCompiler,
  node: Node<'For'>,
  outer: Scope,
  iterate: (value: Value) => Next,
): ((frame: Frame, value: Value) => Value) => {
  if (!node.test) return (_frame, value) => value
  const scope = new Scope(outer, false)
  const assign = compiler.target(node.target, scope)
  const test = compiler.expr(node.test, scope)
  return (frame, value) => {
    const next = iterate(value)
    const change = (item: Value) => {
      assign(frame, item)
      return truthy(test(frame)) ? item : undefined
    }
    return new Generator(() => mapItems(next, change))
  }
}
