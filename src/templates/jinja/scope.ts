/*
 * Scopes of variables. As in Jinja2, names are resolved at compile time: each scope has its own variables. A variable set
 * in a loop ends with it. After a branch that does not set a variable, its name is looked up in the enclosing scopes and
 * the context.
 */
import { limitError } from '../../python/error.ts'
import { MAX_DEPTH, MAX_LENGTH, spend } from '../../python/limits.ts'
import type { Value } from '../../python/values.ts'
import { getOrInsert } from '../../rows/maps.ts'
import type { LanguageOptions } from '../template.ts'
import { type Statement, targetNames } from './nodes.ts'
import { type Missing, Undefined } from './undefined.ts'

/** Finds a variable by name. */
export type Resolve = (name: string) => Value | undefined

/** A compiled template. */
export interface Loaded {
  /** Runs it. @param resolve finds names that are not its own variables */
  root(render: Render, resolve: Resolve): void
}

/** The state of one render, shared by its templates. */
export class Render {
  text = ''
  readonly strict: boolean
  readonly load: (name: string) => Loaded
  readonly readable: LanguageOptions['readable']
  private depth = 0

  constructor(strict: boolean, load: (name: string) => Loaded, readable?: LanguageOptions['readable']) {
    this.strict = strict
    this.load = load
    this.readable = readable
  }

  write(text: string): void {
    this.text += text
    if (this.text.length > MAX_LENGTH) throw limitError(`the output is longer than ${MAX_LENGTH} characters`)
  }

  undefined(missing: Missing): Undefined {
    return new Undefined(this.strict, missing)
  }

  /** Returns the text that `run` writes, which is not added to the output. */
  capture(run: () => void): string {
    const before = this.text
    this.text = ''
    run()
    const { text } = this
    this.text = before
    spend(text.length >> 6)
    return text
  }

  /** Counts a nested macro, include or recursive loop. */
  nested<T>(run: () => T): T {
    if (++this.depth > MAX_DEPTH)
      throw limitError(`macros or templates are nested more than ${MAX_DEPTH} deep`)
    const result = run()
    this.depth--
    return result
  }
}

/** One run of a template or macro: its variables by slot. */
export class Frame {
  readonly slots: (Value | undefined)[]
  readonly render: Render
  /** Finds names that have no value in any scope. */
  readonly resolve: Resolve
  readonly parent: Frame | undefined

  constructor(size: number, render: Render, resolve: Resolve, parent?: Frame) {
    this.slots = new Array(size).fill(undefined)
    this.render = render
    this.resolve = resolve
    this.parent = parent
  }
}

export type Evaluate = (frame: Frame) => Value
export type Execute = (frame: Frame) => void
type ReadVariable = (frame: Frame) => Value | undefined

/** A template or macro, which has frames of its own. */
interface Owner {
  slots: number
  readonly depth: number
}

/** A scope while a template is compiled. */
export class Scope {
  readonly parent: Scope | undefined
  readonly owner: Owner
  private readonly slots = new Map<string, number>()
  /** Names that have a value at this point of the template on every path. */
  private assigned = new Set<string>()

  constructor(parent: Scope | undefined, ownFrame: boolean) {
    this.parent = parent
    this.owner = parent && !ownFrame ? parent.owner : { slots: 0, depth: (parent?.owner.depth ?? -1) + 1 }
  }

  /** The slot of a name in this scope. */
  declare(name: string): number {
    return getOrInsert(this.slots, name, () => this.owner.slots++)
  }

  /** Declares a name that has a value from here on. */
  assign(name: string): number {
    this.assigned.add(name)
    return this.declare(name)
  }

  /**
   * Declares all names that statements assign in this scope. Returns a function that clears those that are not assigned
   * yet; it has to run each time the scope is entered.
   */
  declareAll(body: readonly Statement[]): Execute | undefined {
    for (const each of body) {
      if (each.type === 'Set' || each.type === 'SetBlock')
        targetNames(each.target).map((name) => this.declare(name))
      else if (each.type === 'Macro') this.declare(each.name)
      else if (each.type === 'Branch')
        for (const branch of [...each.branches, { body: each.otherwise }]) this.declareAll(branch.body)
    }
    const slots = [...this.slots].filter(([name]) => !this.assigned.has(name)).map(([, slot]) => slot)
    if (slots.length === 0) return undefined
    return (frame) => {
      for (let i = 0; i < slots.length; i++) frame.slots[slots[i]!] = undefined
    }
  }

  /** The slots of a name in this scope and enclosing ones of the same frame, innermost first. */
  slotsOf(name: string): number[] {
    const outer = this.parent?.owner === this.owner ? this.parent.slotsOf(name) : []
    const slot = this.slots.get(name)
    return slot === undefined ? outer : [slot, ...outer]
  }

  /** Compiles branches, of which one runs: after them a name counts as assigned if all of them assign it. */
  branches<T>(compile: readonly (() => T)[]): T[] {
    const before = this.assigned
    const after: Set<string>[] = []
    const results = compile.map((each) => {
      this.assigned = new Set(before)
      const result = each()
      after.push(this.assigned)
      return result
    })
    this.assigned = new Set([...(after[0] ?? before)].filter((name) => after.every((set) => set.has(name))))
    return results
  }

  isAssigned(name: string): boolean {
    return this.assigned.has(name) || (this.parent?.isAssigned(name) ?? false)
  }

  /** Reads a name from the nearest scope that has a value for it, else from the context. */
  reader(name: string, from = this.owner): ReadVariable {
    const next: ReadVariable = this.parent?.reader(name, from) ?? ((frame) => frame.resolve(name))
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

  /** All names of this scope and enclosing ones, with their readers: for an include. */
  locals(): Map<string, ReadVariable> {
    const found = new Map<string, ReadVariable>()
    for (let scope: Scope | undefined = this; scope; scope = scope.parent)
      for (const name of scope.slots.keys()) if (!found.has(name)) found.set(name, this.reader(name))
    return found
  }
}
