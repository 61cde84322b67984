/* What every template can call: range, dict, namespace, cycler, joiner. */
import { fillDict } from '../../python/attributes.ts'
import { bind, given, type Method, methodOf, positional } from '../../python/calls.ts'
import { Dict } from '../../python/dict.ts'
import { typeError } from '../../python/error.ts'
import { Range } from '../../python/sequences.ts'
import { Func, indexOf, Obj, type Value } from '../../python/values.ts'
import { Namespace } from './objects.ts'

/** Goes round its values, one with each call of next(). */
class Cycler extends Obj {
  readonly type = 'cycler'
  readonly items: readonly Value[]
  at = 0

  constructor(items: readonly Value[]) {
    super()
    if (items.length === 0) throw typeError('at least one item has to be provided')
    this.items = items
  }

  override attr(name: string): Value | undefined {
    return name === 'current' ? this.items[this.at] : methodOf(CYCLER_METHODS, this, name)
  }
}

const CYCLER_METHODS: Record<string, Method<Cycler>> = {
  next: positional(0, 0, (cycler) => {
    const value = cycler.items[cycler.at]!
    cycler.at = (cycler.at + 1) % cycler.items.length
    return value
  }),
  reset: positional(0, 0, (cycler) => {
    cycler.at = 0
    return null
  }),
}

/** Gives nothing the first time it is called, then the separator. */
const joiner = (separator: Value): Func => {
  let used = false
  return new Func(() => {
    if (used) return separator
    used = true
    return ''
  })
}

const GLOBALS: Record<string, Value> = {
  range: new Func((args, kwargs) => {
    if (kwargs?.size || args.length < 1 || args.length > 3) throw typeError('range takes 1 to 3 arguments')
    const [first, second, step] = args.map(indexOf)
    return second === undefined ? new Range(0, first!, 1) : new Range(first!, second, step ?? 1)
  }),
  dict: new Func((args, kwargs) => fillDict(new Dict(), args, kwargs)),
  namespace: new Func((args, kwargs) => new Namespace(fillDict(new Dict(), args, kwargs))),
  cycler: new Func((args) => new Cycler(args)),
  joiner: new Func((args, kwargs) => joiner(given(bind(['sep'], 0, args, kwargs)[0], ', '))),
}

export const isGlobal = (name: string): boolean => Object.hasOwn(GLOBALS, name)

/** A global by name. */
export const globalNamed = (name: string): Value | undefined => (isGlobal(name) ? GLOBALS[name] : undefined)
