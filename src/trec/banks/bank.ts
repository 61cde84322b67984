/**
 * Nugget banks: what a good answer to a topic ought to hold. Each format keeps everything its file says in
 * `raw`; `nuggets` is the same for every format, and what judges see.
 */
import type { Json, JsonObject } from '../../rows/record.ts'

/** What is added to a bank. Further keys are kept as metadata where the format has room for it. */
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
  /** Whether a line looks like this format's. */
  knows(row: JsonObject): boolean
  /** @throws BadBank */
  read(row: JsonObject): Bank
  /** The line's object, keys in the format's order. @throws BadBank where the format cannot hold it */
  write(bank: Bank): JsonObject
  /** An empty bank. */
  create(topic: string, title: string): Bank
  /**
   * Adds a nugget, whose `kind`, `answers` and so on the format stores as it can. One with the same text is
   * merged: nothing that stands in either is lost.
   */
  add(bank: Bank, nugget: NewNugget): void
}

/** What is wrong with a bank, in words for a person. */
export class BadBank extends Error {}

export const badBank = (message: string): never => {
  throw new BadBank(message)
}

/** A string key's value. @throws BadBank */
export function stringAt(row: JsonObject, key: string, what: string): string {
  const value = row[key]
  return typeof value === 'string'
    ? value
    : badBank(`${what}: "${key}" is ${value === undefined || value === null ? 'missing' : 'not a string'}`)
}

/** The keys in this order, then any others as they come; keys that hold null are left out. */
export function keysInOrder(object: JsonObject, keys: readonly string[]): JsonObject {
  const others = Object.keys(object).filter((key) => !keys.includes(key))
  return Object.fromEntries(
    [...keys, ...others].flatMap((key): [string, Json][] => {
      const value = Object.hasOwn(object, key) ? object[key] : undefined
      return value === undefined || value === null ? [] : [[key, value]]
    }),
  )
}

/** Two metadata of one thing: both are kept. */
export function mergedMetadata(left: Json | undefined, right: Json | undefined): Json | undefined {
  if (left === undefined || left === null) return right
  if (right === undefined || right === null) return left
  return JSON.stringify(left) === JSON.stringify(right) ? left : { left, right, merged: [left, right] }
}

/** Lists one after the other, each different entry once. */
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
