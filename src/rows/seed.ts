/** What is drawn at random, and never from a row's place: the same on every machine and in every order of rows. */

/** 32 bytes that depend on the text alone: its SHA-256. */
export function seededBytes(text: string): Buffer {
  // Asked for when it is needed: not every run draws a coin.
  const { hash } = process.getBuiltinModule('node:crypto')
  return hash('sha256', text, 'buffer')
}

/** The first two words of these bytes, big-endian. */
export function seededWords(text: string): [number, number] {
  const { hash } = process.getBuiltinModule('node:crypto')
  // A string of bytes is made in half the time of a Buffer.
  const bytes = hash('sha256', text, 'binary')
  return [wordAt(bytes, 0), wordAt(bytes, 4)]
}

const wordAt = (bytes: string, i: number) =>
  ((bytes.charCodeAt(i) << 24) |
    (bytes.charCodeAt(i + 1) << 16) |
    (bytes.charCodeAt(i + 2) << 8) |
    bytes.charCodeAt(i + 3)) >>>
  0
