/** Hashes of items' ids, as states of shards have them. */
import { keyOf } from './digest.ts'
import { Ledger, NO_LEADS } from './ledger.ts'

type Key = readonly [high: number, low: number]

/** Keys as text: 8 bytes each. */
export const keysText = (keys: readonly number[]): string =>
  Buffer.from(Uint32Array.from(keys).buffer).toString('base64')

/** The keys of a text that {@link keysText} gave. */
export function* keysIn(text: string): Generator<Key> {
  const bytes = Buffer.from(text, 'base64')
  for (let at = 0; at + 8 <= bytes.length; at += 8) yield [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)]
}

/** A set of items. */
export class ItemKeys {
  private readonly ledger = new Ledger(NO_LEADS)
  private readonly key = new Uint32Array(2)

  get size(): number {
    return this.ledger.size
  }

  add(id: string): void {
    this.addKey([...keyOf(id)] as [number, number])
  }

  /** @returns whether it is new */
  private addKey([high, low]: Key): boolean {
    this.key[0] = high
    this.key[1] = low
    const { size } = this
    this.ledger.itemOf({ run: 0, key: this.key, named: true })
    return this.size > size
  }

  state(): string {
    const keys: number[] = []
    for (let item = 1; item <= this.size; item++) keys.push(...this.ledger.keyOf(item))
    return keysText(keys)
  }

  /** Adds a state. @returns how many of its items were there already */
  merge(state: string): number {
    let known = 0
    for (const key of keysIn(state)) if (!this.addKey(key)) known++
    return known
  }
}

/** A sum over the hashes of items, in any order: sets of items with equal sums are equal. */
export class KeySum {
  private high = 0
  private low = 0

  add([high, low]: Key): void {
    this.high = (this.high + high) | 0
    this.low = (this.low + low) | 0
  }

  get value(): string {
    return `${(this.high >>> 0).toString(16)}-${(this.low >>> 0).toString(16)}`
  }

  merge(value: string): void {
    const [high = 0, low = 0] = value.split('-').map((word) => Number.parseInt(word, 16))
    this.add([high, low])
  }
}
