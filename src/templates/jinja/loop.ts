/* `loop`: where a loop is. It looks one item ahead when asked for the last or the next one. */
import { type Arg, given, type Method, methodOf, named } from '../../python/calls.ts'
import { same } from '../../python/compare.ts'
import { typeError } from '../../python/error.ts'
import { iter, lengthOf, listOf, nextOf } from '../../python/sequences.ts'
import { Generator, type Kwargs, type Next, Obj, type Value } from '../../python/values.ts'
import type { Context } from './scope.ts'

type Again = (iterable: Value, depth: number) => Value

export class LoopContext extends Obj {
  readonly type = 'loop'
  private readonly context: Context
  private readonly iterable: Value
  private readonly again: Again | undefined
  private readonly depth: number
  private items: Next
  private index = -1
  private known: number | undefined
  /** The next item, once it was looked at; undefined in it after the last one. */
  private ahead: { item: Value | undefined } | undefined
  private current: Value | undefined
  private before: Value | undefined
  private lastChanged: Value | undefined

  constructor(context: Context, iterable: Value, again?: Again, depth = 0) {
    super()
    this.context = context
    this.iterable = iterable
    this.items = iter(iterable)
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
  private get length(): number {
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
        return this.length
      case 'revindex':
        return this.length - this.index
      case 'revindex0':
        return this.length - this.index - 1
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

  cycle(values: Value[]): Value {
    if (values.length === 0) throw typeError('no items for cycling given')
    return values[this.index % values.length]!
  }

  changed(values: Value[]): boolean {
    if (this.lastChanged !== undefined && same(this.lastChanged, values)) return false
    this.lastChanged = values
    return true
  }

  /** `loop(items)` in a recursive loop. */
  override call(args: Value[], kwargs: Kwargs | undefined): Value {
    return recurse(this, args, kwargs)
  }

  enter(iterable: Value): Value {
    if (!this.again) throw typeError("The loop must have the 'recursive' marker to be called recursively.")
    return this.again(iterable, this.depth + 1)
  }

  override size(): number {
    return this.length
  }
}

const recurse = named<LoopContext>('iterable', (loop, iterable: Arg) => loop.enter(iterable!))

const METHODS: Record<string, Method<LoopContext>> = {
  changed: (loop, args) => loop.changed(args),
  cycle: (loop, args) => loop.cycle(args),
}
