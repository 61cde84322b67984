/* `loop`: where a loop is. It looks one item ahead when asked for the last or the next one. */

import { same } from '../../python/arithmetic.ts'
import { given, type Method, method, methodOf } from '../../python/calls.ts'
import { typeError } from '../../python/error.ts'
import { lengthOf, listOf, nextOf } from '../../python/sequences.ts'
import { Generator, type Kwargs, type Next, Obj, type Value } from '../../python/values.ts'
import type { Context } from './scope.ts'

/** Runs a recursive loop on other items, one level deeper. */
type Again = (iterable: Value, depth: number) => Value

export class LoopContext extends Obj {
  readonly type = 'loop'
  private readonly context: Context
  private readonly iterable: Value
  private readonly again: Again | undefined
  readonly depth: number
  private items: Next
  index = -1
  private known: number | undefined
  /** The next item, once it was looked at; undefined in it after the last one. */
  private ahead: { item: Value | undefined } | undefined
  private current: Value | undefined
  private before: Value | undefined
  private lastChanged: Value | undefined

  constructor(context: Context, iterable: Value, items: Next, again?: Again, depth = 0) {
    super()
    this.context = context
    this.iterable = iterable
    this.items = items
    this.again = again
    this.depth = depth
  }

  /** Goes on to the next item. */
  step(): Value | undefined {
    const item = this.ahead ? this.ahead.item : this.items()
    this.ahead = undefined
    if (item === undefined) return undefined
    this.index++
    this.before = this.current
    this.current = item
    return item
  }

  private peek(): Value | undefined {
    this.ahead ??= { item: this.items() }
    return this.ahead.item
  }

  /** A generator is read to its end for it. */
  override size(): number {
    if (this.known !== undefined) return this.known
    if (!(this.iterable instanceof Generator)) return (this.known = lengthOf(this.iterable))
    const rest = listOf(this.iterable)
    this.items = nextOf(rest)
    this.known = rest.length + this.index + 1 + (this.ahead?.item === undefined ? 0 : 1)
    return this.known
  }

  override attr(name: string): Value | undefined {
    switch (name) {
      case 'index':
        return this.index + 1
      case 'index0':
        return this.index
      case 'first':
        return this.index === 0
      case 'last':
        return this.peek() === undefined
      case 'length':
        return this.size()
      case 'revindex':
        return this.size() - this.index
      case 'revindex0':
        return this.size() - this.index - 1
      case 'depth':
        return this.depth + 1
      case 'depth0':
        return this.depth
      case 'previtem':
        return given(this.before, this.context.undefined({ hint: 'there is no previous item' }))
      case 'nextitem':
        return given(this.peek(), this.context.undefined({ hint: 'there is no next item' }))
      default:
        return methodOf(METHODS, this, name)
    }
  }

  /** Whether the values are others than at the last call. */
  changed(values: Value[]): boolean {
    const changed = this.lastChanged === undefined || !same(this.lastChanged, values)
    this.lastChanged = values
    return changed
  }

  /** `loop(items)` in a recursive loop. */
  override call(args: Value[], kwargs: Kwargs | undefined): Value {
    return recurse(this, args, kwargs)
  }

  enter(iterable: Value): Value {
    if (!this.again) throw typeError("The loop must have the 'recursive' marker to be called recursively.")
    return this.again(iterable, this.depth + 1)
  }
}

const recurse = method<LoopContext>('iterable', (loop, iterable) => loop.enter(iterable))

const METHODS: Record<string, Method<LoopContext>> = {
  changed: (loop, args) => loop.changed(args),
  cycle: (loop, values) => {
    if (values.length === 0) throw typeError('no items for cycling given')
    return values[loop.index % values.length]!
  },
}
