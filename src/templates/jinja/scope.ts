/*
 * Where a name's value is kept. Jinja2 resolves names when it compiles: each scope has its own variables. What
 * is set in a loop is gone after it; what is set on one branch only falls back to the scope around it on the
 * other, and at last to the context.
 */
import { limitError } from '../../python/error.ts'
import { MAX_DEPTH, MAX_LENGTH, spend } from '../../python/limits.ts'
import type { Value } from '../../python/values.ts'
import { type Statement, targetNames } from './nodes.ts'
import { type Missing, Undefined } from './undefined.ts'

/** Finds a variable by name; undefined where there is none. */
export type Resolve = (name: string) => Value | undefined

/** A compiled template. */
export interface Loaded {
  readonly name: string | undefined
  root(context: TemplateContext): void
}

/** What the templates of one render have in common, and write on. */
export class Render {
  text = ''
  readonly strict: boolean
  readonly load: (name: string) => Loaded
  /** What was imported without context: once each. */
  readonly modules = new Map<Loaded, Value>()
  private depth = 0

  constructor(strict: boolean, load: (name: string) => Loaded) {
    this.strict = strict
    this.load = load
  }

  write(text: string): void {
    this.text += text
    if (this.text.length > MAX_LENGTH) throw limitError(`the output is longer than ${MAX_LENGTH} characters`)
  }

  /** What `run` writes, as text of its own. */
  capture(run: () => void): string {
    const before = this.text
    this.text = ''
    run()
    const { text } = this
    this.text = before
    spend(text.length >> 6)
    return text
  }

  /** Goes one level deeper: a macro, an include, a recursive loop. */
  nested<T>(run: () => T): T {
    if (++this.depth > MAX_DEPTH)
      throw limitError(`macros or templates are nested more than ${MAX_DEPTH} deep`)
    const result = run()
    this.depth--
    return result
  }
}

/** What one template of a render sees. */
export class TemplateContext {
  readonly render: Render
  /** Assigned at the top level of the template, for its includes and importers. */
  readonly vars = new Map<string, Value>()
  /** Those of them that importers see. */
  readonly exported = new Set<string>()
  readonly outer: Resolve

  constructor(render: Render, outer: Resolve) {
    this.render = render
    this.outer = outer
  }

  resolve(name: string): Value | undefined {
    const value = this.vars.size > 0 ? this.vars.get(name) : undefined
    return value === undefined ? this.outer(name) : value
  }

  undefined(missing: Missing): Undefined {
    return new Undefined(this.render.strict, missing)
  }
}

/** One run of a template or macro: its variables by slot. */
export class Frame {
  readonly slots: (Value | undefined)[]
  readonly context: TemplateContext
  readonly render: Render
  readonly parent: Frame | undefined

  constructor(size: number, context: TemplateContext, parent?: Frame) {
    this.slots = new Array(size).fill(undefined)
    this.context = context
    this.render = context.render
    this.parent = parent
  }
}

/** Computes a value in a frame. */
export type Evaluate = (frame: Frame) => Value
/** Runs a statement in a frame. */
export type Execute = (frame: Frame) => void
export type ReadVariable = (frame: Frame) => Value | undefined

/** What runs in frames of its own: a template, a macro. */
interface Owner {
  slots: number
  readonly depth: number
}

/** A scope while a template is compiled. */
export class Scope {
  readonly parent: Scope | undefined
  readonly owner: Owner
  /** At the top level of the template, also within an `if`: importers see what is assigned. */
  readonly toplevel: boolean
  private readonly slots = new Map<string, number>()
  /** The names that surely have a value where the compiler stands. */
  private sure = new Set<string>()

  constructor(parent: Scope | undefined, toplevel: boolean, ownFrame: boolean) {
    this.parent = parent
    this.toplevel = toplevel
    this.owner = parent && !ownFrame ? parent.owner : { slots: 0, depth: (parent?.owner.depth ?? -1) + 1 }
  }

  /** The slot of a name that this scope assigns. */
  declare(name: string): number {
    let slot = this.slots.get(name)
    if (slot === undefined) {
      slot = this.owner.slots++
      this.slots.set(name, slot)
    }
    return slot
  }

  /** The same where the compiler has reached the assignment. */
  assign(name: string): number {
    this.sure.add(name)
    return this.declare(name)
  }

  /**
   * Declares all that statements assign in this scope. Gives what forgets the values of the names that aren't
   * assigned yet, to be run each time the scope is entered.
   */
  declareAll(body: readonly Statement[]): Execute | undefined {
    for (const each of body) {
      if (each.type === 'Set' || each.type === 'SetBlock')
        targetNames(each.target).map((name) => this.declare(name))
      else if (each.type === 'Macro') this.declare(each.name)
      else if (each.type === 'Import') this.declare(each.target)
      else if (each.type === 'FromImport') for (const [, alias] of each.names) this.declare(alias)
      else if (each.type === 'Branch')
        for (const branch of [...each.branches, { body: each.otherwise }]) this.declareAll(branch.body)
    }
    const slots = [...this.slots].filter(([name]) => !this.sure.has(name)).map(([, slot]) => slot)
    if (slots.length === 0) return undefined
    return (frame) => {
      for (let i = 0; i < slots.length; i++) frame.slots[slots[i]!] = undefined
    }
  }

  /** The slots of a name in this scope and in those around it that share its frame, the innermost first. */
  slotsOf(name: string): number[] {
    const outer = this.parent?.owner === this.owner ? this.parent.slotsOf(name) : []
    const slot = this.slots.get(name)
    return slot === undefined ? outer : [slot, ...outer]
  }

  /** Compiles branches, of which one runs: sure is only what all of them assign. */
  branches<T>(compile: readonly (() => T)[]): T[] {
    const before = this.sure
    const after: Set<string>[] = []
    const results = compile.map((each) => {
      this.sure = new Set(before)
      const result = each()
      after.push(this.sure)
      return result
    })
    this.sure = new Set([...(after[0] ?? before)].filter((name) => after.every((set) => set.has(name))))
    return results
  }

  isSure(name: string): boolean {
    return this.sure.has(name) || (this.parent?.isSure(name) ?? false)
  }

  /** Reads a name: the nearest scope that has a value for it, at last the context. */
  reader(name: string, from = this.owner): ReadVariable {
    const next: ReadVariable = this.parent?.reader(name, from) ?? ((frame) => frame.context.resolve(name))
    const slot = this.slots.get(name)
    if (slot === undefined) return next
    const up = from.depth - this.owner.depth
    if (up === 0)
      return (frame) => {
        const value = frame.slots[slot]
        return value === undefined ? next(frame) : value
      }
    return (frame) => {
      let at = frame
      for (let i = 0; i < up; i++) at = at.parent!
      const value = at.slots[slot]
      return value === undefined ? next(frame) : value
    }
  }

  /** All names assigned here or around, with how they are read: what an include sees. */
  locals(): Map<string, ReadVariable> {
    const found = new Map<string, ReadVariable>()
    for (let scope: Scope | undefined = this; scope; scope = scope.parent)
      for (const name of scope.slots.keys()) if (!found.has(name)) found.set(name, this.reader(name))
    return found
  }
}
