/* What templates define and can call: macros, namespaces, modules, and range, dict, cycler, joiner. */
import { fillDict } from '../../python/attributes.ts'
import { method } from '../../python/calls.ts'
import { Dict } from '../../python/dict.ts'
import { typeError, unsupported } from '../../python/error.ts'
import { spend } from '../../python/limits.ts'
import { Range } from '../../python/sequences.ts'
import { Func, indexOf, type Kwargs, Obj, Tuple, textOf, typeName, type Value } from '../../python/values.ts'
import { type Frame, type Loaded, type ReadVariable, type Resolve, TemplateContext } from './scope.ts'

/** An object made of what it can do: how it is called, what its attributes are. */
class Custom extends Obj {
  readonly type: string

  constructor(type: string, abilities: Partial<Pick<Obj, 'call' | 'attr' | 'item' | 'str'>>) {
    super()
    this.type = type
    Object.assign(this, abilities)
  }
}

/** `namespace()`: the one thing whose attributes can be set. */
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

/** What a macro takes, and how it is run. */
export interface MacroDefinition {
  name: string | undefined
  params: readonly string[]
  /** Which of caller, kwargs and varargs its body uses. */
  special: ReadonlySet<string>
  /** Takes a value per parameter (undefined: not given), then those of `special` in their order. */
  run(values: (Value | undefined)[]): string
}

/** A macro, as a value. */
export const macro = ({ name, params, special, run }: MacroDefinition, context: TemplateContext): Obj => {
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
      values.push(take('caller') ?? context.undefined({ hint: 'No caller defined', name: 'caller' }))
    if (special.has('kwargs')) values.push(new Dict(rest as Map<Value, Value>))
    else if (rest.size > 0) throw typeError(`${label} takes no keyword argument '${[...rest.keys()][0]}'`)
    if (special.has('varargs')) values.push(new Tuple(args.slice(params.length)))
    else if (args.length > params.length)
      throw typeError(`${label} takes not more than ${params.length} argument(s)`)
    return run(values)
  }
  return new Custom('macro', { call, attr: (key) => (key === 'name' ? (name ?? null) : undefined) })
}

/** Goes round its values, one with each call of next(). */
const cycler = (items: readonly Value[]): Obj => {
  if (items.length === 0) throw typeError('at least one item has to be provided')
  let at = 0
  const next = new Func(() => items[at++ % items.length]!)
  const attr = (name: string) => (name === 'next' ? next : undefined)
  return new Custom('cycler', { attr })
}

/** Gives nothing the first time it is called, then the separator. */
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

/** What every template can call, by name. */
export const globalNamed = (name: string): Value | undefined => (isGlobal(name) ? GLOBALS[name] : undefined)

// Other templates: found, included, imported.

/** The template of a name. */
export const selectTemplate = ({ render }: TemplateContext, named: Value): Loaded => {
  const name = textOf(named)
  if (name !== undefined) return render.load(name)
  throw unsupported(`a template's name of type ${typeName(named)}`)
}

export type Locals = ReadonlyMap<string, ReadVariable>

/** All that can be resolved where a frame is, with its local variables on top. */
export const withLocals = (frame: Frame, locals: Locals): Resolve => {
  const { context } = frame
  const known = new Map<string, Value>()
  for (const [name, read] of locals) {
    const value = read(frame)
    if (value !== undefined) known.set(name, value)
  }
  return (name) => (known.has(name) ? known.get(name) : context.resolve(name))
}

/** What a template sees that is used within another: that one's variables, or none. */
const contextWithin = (frame: Frame, locals: Locals | undefined): TemplateContext => {
  spend(1)
  return new TemplateContext(frame.render, locals ? withLocals(frame, locals) : globalNamed)
}

/** Renders a template in place, with the variables there are or with none. */
export const includeTemplate = (frame: Frame, template: Loaded, locals: Locals | undefined): void =>
  frame.render.nested(() => template.root(contextWithin(frame, locals)))

/**
 * Runs a template for what it defines; without variables from here, once in a render. Its macros and top-level
 * variables are the module's attributes; printed, it is the template's text.
 */
export const importModule = (frame: Frame, template: Loaded, locals: Locals | undefined): Value => {
  const { render } = frame
  const known = locals ? undefined : render.modules.get(template)
  if (known !== undefined) return known
  const context = contextWithin(frame, locals)
  const text = render.nested(() => render.capture(() => template.root(context)))
  const members = new Map([...context.vars].filter(([name]) => context.exported.has(name)))
  const module = new Custom('module', { attr: (name) => members.get(name), str: () => text })
  if (!locals) render.modules.set(template, module)
  return module
}
