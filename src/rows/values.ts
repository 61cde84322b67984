/** RowValues of a row, read where a plan's scan has found them. */
import type { Plan } from './plan.ts'
import type { Json } from './record.ts'
import { LARGEST } from './shapes.ts'

/** A value is of another type than expected: the whole row says what is wrong with it. */
export class Doubt extends Error {}

const NULL = 0x6e
const QUOTE = 0x22
const OPEN = 0x7b
const MINUS = 0x2d
const ZERO = 0x30
/** Digits of a whole number that is exact whatever they are. */
const DIGITS = 15

export class RowValues {
  /** The bytes that were scanned last. */
  bytes: Buffer = Buffer.alloc(0)
  private readonly at: Int32Array

  constructor({ at }: Plan) {
    this.at = at
  }

  /** Where a value begins; -1 if it is not there. */
  from(slot: number): number {
    return this.at[2 * slot]!
  }

  to(slot: number): number {
    return this.at[2 * slot + 1]!
  }

  /** Whether a value is there, and not null. */
  has(slot: number): boolean {
    const from = this.at[2 * slot]!
    return from >= 0 && this.bytes[from] !== NULL
  }

  /** The same for a value that must be a string. @throws Doubt */
  hasString(slot: number): boolean {
    return this.hasKind(slot, QUOTE)
  }

  /** The same for an object. @throws Doubt */
  hasObject(slot: number): boolean {
    return this.hasKind(slot, OPEN)
  }

  private hasKind(slot: number, first: number): boolean {
    if (!this.has(slot)) return false
    if (this.bytes[this.at[2 * slot]!] !== first) throw new Doubt()
    return true
  }

  /** JSON text, as Latin-1; empty if there is none. */
  json(slot: number): string {
    const from = this.at[2 * slot]!
    return from < 0 ? '' : this.bytes.latin1Slice(from, this.at[2 * slot + 1]!)
  }

  parsed(slot: number): Json {
    return JSON.parse(this.bytes.utf8Slice(this.from(slot), this.to(slot))) as Json
  }

  /** @throws Doubt */
  number(slot: number, otherwise: number): number {
    if (!this.has(slot)) return otherwise
    const number = this.read(slot)
    if (!(Math.abs(number) <= LARGEST)) throw new Doubt()
    return number
  }

  /** A whole number from 0 on. @throws Doubt */
  count(slot: number, otherwise: number): number {
    if (!this.has(slot)) return otherwise
    const number = this.read(slot)
    if (!Number.isSafeInteger(number) || number < 0) throw new Doubt()
    return number
  }

  /** NaN where it is no number. */
  read(slot: number): number {
    const { bytes } = this
    const from = this.at[2 * slot]!
    const to = this.at[2 * slot + 1]!
    if (to - from > DIGITS) return this.readLong(slot)
    let value = 0
    for (let i = from; i < to; i++) {
      const digit = bytes[i]! - ZERO
      if (digit < 0 || digit > 9) return this.readLong(slot)
      value = value * 10 + digit
    }
    return value
  }

  private readLong(slot: number): number {
    const first = this.bytes[this.from(slot)]!
    return first === MINUS || (first >= ZERO && first <= ZERO + 9) ? Number(this.json(slot)) : Number.NaN
  }
}

/** So many texts are compared one by one, which is faster than to look one up. */
const FEW = 16

/** Numbers JSON texts, from 1 on. */
export class Codes {
  readonly texts: string[] = ['']
  private readonly first: Uint8Array[] = []
  private readonly numbers = new Map<string, number>()

  code(bytes: Buffer, from: number, to: number): number {
    const { first } = this
    for (let i = 0; i < first.length; i++) if (isSame(bytes, from, to, first[i]!)) return i + 1
    const text = bytes.latin1Slice(from, to)
    let number = this.numbers.get(text)
    if (number === undefined) {
      this.numbers.set(text, (number = this.texts.push(text) - 1))
      if (first.length < FEW) first.push(Uint8Array.from(bytes.subarray(from, to)))
    }
    return number
  }

  /** The text of a number, decoded. */
  text(number: number): string {
    return Buffer.from(this.texts[number]!, 'latin1').toString()
  }
}

export function isSame(bytes: Uint8Array, from: number, to: number, known: Uint8Array): boolean {
  if (to - from !== known.length) return false
  for (let i = 0; i < known.length; i++) if (bytes[from + i] !== known[i]) return false
  return true
}

/** Numbers combinations of some values, from 0 on, without making their texts again: a tree of the values' numbers. */
export class Combinations {
  readonly codes: readonly Codes[]
  /** By combination of the values before, place of the next one and its number: the combination with it. */
  private readonly next: number[][][] = [[]]

  /** @param places how many values there are */
  constructor(places: number) {
    this.codes = Array.from({ length: places }, () => new Codes())
  }

  /** @param slots of the values; what is not there, or null, is left out */
  number(values: RowValues, slots: readonly number[], node = 0): number {
    for (let place = 0; place < slots.length; place++) {
      const slot = slots[place]!
      if (values.has(slot)) node = this.step(node, place, this.code(values, place, slot))
    }
    return node
  }

  /** The number of the value at a slot. */
  code(values: RowValues, place: number, slot: number): number {
    return this.codes[place]!.code(values.bytes, values.from(slot), values.to(slot))
  }

  /** The combination with one more value. */
  step(node: number, place: number, code: number): number {
    const places = this.next[node]!
    const codes = (places[place] ??= [])
    let found = codes[code]
    if (found === undefined) codes[code] = found = this.next.push([]) - 1
    return found
  }
}
