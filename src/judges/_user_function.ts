/** Calls a function of a user's `.mjs` judge, and checks what it returned before that goes into a row. */
import { type ErrorCode, type Json, RowFailure } from '../rows/record.ts'

/** Which function it is, for messages, and the code a row fails with when it throws. */
export interface UserFunction {
  where: string
  name: 'render' | 'parse'
  code: ErrorCode
}

/** JSON text of what the function returned; `null` for a value JSON does not have. @throws RowFailure for a circle or a BigInt */
export function returnedJson(value: unknown, fn: UserFunction): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch (error) {
    throw failure(fn, `the value it returned is not JSON: ${(error as Error).message.split('\n')[0]}`)
  }
}

/**
 * Calls the function.
 * @throws RowFailure when it throws or returns a promise: nothing awaits it
 */
export function called<T>(call: () => T, fn: UserFunction): T {
  let value: T
  try {
    value = call()
  } catch (error) {
    throw failure(fn, (error as Error)?.message ?? String(error))
  }
  if (typeof (value as PromiseLike<Json> | null | undefined)?.then !== 'function') return value
  // Otherwise a rejected promise ends the process.
  Promise.resolve(value).catch(() => {})
  throw failure(fn, 'returned a promise: the function must not be async')
}

export const failure = ({ where, name, code }: UserFunction, words: string) =>
  new RowFailure(code, `${where}: ${name}: ${words}`)
