/* What a template runs on: its variables, its blocks, the output. */

import { type Missing, Undefined } from '../../python/undefined.ts'
import { truthy, type Value } from '../../python/values.ts'
import { limitError, TemplateError } from '../error.ts'
import { MAX_DEPTH } from '../limits.ts'
import { Sheet } from '../sheet.ts'

/** Finds a variable by name; undefined where there is none. */
export type Resolve = (name: string) => Value | undefined

export type BlockFunction = (context: Context) => void

/** What the templates of one render have in common. */
export class Render extends Sheet {
  readonly strict: boolean
  readonly load: (name: string) => Loaded
  /** What was imported without context: once each. */
  readonly modules = new Map<Loaded, unknown>()
  private depth = 0

  constructor(strict: boolean, load: (name: string) => Loaded) {
    super()
    this.strict = strict
    this.load = load
  }

  /** Goes one level deeper: a macro, an include, a block, a recursive loop. */
  nested<T>(run: () => T): T {
    if (++this.depth > MAX_DEPTH) throw limitError('templates or macros are nested too deeply')
    const result = run()
    this.depth--
    return result
  }
}

/** A compiled template, as other templates see it. */
export interface Loaded {
  readonly name: string | undefined
  readonly blocks: ReadonlyMap<string, BlockFunction>
  root(context: Context): void
}

export class Context {
  readonly render: Render
  readonly template: string | undefined
  /** Assigned at the top level of the template, as far as blocks, includes and imports see it. */
  readonly vars = new Map<string, Value>()
  readonly exported = new Set<string>()
  readonly blocks = new Map<string, BlockFunction[]>()
  readonly outer: Resolve
  /** What `autoescape` was last set to; whether that is true is asked when it matters, as in Jinja2. */
  escaping: Value = false

  constructor(render: Render, template: Loaded | undefined, outer: Resolve) {
    this.render = render
    this.template = template?.name
    this.outer = outer
    for (const [name, block] of template?.blocks ?? []) this.blocks.set(name, [block])
  }

  get autoescape(): boolean {
    return truthy(this.escaping)
  }

  resolve(name: string): Value | undefined {
    const value = this.vars.size > 0 ? this.vars.get(name) : undefined
    return value === undefined ? this.outer(name) : value
  }

  /** All that can be resolved here now, with local variables on top. */
  snapshot(locals: Iterable<readonly [string, Value | undefined]>): Resolve {
    const known = new Map<string, Value>(this.vars)
    for (const [name, value] of locals) if (value !== undefined) known.set(name, value)
    if (known.size === 0) return this.outer
    return (name) => {
      const value = known.get(name)
      return value === undefined ? this.outer(name) : value
    }
  }

  /** A context for a scoped block: the same blocks, and the local variables where it stands. */
  derived(locals: Iterable<readonly [string, Value | undefined]>): Context {
    const context = new Context(this.render, undefined, this.snapshot(locals))
    for (const [name, stack] of this.blocks) context.blocks.set(name, [...stack])
    context.escaping = this.escaping
    return context
  }

  undefined(missing: Missing): Undefined {
    return new Undefined(this.render.strict, missing)
  }
}

/** One run of a template, block or macro: its variables by slot. */
export class Frame {
  readonly slots: (Value | undefined)[]
  readonly context: Context
  readonly render: Render
  readonly parent: Frame | undefined
  /** The template that the one running here extends, once that is known. */
  extended: Loaded | undefined

  constructor(size: number, context: Context, parent?: Frame) {
    this.slots = new Array(size).fill(undefined)
    this.context = context
    this.render = context.render
    this.parent = parent
  }
}

export const templateNotFound = (name: string): TemplateError =>
  new TemplateError('not-found', `template not found: ${name}`)

/** What Jinja2 itself calls a TemplateRuntimeError. */
export const runtimeError = (reason: string): TemplateError =>
  new TemplateError('value', reason, { exception: 'TemplateRuntimeError' })
