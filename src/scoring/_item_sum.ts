import { hash } from './_item_hash.ts'

/** A sum over the hashes of items, in any order: sets of items with equal sums are equal. */
export class ItemSum {
  private first = 0
  private second = 0

  /** Adds an item; by default the one hashed last. */
  add(first = hash[0]!, second = hash[1]!): void {
    this.first = (this.first + first) | 0
    this.second = (this.second + second) | 0
  }

  get value(): string {
    return `${(this.first >>> 0).toString(16)}-${(this.second >>> 0).toString(16)}`
  }

  merge(value: string): void {
    const [first = 0, second = 0] = value.split('-').map((word) => Number.parseInt(word, 16))
    this.first = (this.first + first) | 0
    this.second = (this.second + second) | 0
  }
}
