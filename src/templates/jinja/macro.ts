/* Macros as values. */

import { Dict } from '../../python/dicts.ts'
import { repr } from '../../python/print.ts'
import { type Kwargs, Markup, Obj, Tuple, type Value } from '../../python/values.ts'
import { typeError } from '../error.ts'
import type { Context } from './context.ts'

/** What a macro takes, and how it is run. */
export interface MacroDefinition {
  name: string | null
  params: readonly string[]
  catchKwargs: boolean
  catchVarargs: boolean
  caller: boolean
  /** Takes a value per parameter (undefined: not given), then caller, kwargs and varargs as far as they are used. */
  run(values: (Value | undefined)[]): string
}

export class Macro extends Obj {
  readonly type = 'jinja2.runtime.Macro'
  private readonly definition: MacroDefinition
  private readonly context: Context

  constructor(definition: MacroDefinition, context: Context) {
    super()
    this.definition = definition
    this.context = context
  }

  override get callable(): boolean {
    return true
  }

  override call(args: Value[], kwargs: Kwargs | undefined): Value {
    return this.callFrom(this.context, args, kwargs)
  }

  /** Calls it; whether its text is Markup is up to the caller's autoescaping. */
  callFrom(context: Context, args: Value[], kwargs: Kwargs | undefined): Value {
    const text = this.definition.run(this.arrange(args, new Map(kwargs ?? [])))
    return context.autoescape ? new Markup(text) : text
  }

  private arrange(args: Value[], rest: Kwargs): (Value | undefined)[] {
    const { name, params, catchKwargs, catchVarargs, caller } = this.definition
    const values: (Value | undefined)[] = args.slice(0, params.length)
    let foundCaller = values.length === params.length && params.includes('caller')
    for (const param of params.slice(values.length)) {
      values.push(rest.get(param))
      rest.delete(param)
      if (param === 'caller') foundCaller = true
    }
    if (caller && !foundCaller) {
      const given = rest.get('caller') ?? null
      rest.delete('caller')
      values.push(given ?? this.context.undefined({ hint: 'No caller defined', name: 'caller' }))
    }
    if (catchKwargs) values.push(new Dict(rest))
    else if (rest.has('caller')) {
      throw typeError(`macro ${repr(name)} was invoked with two values for the special caller argument.`)
    } else if (rest.size > 0) {
      throw typeError(`macro ${repr(name)} takes no keyword argument ${repr([...rest.keys()][0]!)}`)
    }
    if (catchVarargs) values.push(new Tuple(args.slice(params.length)))
    else if (args.length > params.length) {
      throw typeError(`macro ${repr(name)} takes not more than ${params.length} argument(s)`)
    }
    return values
  }

  override attr(name: string): Value | undefined {
    switch (name) {
      case 'name':
        return this.definition.name
      case 'arguments':
        return new Tuple(this.definition.params)
      case 'catch_kwargs':
        return this.definition.catchKwargs
      case 'catch_varargs':
        return this.definition.catchVarargs
      case 'caller':
        return this.definition.caller
      case 'explicit_caller':
        return this.definition.params.includes('caller')
      default:
        return undefined
    }
  }

  override repr(): string {
    return `<Macro ${this.definition.name === null ? 'anonymous' : repr(this.definition.name)}>`
  }
}
