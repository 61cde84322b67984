/* What templates define: macros, namespaces, blocks as values, modules. */

import { Dict } from '../../python/dict.ts'
import { keyError, typeError } from '../../python/error.ts'
import { type Kwargs, Obj, Tuple, textOf, type Value } from '../../python/values.ts'
import type { Block, Context } from './scope.ts'

/** What a macro takes, and how it is run. */
export interface MacroDefinition {
  name: string | undefined
  params: readonly string[]
  /** Which of caller, kwargs and varargs its body uses. */
  special: ReadonlySet<string>
  /** Takes a value per parameter (undefined: not given), then those of `special` in their order. */
  run(values: (Value | undefined)[]): string
}

export class Macro extends Obj {
  readonly type = 'macro'
  private readonly definition: MacroDefinition
  private readonly context: Context

  constructor(definition: MacroDefinition, context: Context) {
    super()
    this.definition = definition
    this.context = context
  }

  override call(args: Value[], kwargs: Kwargs | undefined): Value {
    const { params, special, run } = this.definition
    const rest: Kwargs = new Map(kwargs)
    const take = (name: string): Value | undefined => {
      const value = rest.get(name)
      rest.delete(name)
      return value
    }
    const values = params.map((name, i) => (i < args.length ? args[i] : take(name)))
    if (special.has('caller'))
      values.push(take('caller') ?? this.context.undefined({ hint: 'No caller defined', name: 'caller' }))
    const label = `macro '${this.definition.name ?? 'caller'}'`
    if (special.has('kwargs')) values.push(new Dict(rest as Map<Value, Value>))
    else if (rest.size > 0) throw typeError(`${label} takes no keyword argument '${[...rest.keys()][0]}'`)
    if (special.has('varargs')) values.push(new Tuple(args.slice(params.length)))
    else if (args.length > params.length)
      throw typeError(`${label} takes not more than ${params.length} argument(s)`)
    return run(values)
  }

  override attr(name: string): Value | undefined {
    return name === 'name' ? (this.definition.name ?? null) : undefined
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

/** `self.name` and `super`: a block that can be called, and asked for the one it overrides. */
export class BlockReference extends Obj {
  readonly type = 'block'
  private readonly name: string
  private readonly context: Context
  private readonly stack: readonly Block[]
  private readonly depth: number

  constructor(name: string, context: Context, stack: readonly Block[], depth: number) {
    super()
    this.name = name
    this.context = context
    this.stack = stack
    this.depth = depth
  }

  override call(args: Value[], kwargs: Kwargs | undefined): Value {
    if (args.length > 0 || kwargs?.size) throw typeError('a block takes no arguments')
    const { render } = this.context
    return render.nested(() => render.capture(() => this.stack[this.depth]!(this.context)))
  }

  override attr(name: string): Value | undefined {
    return name === 'super' ? superOf(this.name, this.context, this.stack, this.depth + 1) : undefined
  }
}

/** The block at a depth of a stack of overridden ones, or undefined where there is none. */
export const superOf = (name: string, context: Context, stack: readonly Block[], depth: number): Value =>
  depth > 0 && depth < stack.length
    ? new BlockReference(name, context, stack, depth)
    : context.undefined({ hint: `there is no parent block called '${name}'.`, name: 'super' })

/** `self`. */
export class TemplateReference extends Obj {
  readonly type = 'template'
  private readonly context: Context

  constructor(context: Context) {
    super()
    this.context = context
  }

  override item(key: Value): Value {
    const name = textOf(key)
    const stack = name === undefined ? undefined : this.context.blocks.get(name)
    if (!stack) throw keyError('no such block')
    return new BlockReference(name!, this.context, stack, 0)
  }
}

/** An imported template: its macros and its top-level variables; printed, its text. */
export class Module extends Obj {
  readonly type = 'module'
  private readonly members: ReadonlyMap<string, Value>
  private readonly text: string

  constructor(members: ReadonlyMap<string, Value>, text: string) {
    super()
    this.members = members
    this.text = text
  }

  override attr(name: string): Value | undefined {
    return this.members.get(name)
  }

  override str(): string {
    return this.text
  }
}
