/* Scopes while a template is compiled, and the code that goes between variables and frames. */
import type { Value } from '../../python/values.ts'
import type { Frame } from './context.ts'
import type { FunctionScope, Symbols, Variable } from './symbols.ts'

/** Computes a value in a frame. */
export type Evaluate = (frame: Frame) => Value
/** Runs a statement in a frame. */
export type Execute = (frame: Frame) => void

export interface Scope {
  readonly symbols: Symbols
  /** The function whose frames the code runs in. */
  readonly owner: FunctionScope
  /** At the top level of the template, also within an `if`: assignments are seen by blocks and imports. */
  readonly toplevel: boolean
  /** At the top level and not within an `if`. */
  readonly rootlevel: boolean
  /** Within an `if`: unknown filters and tests are errors only when they are used. */
  readonly soft: boolean
  /** In a template that may extend another: output counts only while it doesn't. */
  readonly outputCheck: boolean
}

export const soften = (scope: Scope): Scope => ({ ...scope, rootlevel: false, soft: true })

export type ReadSlot = (frame: Frame) => Value | undefined
export type WriteSlot = (frame: Frame, value: Value | undefined) => void

/** Reads a variable; undefined where nothing was assigned to it. */
export const readVariable = (from: FunctionScope, { owner, slot }: Variable): ReadSlot => {
  const distance = from.distance(owner)
  if (distance === 0) return (frame) => frame.slots[slot]
  if (distance === 1) return (frame) => frame.parent!.slots[slot]
  return (frame) => up(frame, distance).slots[slot]
}

const up = (frame: Frame, distance: number): Frame => {
  let found = frame
  for (let i = 0; i < distance; i++) found = found.parent!
  return found
}

/** What happens when a scope is entered: its variables get their first values. */
export const enterScope = ({ symbols, owner }: Pick<Scope, 'symbols' | 'owner'>): Execute | undefined => {
  const steps: Execute[] = []
  for (const [{ slot }, load] of symbols.loads) {
    if (load.from === 'context') {
      const { name } = load
      steps.push((frame) => {
        frame.slots[slot] = frame.context.resolve(name)
      })
    } else if (load.from === 'outer') {
      const read = readVariable(owner, load.variable)
      steps.push((frame) => {
        frame.slots[slot] = read(frame)
      })
    } else if (load.from === 'nothing') {
      steps.push((frame) => {
        frame.slots[slot] = undefined
      })
    }
  }
  return inOrder(steps)
}

/** What happens when a scope is left: its variables are gone, also for macros that still refer to them. */
export const leaveScope = ({ symbols }: Pick<Scope, 'symbols'>): Execute => {
  const slots = [...symbols.loads.keys()].map(({ slot }) => slot)
  return (frame) => {
    for (const slot of slots) frame.slots[slot] = undefined
  }
}

/** Several steps as one; undefined for none. */
export const inOrder = (steps: readonly Execute[]): Execute | undefined => {
  const [first, second] = steps
  if (steps.length < 2) return first
  if (steps.length === 2) {
    return (frame) => {
      first!(frame)
      second!(frame)
    }
  }
  return (frame) => {
    for (let i = 0; i < steps.length; i++) steps[i]!(frame)
  }
}

export const nothing: Execute = () => {}
