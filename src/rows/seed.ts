/** What is drawn at random, and never from a row's place: the same on every machine and in every order of rows. */

/** 32 bytes that depend on the text alone: its SHA-256. */
export function seededBytes(text: string): Buffer {
  // Asked for when it is needed: not every run draws a coin.
  const { hash } = process.getBuiltinModule('node:crypto')
  return hash('sha256', text, 'buffer')
}
