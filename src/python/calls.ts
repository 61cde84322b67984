/* Matches arguments with parameters, as Python does. */
import { typeError, unsupported } from './error.ts'
import type { Kwargs, Value } from './values.ts'

/** An argument; undefined if it was omitted. */
export type Arg = Value | undefined

/** A value, or a fallback for undefined. (`??` would replace None, too.) */
export const given = <T, F>(value: T | undefined, fallback: F): T | F =>
  value === undefined ? fallback : value

/** A method of a built-in type, or a filter: `self` is what it is called on. */
export type Method<Self> = (self: Self, args: Value[], kwargs: Kwargs | undefined) => Value

interface Parameter {
  name: string
  required: boolean
  fallback: Arg
}

const CONSTANTS: Record<string, Arg> = { none: null, true: true, false: false, '?': undefined }

const parametersOf = (signature: string): Parameter[] =>
  Array.from(signature.matchAll(/(\w+)(?:=('[^']*'|\S+))?/g), ([, name, source]) => {
    const isConstant = source !== undefined && Object.hasOwn(CONSTANTS, source)
    const text = source?.startsWith("'") ? source.slice(1, -1) : undefined
    return {
      name: name!,
      required: source === undefined,
      fallback: isConstant ? CONSTANTS[source] : (text ?? Number(source)),
    }
  })

/**
 * A method with a signature: parameters separated by spaces, `width=79` with a default, `=?` for undefined by default.
 * Parameters before a `/` are positional only.
 */
export const method = <Self>(
  signature: string,
  run: (self: Self, ...args: Value[]) => Value,
): Method<Self> => {
  const positional = signature.endsWith('/')
  const parameters = parametersOf(signature)
  const { length } = parameters
  const required = parameters.filter((each) => each.required).length
  return (self, args, kwargs) => {
    if (kwargs?.size || args.length < required || args.length > length)
      bind(parameters, positional, args, kwargs)
    for (let i = args.length; i < length; i++) args.push(parameters[i]!.fallback as Value)
    // Spreading costs more than most filters do.
    if (length === 1) return run(self, args[0]!)
    return length === 2 ? run(self, args[0]!, args[1]!) : run(self, ...args)
  }
}

/** Puts keyword arguments and defaults after the positional arguments. @throws TypeError */
const bind = (
  parameters: Parameter[],
  positional: boolean,
  args: Value[],
  kwargs: Kwargs | undefined,
): void => {
  if (args.length > parameters.length)
    throw typeError(`at most ${parameters.length} arguments are taken here, ${args.length} were given`)
  const { length } = args
  const names = new Map(kwargs)
  for (const { name, required, fallback } of parameters.slice(length)) {
    const value = positional ? undefined : names.get(name)
    if (value === undefined && required) throw typeError(`missing required argument '${name}'`)
    args.push(value === undefined ? (fallback as Value) : value)
    if (!positional) names.delete(name)
  }
  const [unknown] = names.keys()
  if (unknown !== undefined) throw typeError(`unexpected or repeated argument '${unknown}'`)
}

/** Methods of Python that are refused by name. */
export const refused = (type: string, names: string): Record<string, Method<unknown>> => {
  const refuse = (name: string) => () => {
    throw unsupported(`${type}.${name}`)
  }
  return Object.fromEntries(names.split(' ').map((name) => [name, refuse(name)]))
}
