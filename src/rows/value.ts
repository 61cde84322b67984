/** Values at places that {@link scan} found. */

/** A whole number from 0 to 2^53; -1 for anything else. */
export function integerAt(bytes: Uint8Array, from: number, to: number): number {
  let value = 0
  if (to - from > 15 || to === from) return wholeOf(jsonNumber(bytes, from, to))
  for (let i = from; i < to; i++) {
    const digit = bytes[i]! - 0x30
    if (digit < 0 || digit > 9) return wholeOf(jsonNumber(bytes, from, to))
    value = value * 10 + digit
  }
  return value
}

const wholeOf = (value: number) => (Number.isSafeInteger(value) && value >= 0 ? value : -1)

/** NaN where it is no JSON number. */
export function jsonNumber(bytes: Uint8Array, from: number, to: number): number {
  const first = bytes[from]!
  return first === 0x2d || (first >= 0x30 && first <= 0x39) ? Number(latin1(bytes, from, to)) : Number.NaN
}

const latin1 = (bytes: Uint8Array, from: number, to: number) => (bytes as Buffer).latin1Slice(from, to)

export function isSame(bytes: Uint8Array, from: number, to: number, known: Uint8Array): boolean {
  if (to - from !== known.length) return false
  for (let i = 0; i < known.length; i++) if (bytes[from + i] !== known[i]) return false
  return true
}

/** Numbers JSON texts, from 1 on. */
export class Codes {
  readonly texts: string[] = []
  private readonly numbers = new Map<string, number>()
  private last = 0
  private lastBytes: Uint8Array = new Uint8Array(0)

  code(bytes: Uint8Array, from: number, to: number): number {
    if (this.last > 0 && isSame(bytes, from, to, this.lastBytes)) return this.last
    const text = latin1(bytes, from, to)
    let number = this.numbers.get(text)
    if (number === undefined) this.numbers.set(text, (number = this.texts.push(text)))
    this.last = number
    this.lastBytes = Uint8Array.prototype.slice.call(bytes, from, to)
    return number
  }
}
