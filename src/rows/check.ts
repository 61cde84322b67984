/**
 * What a value must be, said once: a check at run time, its JSON Schema and its TypeScript type.
 *
 * Rows come from anywhere, so each member of `jb` is checked when it is read (Row.get), and all later code can rely on its type.
 */

import { isObject, type Json, type JsonObject } from './json.ts'

/** Returns where a value is wrong and what was expected; undefined if it is right, and then it is a T. */
export interface Check<T> {
  (value: unknown): Fault | undefined
  /** JSON Schema of the same values. */
  schema: JsonObject
  /** For the compiler alone. */
  type?: T
}

interface Fault {
  /** `.options[2]`; empty for the value itself. */
  at: string
  value: unknown
  expected: string
}

/** The type of what passes a check. */
export type Checked<C> = C extends Check<infer T> ? T : never

export const checking = <T>(schema: JsonObject, check: (value: unknown) => Fault | undefined): Check<T> =>
  Object.assign(check, { schema })

export const is = <T>(expected: string, schema: JsonObject, fits: (value: unknown) => boolean): Check<T> =>
  checking(schema, (value) => (fits(value) ? undefined : { at: '', value, expected }))

/** The largest number allowed: sums and sums of squares of millions of them are finite. */
export const LARGEST = 1e100
const isNumber = (value: unknown) => typeof value === 'number' && Math.abs(value) <= LARGEST
const NUMBER = { type: 'number', minimum: -LARGEST, maximum: LARGEST }
const WHOLE = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
const wholeTo = (most: number) => (value: unknown) =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most

/** Any string; the compiler takes it for one of T. */
export const textOf = <T extends string>(): Check<T> =>
  is('a string', { type: 'string' }, (value) => typeof value === 'string')
export const text = textOf<string>()
export const number = is<number>(`a number up to ${LARGEST}`, NUMBER, isNumber)
export const whole = is<number>('a whole number', WHOLE, Number.isSafeInteger)
export const count = is<number>(
  'a whole number from 0 on',
  { ...WHOLE, minimum: 0 },
  wholeTo(Number.MAX_SAFE_INTEGER),
)
/** A result has a number for each. */
export const few = is<number>(
  'a whole number from 0 to 10000',
  { type: 'integer', minimum: 0, maximum: 10_000 },
  wholeTo(10_000),
)
export const chance = is<number>(
  'a probability from 0 to 1',
  { type: 'number', minimum: 0, maximum: 1 },
  (value) => typeof value === 'number' && value >= 0 && value <= 1,
)
export const flag = is<boolean>('true or false', { type: 'boolean' }, (value) => typeof value === 'boolean')
export const object = is<JsonObject>('an object', { type: 'object' }, isObject)
export const anything = is<unknown>('a value', {}, () => true)

export const oneOf = <const T extends Json>(...values: readonly T[]): Check<T> =>
  is(values.map((value) => JSON.stringify(value)).join(' or '), { enum: [...values] }, (value) =>
    values.includes(value as T),
  )

export const orNull = <T>(check: Check<T>): Check<T | null> =>
  checking({ anyOf: [check.schema, { type: 'null' }] }, (value) =>
    value === null ? undefined : check(value),
  )

export const either = <A, B>(one: Check<A>, other: Check<B>): Check<A | B> =>
  checking({ anyOf: [one.schema, other.schema] }, (value) => {
    const fault = one(value)
    const second = fault && other(value)
    return second && { ...second, expected: `${fault.expected} or ${second.expected}` }
  })

export const list = <T>(of: Check<T>, expected: string): Check<T[]> =>
  checking({ type: 'array', items: of.schema }, (value) => {
    if (!Array.isArray(value)) return { at: '', value, expected }
    for (let i = 0; i < value.length; i++) {
      const fault = of(value[i])
      if (fault) return { ...fault, at: `[${i}]${fault.at}` }
    }
    return undefined
  })
export const texts = list(text, 'a list of strings')
export const numbers = list(number, 'a list of numbers')

const two = (what: string, schema: JsonObject, fits: (value: unknown) => boolean) =>
  is<[number, number]>(
    `a list of two ${what}`,
    { type: 'array', items: schema, minItems: 2, maxItems: 2 },
    (value) => Array.isArray(value) && value.length === 2 && value.every(fits),
  )
export const pair = two('whole numbers', WHOLE, Number.isSafeInteger)
export const interval = two('numbers', NUMBER, isNumber)

export const each = <T>(of: Check<T>): Check<Record<string, T>> =>
  checking({ type: 'object', additionalProperties: of.schema }, (value) => {
    if (!isObject(value)) return { at: '', value, expected: 'an object' }
    for (const [key, one] of Object.entries(value)) {
      const fault = of(one)
      if (fault) return { ...fault, at: `.${key}${fault.at}` }
    }
    return undefined
  })

type Checks = Record<string, Check<unknown>>

export const schemasOf = (checks: Checks): JsonObject =>
  Object.fromEntries(Object.entries(checks).map(([key, { schema }]) => [key, schema]))

type Members<C, R extends keyof C> = {
  [K in keyof C as K extends R ? K : never]: Checked<C[K]>
} & {
  [K in keyof C as K extends R ? never : K]?: Checked<C[K]>
}
type Flat<T> = { [K in keyof T]: T[K] }

/**
 * An object whose members pass these checks, and that has those in `required`. The compiler takes those in `ours` for present
 * too: all rows that jb writes have them, and other people's rows without them are read.
 */
export function closed<C extends Checks, R extends keyof C = never, O extends keyof C = never>(
  checks: C,
  required: readonly R[] = [],
  _ours: readonly O[] = [],
): Check<Flat<Members<C, R | O>>> {
  const table = new Map(Object.entries(checks))
  const schema = { type: 'object', properties: schemasOf(checks), required: [...required] as string[] }
  return checking(schema, (value) => {
    if (!isObject(value)) return { at: '', value, expected: 'an object' }
    // Parsed JSON: all its keys are its own.
    for (const key in value) {
      const fault = table.get(key)?.(value[key])
      if (fault) return { ...fault, at: `.${key}${fault.at}` }
    }
    for (const key of required as readonly string[]) {
      if (Object.hasOwn(value, key)) continue
      const fault = table.get(key)!(undefined)
      if (fault) return { ...fault, at: `.${key}${fault.at}` }
    }
    return undefined
  })
}

/** The same, with members beside them that nobody checks. */
export const members: <C extends Checks, R extends keyof C = never, O extends keyof C = never>(
  checks: C,
  required?: readonly R[],
  ours?: readonly O[],
) => Check<Flat<Members<C, R | O> & { [more: string]: unknown }>> = closed

/** In words: `jb.trial.n is "x", expected a whole number from 0 on`. */
export function faultIn<T>(check: Check<T>, value: unknown, path: string): string | undefined {
  const fault = check(value)
  if (!fault) return undefined
  const { at, value: found, expected } = fault
  return `${path}${at} is ${found === undefined ? 'missing' : shortly(found)}, expected ${expected}`
}

function shortly(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (isObject(value)) return 'an object'
  const json = JSON.stringify(value)
  return json.length > 40 ? `${json.slice(0, 40)}…` : json
}
