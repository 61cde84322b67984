/** Seeded randomness: it depends on a text, never on a row's position, so it is the same on every machine and in any order. */
import { crypto } from './crypto.ts'

/** 32 pseudo-random bytes: the text's SHA-256. */
export function seededBytes(text: string): Buffer {
  return crypto().hash('sha256', text, 'buffer')
}

/** The first two 32-bit words of these bytes, big-endian. */
export function seededWords(text: string): [number, number] {
  // A binary string takes half the time of a Buffer.
  const bytes = crypto().hash('sha256', text, 'binary')
  return [wordAt(bytes, 0), wordAt(bytes, 4)]
}

const wordAt = (bytes: string, i: number) =>
  ((bytes.charCodeAt(i) << 24) |
    (bytes.charCodeAt(i + 1) << 16) |
    (bytes.charCodeAt(i + 2) << 8) |
    bytes.charCodeAt(i + 3)) >>>
  0
