/** The hash of an item's id, by which tables of items know it. */
import { Block } from '../rows/block.ts'
import { hashText } from '../rows/item_hash.ts'
import type { Line } from '../rows/line.ts'
import { decode, encode, type Latin1 } from '../rows/row.ts'

/** Both halves of the hash of the text that was hashed last: in an array, for a variable would make objects of big numbers. */
export const hash = new Uint32Array(2)

/**
 * A 64-bit hash of an item's id, for the next call of a table.
 * @param text its JSON text, as in a row
 */
export function hashItem(text: Latin1): void {
  // The same id may be escaped in several ways.
  const id = text.includes('\\') ? canonical(text) : text
  hashText(Block.of(id), 0, id.length, hash)
}

/** The same for the item of a line, which it has. */
export function hashItemOf(line: Line): void {
  hash[0] = line.itemHash
  hash[1] = line.itemHash2
  if (!line.hasItemHash) hashItem(line.jbText(line.item))
}

/** Makes of the hash of an item that of one of its trials. */
export function hashTrial(n: number): void {
  hash[0] = Math.imul(hash[0]! ^ (n + 1), 2654435761)
  hash[1] = Math.imul(hash[1]! ^ (n + 1), 1597334677) ^ (hash[1]! >>> 15)
}

/** JSON text with the escapes that JSON.stringify writes. */
export const canonical = (text: Latin1) => encode(JSON.stringify(JSON.parse(decode(text))))
