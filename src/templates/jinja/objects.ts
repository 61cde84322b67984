/* Objects of templates: macros, namespaces, and the globals range, dict, cycler, joiner. */
import { fillDict } from '../../python/attributes.ts'
import { method } from '../../python/calls.ts'
import { Dict } from '../../python/dict.ts'
import { typeError } from '../../python/error.ts'
import { Range } from '../../python/sequences.ts'
import { Func, indexOf, type Kwargs, Obj, Tuple, type Value } from '../../python/values.ts'
import type { Render } from './scope.ts'

/** An object defined by its functions. */
class Custom extends Obj {
  readonly type: string

  constructor(type: string, abilities: Partial<Pick<Obj, 'call' | 'attr'>>) {
    super()
    this.type = type
    Object.assign(this, abilities)
  }
}

/** `namespace()`: the only object whose attributes can be set. */
export class Namespace extends Obj {
  readonly type = 'namespace'
  readonly values: Dict

  constructor(values: Dict) {
    super()
    this.values = values
  }

  override attr(name: string): Value | undefined {
    return this.values.get(name)
  }
}

interface MacroDefinition {
  name: string | undefined
  params: readonly string[]
  /** Which of caller, kwargs and varargs its body uses. */
  special: ReadonlySet<string>
  /** @param values one per parameter (undefined: omitted), then those of `special` in their order */
  run(values: (Value | undefined)[]): string
}

export const macro = ({ name, params, special, run }: MacroDefinition, render: Render): Obj => {
  const label = `macro '${name ?? 'caller'}'`
  const call = (args: Value[], kwargs: Kwargs | undefined): Value => {
    const rest: Kwargs = new Map(kwargs)
    const take = (key: string): Value | undefined => {
      const value = rest.get(key)
      rest.delete(key)
      return value
    }
    const values = params.map((key, i) => (i < args.length ? args[i] : take(key)))
    if (special.has('caller'))
      values.push(take('caller') ?? render.undefined({ hint: 'No caller defined', name: 'caller' }))
    if (special.has('kwargs')) values.push(new Dict(rest as Map<Value, Value>))
    else if (rest.size > 0) throw typeError(`${label} takes no keyword argument '${[...rest.keys()][0]}'`)
    if (special.has('varargs')) values.push(new Tuple(args.slice(params.length)))
    else if (args.length > params.length)
      throw typeError(`${label} takes not more than ${params.length} argument(s)`)
    return run(values)
  }
  return new Custom('macro', { call, attr: (key) => (key === 'name' ? (name ?? null) : undefined) })
}

/** Each call of next() returns the next item, after the last the first again. */
const cycler = (items: readonly Value[]): Obj => {
  if (items.length === 0) throw typeError('at least one item has to be provided')
  let at = 0
  const next = new Func(() => items[at++ % items.length]!)
  const attr = (name: string) => (name === 'next' ? next : undefined)
  return new Custom('cycler', { attr })
}

/** The first call returns an empty text, later ones the separator. */
const joiner = method("sep=', '", (_, separator) => {
  let used = false
  return new Func(() => {
    if (used) return separator
    used = true
    return ''
  })
})

const range = method('start stop=? step=1 /', (_, start, stop, step) => {
  const [first, last] = stop === undefined ? [0, start] : [start, stop]
  return new Range(indexOf(first), indexOf(last), indexOf(step))
})

const GLOBALS: Record<string, Value> = {
  range: new Func((args, kwargs) => range(null, args, kwargs)),
  dict: new Func((args, kwargs) => fillDict(new Dict(), args, kwargs)),
  namespace: new Func((args, kwargs) => new Namespace(fillDict(new Dict(), args, kwargs))),
  cycler: new Func((args) => cycler(args)),
  joiner: new Func((args, kwargs) => joiner(null, args, kwargs)),
}

export const isGlobal = (name: string): boolean => Object.hasOwn(GLOBALS, name)

export const globalNamed = (name: string): Value | undefined => (isGlobal(name) ? GLOBALS[name] : undefined)
