/** Calls functions of users' `.mjs` judges, and checks what they return. */
import { type ErrorCode, type Json, RowFailure } from '../rows/record.ts'

/** The function, for messages, and the code with which a row fails if it throws. */
export interface UserFunction {
  where: string
  name: 'render' | 'parse'
  code: ErrorCode
}

/** The returned value as JSON text; `null` for a value that JSON lacks. @throws RowFailure for a circle or a BigInt */
export function returnedJson(value: unknown, fn: UserFunction): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch (error) {
    throw failure(fn, `the value it returned is not JSON: ${(error as Error).message.split('\n')[0]}`)
  }
}

/**
 * Calls the function.
 * @throws RowFailure if it throws or returns a promise
 */
export function called<T>(call: () => T, fn: UserFunction): T {
  let value: T
  try {
    value = call()
  } catch (error) {
    throw failure(fn, (error as Error)?.message ?? String(error))
  }
  if (typeof (value as PromiseLike<Json> | null | undefined)?.then !== 'function') return value
  // An unhandled rejection would end the process.
  Promise.resolve(value).catch(() => {})
  throw failure(fn, 'returned a promise: the function must not be async')
}

export const failure = ({ where, name, code }: UserFunction, words: string) =>
  new RowFailure(code, `${where}: ${name}: ${words}`)
