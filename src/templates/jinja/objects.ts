/* Namespaces, blocks and modules as values. */

import { given } from '../../python/calls.ts'
import type { Dict } from '../../python/dicts.ts'
import { repr } from '../../python/print.ts'
import { type Kwargs, keyError, Markup, Obj, textOf, type Value } from '../../python/values.ts'
import { typeError } from '../error.ts'
import type { BlockFunction, Context } from './context.ts'

/** `namespace()`: the one thing whose attributes can be set. */
export class Namespace extends Obj {
  readonly type = 'jinja2.utils.Namespace'
  readonly values: Dict

  constructor(values: Dict) {
    super()
    this.values = values
  }

  override attr(name: string): Value | undefined {
    return this.values.get(name)
  }

  override repr(): string {
    return `<Namespace ${repr(this.values)}>`
  }
}

/** `self.name` and `super`: a block that can be called, and asked for the one it overrides. */
export class BlockReference extends Obj {
  readonly type = 'jinja2.runtime.BlockReference'
  private readonly name: string
  private readonly context: Context
  private readonly stack: readonly BlockFunction[]
  private readonly depth: number

  constructor(name: string, context: Context, stack: readonly BlockFunction[], depth: number) {
    super()
    this.name = name
    this.context = context
    this.stack = stack
    this.depth = depth
  }

  override get callable(): boolean {
    return true
  }

  override call(args: Value[], kwargs: Kwargs | undefined): Value {
    if (args.length > 0 || kwargs?.size) throw typeError('a block takes no arguments')
    const { context } = this
    const run = () => this.stack[this.depth]!(context)
    const text = context.render.nested(() => context.render.capture(run))
    return context.autoescape ? new Markup(text) : text
  }

  override attr(name: string): Value | undefined {
    if (name === 'name') return this.name
    return name === 'super' ? superOf(this.name, this.context, this.stack, this.depth + 1) : undefined
  }
}

/** The block at a depth of a stack of overridden ones, or undefined where there is none. */
export const superOf = (
  name: string,
  context: Context,
  stack: readonly BlockFunction[],
  depth: number,
): Value =>
  depth > 0 && depth < stack.length
    ? new BlockReference(name, context, stack, depth)
    : context.undefined({ hint: `there is no parent block called ${repr(name)}.`, name: 'super' })

/** `self`. */
export class TemplateReference extends Obj {
  readonly type = 'jinja2.runtime.TemplateReference'
  private readonly context: Context

  constructor(context: Context) {
    super()
    this.context = context
  }

  override item(key: Value): Value {
    const name = textOf(key)
    const stack = name === undefined ? undefined : this.context.blocks.get(name)
    if (!stack) throw keyError(repr(key))
    return new BlockReference(name!, this.context, stack, 0)
  }

  override repr(): string {
    return `<TemplateReference ${repr(this.context.template ?? null)}>`
  }
}

/** An imported template: its macros and its top-level variables. */
export class Module extends Obj {
  readonly type = 'jinja2.environment.TemplateModule'
  private readonly name: string
  private readonly members: ReadonlyMap<string, Value>
  private readonly text: string

  constructor(name: string, members: ReadonlyMap<string, Value>, text: string) {
    super()
    this.name = name
    this.members = members
    this.text = text
  }

  override attr(name: string): Value | undefined {
    return given(this.members.get(name), name === '__name__' ? this.name : undefined)
  }

  override html(): string {
    return this.text
  }

  override str(): string {
    return this.text
  }

  override repr(): string {
    return `<TemplateModule ${repr(this.name)}>`
  }
}
