/**
 * Nugget banks: the facts that a good answer to a topic should contain. `raw` holds the whole file in its own format;
 * `nuggets` is the same for every format, and what judges see.
 */
import type { Json, JsonObject } from '../../rows/record.ts'

/** A nugget to add to a bank. Further keys are kept as metadata, if the format has any. */
export interface NewNugget {
  text: string
  id?: string
  kind?: 'question' | 'claim' | 'nugget'
  importance?: string | number
  assignment?: string
  answers?: string[]
  references?: string[]
  [more: string]: unknown
}

export interface Nugget extends NewNugget {
  /** The file's id, else the MD5 of the text. */
  id: string
  kind: NonNullable<NewNugget['kind']>
}

export interface Bank {
  topic: string
  title: string
  nuggets: Nugget[]
  raw: JsonObject
}

export interface BankFormat {
  /** Whether a line looks like this format. */
  knows(row: JsonObject): boolean
  /** @throws BadBank */
  read(row: JsonObject): Bank
  /** The line's object, keys in the format's order. @throws BadBank if the format cannot hold the bank */
  write(bank: Bank): JsonObject
  /** An empty bank. */
  create(topic: string, title: string): Bank
  /**
   * Adds a nugget, with whatever of it the format can store. A nugget with the same text is merged, without losing
   * anything of either.
   */
  add(bank: Bank, nugget: NewNugget): void
}

/** A malformed bank; the message is for the user. */
export class BadBank extends Error {}

export const badBank = (message: string): never => {
  throw new BadBank(message)
}

/** A string key's value. @throws BadBank */
export function stringAt(row: JsonObject, key: string, what: string): string {
  const value = row[key]
  return typeof value === 'string'
    ? value
    : badBank(`${what}: "${key}" is ${value == null ? 'missing' : 'not a string'}`)
}

/** The object with these keys first, then its others; keys with null are left out. */
export function keysInOrder(object: JsonObject, keys: readonly string[]): JsonObject {
  const others = Object.keys(object).filter((key) => !keys.includes(key))
  return Object.fromEntries(
    [...keys, ...others].flatMap((key): [string, Json][] => {
      const value = Object.hasOwn(object, key) ? object[key] : undefined
      return value == null ? [] : [[key, value]]
    }),
  )
}

/** The metadata of two merged entries; if they differ, both are kept. */
export function mergedMetadata(left: Json | undefined, right: Json | undefined): Json | undefined {
  if (left == null) return right
  if (right == null) return left
  return JSON.stringify(left) === JSON.stringify(right) ? left : { left, right, merged: [left, right] }
}

/** Concatenates two lists, without repeated entries. */
export function united(left: Json | undefined, right: Json | undefined): Json[] {
  const list = [
    ...((left as Json[] | null | undefined) ?? []),
    ...((right as Json[] | null | undefined) ?? []),
  ]
  const seen = new Set<string>()
  return list.filter((one) => {
    const key = JSON.stringify(one)
    return !seen.has(key) && seen.add(key)
  })
}
