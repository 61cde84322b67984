/** The hash of an item's id. */
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
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < id.length; i++) {
    const unit = id.charCodeAt(i)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  hash[0] = a
  hash[1] = b
}

/** Turns the hash of an item into that of one of its trials. */
export function hashTrial(n: number): void {
  hash[0] = Math.imul(hash[0]! ^ (n + 1), 2654435761)
  hash[1] = Math.imul(hash[1]! ^ (n + 1), 1597334677) ^ (hash[1]! >>> 15)
}

/** JSON text with the escapes that JSON.stringify writes. */
export const canonical = (text: Latin1) => encode(JSON.stringify(JSON.parse(decode(text))))
