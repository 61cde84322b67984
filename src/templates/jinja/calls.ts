/* Calls: arguments evaluated, and whatever is called called. */

import { dictEntries, isDict } from '../../python/dicts.ts'
import { listOf } from '../../python/iterate.ts'
import { undefinedError } from '../../python/undefined.ts'
import { type Kwargs, Obj, textOf, typeName, type Value } from '../../python/values.ts'
import { typeError } from '../error.ts'
import { spend } from '../limits.ts'
import type { Context, Frame } from './context.ts'
import { Macro } from './macro.ts'
import type { Evaluate } from './scope.ts'

export interface CompiledArguments {
  /** The positional arguments behind those given as `before`. */
  positional(frame: Frame, before: Value[]): Value[]
  named?: (frame: Frame) => Kwargs
}

/** Puts compiled arguments together. */
export const compileArguments = (
  args: readonly Evaluate[],
  kwargs: readonly { key: string; value: Evaluate }[],
  spread: Evaluate | null,
  spreadNamed: Evaluate | null,
): CompiledArguments => {
  const positional = (frame: Frame, values: Value[]): Value[] => {
    for (let i = 0; i < args.length; i++) values.push(args[i]!(frame))
    if (spread) for (const value of listOf(spread(frame))) values.push(value)
    return values
  }
  if (kwargs.length === 0 && !spreadNamed) return { positional }
  const named = (frame: Frame): Kwargs => {
    const result: Kwargs = new Map()
    for (const { key, value } of kwargs) result.set(key, value(frame))
    if (spreadNamed) addNamed(result, spreadNamed(frame))
    return result
  }
  return { positional, named }
}

const addNamed = (result: Kwargs, value: Value): void => {
  if (!isDict(value))
    throw undefinedError(value) ?? typeError(`argument after ** must be a mapping, not ${typeName(value)}`)
  for (const [key, each] of dictEntries(value)) {
    const name = textOf(key)
    if (name === undefined) throw typeError('keywords must be strings')
    if (result.has(name)) throw typeError(`got multiple values for keyword argument '${name}'`)
    result.set(name, each)
  }
}

/** Calls a value. */
export const callValue = (
  context: Context,
  callee: Value,
  args: Value[],
  kwargs: Kwargs | undefined,
): Value => {
  spend(1)
  if (callee instanceof Macro) return callee.callFrom(context, args, kwargs)
  if (callee instanceof Obj && callee.callable) return callee.call(args, kwargs)
  throw typeError(`'${typeName(callee)}' object is not callable`)
}
