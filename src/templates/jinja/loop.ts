/* `loop`: where a loop is. It looks one item ahead when asked for the last or the next one. */
import { type Arg, type Method, methodOf, named } from '../../python/calls.ts'
import { same } from '../../python/compare.ts'
import { typeError } from '../../python/error.ts'
import { iter, lengthOf, listOf } from '../../python/sequences.ts'
import { Generator, type Kwargs, Obj, type Value } from '../../python/values.ts'
import type { Context } from './scope.ts'

type Again = (iterable: Value, depth: number) => Value

export class LoopContext extends Obj {
  readonly type = 'loop'
  private readonly context: Context
  private readonly iterable: Value
  private readonly again: Again | undefined
  private readonly depth: number
  private items: Iterator<Value>
  private index = -1
  private known: number | undefined
  private ahead: IteratorResult<Value> | undefined
  private current: Value | undefined
  private before: Value | undefined
  private lastChanged: Value | undefined

  constructor(context: Context, iterable: Value, again?: Again, depth = 0) {
    super()
    this.context = context
    this.iterable = iterable
    this.items = iter(iterable)[Symbol.iterator]()
    this.again = again
    this.depth = depth
  }

  /** Goes on to the next item. */
  step(): IteratorResult<Value> {
    const step = this.ahead ?? this.items.next()
    this.ahead = undefined
    if (step.done) return step
    this.index++
    this.before = this.current
    this.current = step.value
    return step
  }

  private peek(): IteratorResult<Value> {
    this.ahead ??= this.items.next()
    return this.ahead
  }

  /** A generator is read to its end for it. */
  private get length(): number {
    if (this.known !== undefined) return this.known
    if (!(this.iterable instanceof Generator)) return (this.known = lengthOf(this.iterable))
    const rest = listOf(this.iterable)
    this.items = rest[Symbol.iterator]()
    this.known = rest.length + this.index + 1 + (this.ahead && !this.ahead.done ? 1 : 0)
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
        return this.peek().done === true
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
        return this.before ?? this.context.undefined({ hint: 'there is no previous item' })
      case 'nextitem': {
        const next = this.peek()
        return next.done ? this.context.undefined({ hint: 'there is no next item' }) : next.value
      }
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
