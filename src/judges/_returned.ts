/** What a function of a user's `.mjs` judge gave, before it goes into a row. */
import { type ErrorCode, type Json, RowFailure } from '../rows/record.ts'

/** Whose function it is, for messages, and how a row fails by it. */
export interface Giver {
  where: string
  name: 'render' | 'parse'
  code: ErrorCode
}

/** JSON text of what the function gave: null for what JSON has no word for. @throws RowFailure for what is no JSON: a circle, a BigInt */
export function jsonOf(value: unknown, giver: Giver): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch (error) {
    throw failure(giver, `gave what is no JSON: ${(error as Error).message.split('\n')[0]}`)
  }
}

/**
 * Calls the function.
 * @throws RowFailure where it throws, or gives a promise: nobody waits for that
 */
export function called<T>(call: () => T, giver: Giver): T {
  let value: T
  try {
    value = call()
  } catch (error) {
    throw failure(giver, (error as Error)?.message ?? String(error))
  }
  if (typeof (value as PromiseLike<Json> | null | undefined)?.then !== 'function') return value
  // Or it would end the process where it fails.
  Promise.resolve(value).catch(() => {})
  throw failure(giver, 'gave a promise: the function must not be async, it returns at once')
}

export const failure = ({ where, name, code }: Giver, words: string) =>
  new RowFailure(code, `${where}: ${name}: ${words}`)
