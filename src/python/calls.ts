/* Arguments: how Python matches them with parameters. */
import { typeError } from '../templates/error.ts'
import { ADDRESS, Builtin, type Kwargs, type Value } from './values.ts'

/** A parameter that may have been left out. */
export type Arg = Value | undefined

/** A value, or what stands for it where none was given. (`??` would take None for nothing.) */
export const given = <T, F>(value: T | undefined, fallback: F): T | F =>
  value === undefined ? fallback : value

/** A method of a built-in type, or a filter: `self` is what it is called on. */
export type Method<Self> = (self: Self, args: Value[], kwargs: Kwargs | undefined) => Value

/** A method that takes between `min` and `max` arguments, by position only. */
export const positional =
  <Self>(name: string, min: number, max: number, run: (self: Self, ...args: Arg[]) => Value): Method<Self> =>
  (self, args, kwargs) => {
    if (kwargs?.size) throw typeError(`${name}() takes no keyword arguments`)
    checkCount(name, min, max, args.length)
    return run(self, ...args)
  }

const checkCount = (name: string, min: number, max: number, given: number): void => {
  if (given >= min && given <= max) return
  const [bound, count] = given < min ? ['at least', min] : ['at most', max]
  throw typeError(`${name}() expected ${min === max ? 'exactly' : bound} ${count} arguments, got ${given}`)
}

/** A method whose parameters can be given by name; the first `required` must be given. */
export const named = <Self>(
  name: string,
  params: readonly string[],
  required: number,
  run: (self: Self, ...args: Arg[]) => Value,
): Method<Self> => {
  return (self, args, kwargs) => {
    if (kwargs?.size || args.length < required || args.length > params.length) {
      return run(self, ...bind(name, params, required, args, kwargs))
    }
    // Spreading costs more than most filters do.
    switch (args.length) {
      case 1:
        return run(self, args[0])
      case 2:
        return run(self, args[0], args[1])
      case 3:
        return run(self, args[0], args[1], args[2])
      default:
        return run(self, ...args)
    }
  }
}

/** One value per parameter, undefined where none was given. */
export const bind = (
  name: string,
  params: readonly string[],
  required: number,
  args: Value[],
  kwargs: Kwargs | undefined,
): Arg[] => {
  if (args.length > params.length) {
    throw typeError(`${name}() takes at most ${params.length} arguments (${args.length} given)`)
  }
  const bound: Arg[] = [...args]
  for (const [key, value] of kwargs ?? []) {
    const i = params.indexOf(key)
    if (i < 0) throw typeError(`${name}() got an unexpected keyword argument '${key}'`)
    if (i < args.length) throw typeError(`${name}() got multiple values for argument '${key}'`)
    bound[i] = value
  }
  for (let i = 0; i < required; i++) {
    if (bound[i] === undefined) throw typeError(`${name}() missing required argument: '${params[i]}'`)
  }
  return bound
}

/** A method taken off its object: what `text.upper` is without a call. */
export const boundMethod = <Self>(type: string, name: string, self: Self, method: Method<Self>): Builtin =>
  new Builtin(
    `built-in method ${name} of ${type} object at ${ADDRESS}`,
    (args, kwargs) => method(self, args, kwargs),
    self,
  )
