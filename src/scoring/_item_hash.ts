/** The hash of an item's id. */
import { Block } from '../rows/block.ts'
import { hashText } from '../rows/item_hash.ts'
import type { Line } from '../rows/line.ts'
import { decode, encode, type Latin1 } from '../rows/row.ts'

/** Both halves of the last hash. In a typed array, because V8 boxes large numbers in variables. */
export const hash = new Uint32Array(2)

/**
 * Sets {@link hash}, which item tables use, to the hash of an item's id.
 * @param text its JSON text, as in a row
 */
export function hashItem(text: Latin1): void {
  // The same id may be escaped in several ways.
  const id = text.includes('\\') ? canonical(text) : text
  hashText(Block.of(id), 0, id.length, hash)
}

/** The same for the item of a line. @param line it has an item */
export function hashItemOf(line: Line): void {
  hash[0] = line.itemHash
  hash[1] = line.itemHash2
  if (!line.hasItemHash) hashItem(line.jbText(line.item))
}

/** Turns the hash of an item into that of one of its trials. */
export function hashTrial(n: number): void {
  hash[0] = Math.imul(hash[0]! ^ (n + 1), 2654435761)
  hash[1] = Math.imul(hash[1]! ^ (n + 1), 1597334677) ^ (hash[1]! >>> 15)
}

/** JSON text with the escapes that JSON.stringify writes. */
export const canonical = (text: Latin1) => encode(JSON.stringify(JSON.parse(decode(text))))
