/* `loop`. */

import { boundMethod, given, type Method } from '../../python/calls.ts'
import { same } from '../../python/compare.ts'
import { iterate, lengthOf } from '../../python/iterate.ts'
import { DONE, type Kwargs, type Next, Obj, Tuple, type Value } from '../../python/values.ts'
import { typeError } from '../error.ts'
import { spend } from '../limits.ts'
import type { Context } from './context.ts'

/** `loop`: where a loop is. It looks one item ahead when asked for the last or the next one. */
export class LoopContext extends Obj {
  readonly type = 'jinja2.runtime.LoopContext'
  private readonly iterable: Value
  private readonly context: Context
  private readonly recurse: ((iterable: Value, depth: number) => Value) | undefined
  private readonly depth0: number
  private next: Next
  private index0 = -1
  private known: number | undefined
  private after: Value | typeof DONE | undefined
  private current: Value | undefined
  private before: Value | undefined
  private lastChanged: Value[] | undefined

  constructor(
    iterable: Value,
    next: Next,
    context: Context,
    recurse?: (iterable: Value, depth: number) => Value,
    depth0 = 0,
  ) {
    super()
    this.iterable = iterable
    this.next = next
    this.context = context
    this.recurse = recurse
    this.depth0 = depth0
  }

  /** Goes on to the next item. */
  step(): Value | typeof DONE {
    const item = this.after === undefined || this.after === DONE ? this.next() : this.after
    this.after = undefined
    if (item === DONE) return DONE
    this.index0++
    this.before = this.current
    this.current = item
    return item
  }

  private peek(): Value | typeof DONE {
    if (this.after === undefined) this.after = this.next()
    return this.after
  }

  private get length(): number {
    this.known ??= this.sizeOfIterable() ?? this.countRest()
    return this.known
  }

  private sizeOfIterable(): number | undefined {
    try {
      return lengthOf(this.iterable)
    } catch (error) {
      if ((error as { exception?: string }).exception === 'TypeError') return undefined
      throw error
    }
  }

  /** The length of a generator, which is read to its end for it. */
  private countRest(): number {
    const rest: Value[] = []
    for (let item = this.next(); item !== DONE; item = this.next()) {
      spend(1)
      rest.push(item)
    }
    this.next = iterate(rest)
    const peeked = this.after !== undefined && this.after !== DONE ? 1 : 0
    return rest.length + this.index0 + 1 + peeked
  }

  override attr(name: string): Value | undefined {
    switch (name) {
      case 'index':
        return this.index0 + 1
      case 'index0':
        return this.index0
      case 'first':
        return this.index0 === 0
      case 'last':
        return this.peek() === DONE
      case 'length':
        return this.length
      case 'revindex':
        return this.length - this.index0
      case 'revindex0':
        return this.length - this.index0 - 1
      case 'depth':
        return this.depth0 + 1
      case 'depth0':
        return this.depth0
      case 'previtem':
        if (this.index0 === 0) return this.context.undefined({ hint: 'there is no previous item' })
        return this.before!
      case 'nextitem': {
        const next = this.peek()
        return next === DONE ? this.context.undefined({ hint: 'there is no next item' }) : next
      }
      case 'cycle':
      case 'changed':
        return boundMethod('LoopContext', name, this, LOOP_METHODS[name]!)
      default:
        return undefined
    }
  }

  cycle(values: Value[]): Value {
    if (values.length === 0) throw typeError('no items for cycling given')
    return values[this.index0 % values.length]!
  }

  changed(values: Value[]): boolean {
    const last = this.lastChanged
    if (last?.length === values.length && last.every((value, i) => same(value, values[i]!))) return false
    this.lastChanged = values
    return true
  }

  override get callable(): boolean {
    return true
  }

  override call(args: Value[], kwargs: Kwargs | undefined): Value {
    const iterable = given(kwargs?.get('iterable'), args[0])
    if (iterable === undefined || args.length + (kwargs?.size ?? 0) !== 1) {
      throw typeError('a loop is called with one argument')
    }
    if (!this.recurse) throw typeError("The loop must have the 'recursive' marker to be called recursively.")
    return this.recurse(iterable, this.depth0 + 1)
  }

  override size(): number {
    return this.length
  }

  override iterate(): Next {
    return () => {
      const item = this.step()
      return item === DONE ? DONE : new Tuple([item, this])
    }
  }

  override repr(): string {
    return `<LoopContext ${this.index0 + 1}/${this.length}>`
  }
}

const LOOP_METHODS: Record<string, Method<LoopContext>> = {
  cycle: (loop, args) => loop.cycle(args),
  changed: (loop, args) => loop.changed(args),
}
