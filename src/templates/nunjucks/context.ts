/* What a nunjucks template runs on: frames of variables, the context they stand on, the output. */
import { limitError } from '../error.ts'
import { MAX_DEPTH } from '../limits.ts'
import { Sheet } from '../sheet.ts'
import type { JsObject, Value } from './values.ts'

export type Block = (run: Run, frame: Frame) => void

/** A compiled template. */
export interface Compiled {
  name: string | undefined
  blocks: ReadonlyMap<string, Block>
  root(run: Run, frame: Frame): void
}

/** Variables of a scope; those of the scopes around it can be read, and set unless `isolated`. */
export class Frame {
  readonly variables = new Map<string, Value>()
  readonly parent: Frame | undefined
  readonly isolated: boolean
  readonly top: boolean

  constructor(parent?: Frame, isolated = false, top = false) {
    this.parent = parent
    this.isolated = isolated
    this.top = top
  }

  lookup(name: string): Value {
    for (let frame: Frame | undefined = this; frame; frame = frame.parent) {
      const value = frame.variables.get(name)
      if (value !== undefined) return value
    }
    return undefined
  }

  /** Sets a variable where it is already known, else here. */
  assign(name: string, value: Value): void {
    for (let frame: Frame | undefined = this; frame; frame = frame.isolated ? undefined : frame.parent) {
      if (frame.variables.get(name) === undefined) continue
      frame.variables.set(name, value)
      return
    }
    this.variables.set(name, value)
  }
}

/** What all templates of one render have in common. */
export interface Shared {
  depth: number
  readonly strict: boolean
  /** How many times `super()` has gone up from the outermost block of a name. */
  readonly depthOf: Map<string, number>
  load(name: string, from: string | undefined): Compiled
}

/** One run of a template, with its own context. */
export class Run extends Sheet {
  readonly shared: Shared
  readonly globals: JsObject
  readonly template: string | undefined
  readonly data: JsObject
  readonly own = new Map<string, Value>()
  readonly exported = new Set<string>()
  readonly blocks = new Map<string, Block[]>()
  parent: Compiled | undefined

  constructor(
    shared: Shared,
    globals: JsObject,
    template: Compiled,
    data: JsObject,
    own?: ReadonlyMap<string, Value>,
  ) {
    super()
    this.shared = shared
    this.globals = globals
    this.template = template.name
    this.data = data
    for (const [name, value] of own ?? []) this.own.set(name, value)
    for (const [name, block] of template.blocks) this.blocks.set(name, [block])
  }

  lookup(name: string): Value {
    if (this.own.has(name)) return this.own.get(name)
    if (Object.hasOwn(this.data, name)) return this.data[name]
    return Object.hasOwn(this.globals, name) ? this.globals[name] : undefined
  }

  nested<T>(run: () => T): T {
    if (++this.shared.depth > MAX_DEPTH) throw limitError('templates or macros are nested too deeply')
    const result = run()
    this.shared.depth--
    return result
  }
}
