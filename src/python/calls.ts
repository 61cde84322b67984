/* Arguments: how Python matches them with parameters. */
import { typeError } from './error.ts'
import { Func, type Kwargs, type Value } from './values.ts'

/** A parameter that may have been left out. */
export type Arg = Value | undefined

/** A value, or what stands for it where none was given. (`??` would take None for nothing.) */
export const given = <T, F>(value: T | undefined, fallback: F): T | F =>
  value === undefined ? fallback : value

/** A method of a built-in type, or a filter: `self` is what it is called on. */
export type Method<Self> = (self: Self, args: Value[], kwargs: Kwargs | undefined) => Value

/** A method that takes between `min` and `max` arguments, by position only. */
export const positional =
  <Self>(min: number, max: number, run: (self: Self, ...args: Arg[]) => Value): Method<Self> =>
  (self, args, kwargs) => {
    if (kwargs?.size) throw typeError('no keyword arguments are taken here')
    if (args.length < min || args.length > max) {
      const count = min === max ? `${min}` : `${min} to ${max}`
      throw typeError(`expected ${count} arguments, got ${args.length}`)
    }
    return run(self, ...args)
  }

/**
 * A method whose parameters can be given by name. `params` names them, with spaces between; those before
 * a `?` must be given.
 */
export const named = <Self>(params: string, run: (self: Self, ...args: Arg[]) => Value): Method<Self> => {
  const [before, after = ''] = params.split('?').map((part) => part.split(' ').filter(Boolean)) as [
    string[],
    string[]?,
  ]
  const names = [...before, ...(after as string[])]
  const required = before.length
  return (self, args, kwargs) => {
    if (kwargs?.size || args.length < required || args.length > names.length)
      return run(self, ...bind(names, required, args, kwargs))
    // Spreading costs more than most filters do.
    if (args.length === 1) return run(self, args[0])
    return args.length === 2 ? run(self, args[0], args[1]) : run(self, ...args)
  }
}

/** One value per parameter, undefined where none was given. @throws TypeError */
export const bind = (
  names: readonly string[],
  required: number,
  args: Value[],
  kwargs: Kwargs | undefined,
): Arg[] => {
  if (args.length > names.length)
    throw typeError(`at most ${names.length} arguments are taken here, ${args.length} were given`)
  const bound: Arg[] = [...args]
  for (const [key, value] of kwargs ?? []) {
    const i = names.indexOf(key)
    if (i < 0) throw typeError(`unexpected keyword argument '${key}'`)
    if (i < args.length) throw typeError(`multiple values for argument '${key}'`)
    bound[i] = value
  }
  for (let i = 0; i < required; i++)
    if (bound[i] === undefined) throw typeError(`missing required argument '${names[i]}'`)
  return bound
}

/** The method of a table with that name, taken off its object. */
export const methodOf = <Self>(
  table: Record<string, Method<Self>>,
  self: Self,
  name: string,
): Func | undefined =>
  Object.hasOwn(table, name) ? new Func((args, kwargs) => table[name]!(self, args, kwargs)) : undefined
