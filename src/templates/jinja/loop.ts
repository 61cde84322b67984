/* `loop`: the state of a loop. `last` and `nextitem` read one item ahead. */
import { same } from '../../python/arithmetic.ts'
import { given } from '../../python/calls.ts'
import { typeError } from '../../python/error.ts'
import { lengthOf, listOf, nextOf } from '../../python/sequences.ts'
import { Func, Generator, type Next, Obj, type Value } from '../../python/values.ts'
import type { Render } from './scope.ts'

/** Runs a recursive loop on other items, one level deeper. */
type Recurse = (iterable: Value, depth: number) => Value

export class LoopContext extends Obj {
  readonly type = 'loop'
  private readonly render: Render
  private readonly iterable: Value
  readonly recurse: Recurse | undefined
  readonly depth: number
  private items: Next
  index = -1
  private knownSize: number | undefined
  /** Set if the next item was read; its `item` is undefined after the last one. */
  private ahead: { item: Value | undefined } | undefined
  private current: Value | undefined
  previous: Value | undefined
  private seen: Value[] | undefined

  constructor(render: Render, iterable: Value, items: Next, recurse?: Recurse, depth = 0) {
    super()
    this.render = render
    this.iterable = iterable
    this.items = items
    this.recurse = recurse
    this.depth = depth
  }

  /** Advances to the next item. */
  step(): Value | undefined {
    const item = this.ahead ? this.ahead.item : this.items()
    this.ahead = undefined
    if (item === undefined) return undefined
    this.index++
    this.previous = this.current
    this.current = item
    return item
  }

  peek(): Value | undefined {
    this.ahead ??= { item: this.items() }
    return this.ahead.item
  }

  /** The length; a generator is read to its end. */
  override size(): number {
    if (!(this.iterable instanceof Generator)) return (this.knownSize ??= lengthOf(this.iterable))
    if (this.knownSize !== undefined) return this.knownSize
    const rest = listOf(this.iterable)
    this.items = nextOf(rest)
    this.knownSize = rest.length + this.index + 1 + (this.ahead?.item === undefined ? 0 : 1)
    return this.knownSize
  }

  override attr(name: string): Value | undefined {
    return loopAttribute(name)?.(this)
  }

  /** The item before or after, or an undefined value if there is none. */
  neighbour(item: Value | undefined, which: string): Value {
    return given(item, this.render.undefined({ hint: `there is no ${which} item` }))
  }

  /** Whether the values differ from those of the last call. */
  changed(values: Value[]): boolean {
    const changed = this.seen === undefined || !same(this.seen, values)
    this.seen = values
    return changed
  }

  /** `loop(items)` in a recursive loop. */
  override call([items]: Value[]): Value {
    if (!this.recurse) throw typeError("The loop must have the 'recursive' marker to be called recursively.")
    if (items === undefined) throw typeError("missing required argument 'iterable'")
    return this.recurse(items, this.depth + 1)
  }
}

const ATTRIBUTES: Record<string, (loop: LoopContext) => Value> = {
  changed: (loop) => new Func((values) => loop.changed(values)),
  cycle: ({ index }) =>
    new Func((values) => {
      if (values.length === 0) throw typeError('no items for cycling given')
      return values[index % values.length]!
    }),
  depth: (loop) => loop.depth + 1,
  depth0: (loop) => loop.depth,
  first: (loop) => loop.index === 0,
  index: (loop) => loop.index + 1,
  index0: (loop) => loop.index,
  last: (loop) => loop.peek() === undefined,
  length: (loop) => loop.size(),
  nextitem: (loop) => loop.neighbour(loop.peek(), 'next'),
  previtem: (loop) => loop.neighbour(loop.previous, 'previous'),
  revindex: (loop) => loop.size() - loop.index,
  revindex0: (loop) => loop.size() - loop.index - 1,
}

/** The getter of an attribute of `loop`. */
export const loopAttribute = (name: string): ((loop: LoopContext) => Value) | undefined =>
  Object.hasOwn(ATTRIBUTES, name) ? ATTRIBUTES[name] : undefined
