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
   * Adds a nugget with those of its keys that the format can store. If there is one with the same text, the two are
   * merged without loss.
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

/** The object with these keys first, without keys of null. */
export function keysInOrder(object: JsonObject, keys: readonly string[]): JsonObject {
  const order = new Set([...keys, ...Object.keys(object)])
  return Object.fromEntries(
    [...order]
      .filter((key) => Object.hasOwn(object, key) && object[key] != null)
      .map((key) => [key, object[key]!]),
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
  const byText = new Map([left ?? [], right ?? []].flat().map((one) => [JSON.stringify(one), one]))
  return [...byText.values()]
}
