/** Rows that have the same values in some fields have the same number: found without making texts of them. */
import { asBytes, type Latin1, type Row } from '../../rows/row.ts'

interface Values {
  number: number
  /** JSON texts, by field. */
  texts: (Latin1 | undefined)[]
}

export class FieldValues {
  readonly fields: readonly string[]
  private readonly keys: readonly Latin1[]
  /** By hash: several where theirs is the same. */
  private readonly known = new Map<number, Values[]>()
  private size = 0

  constructor(fields: readonly string[]) {
    this.fields = fields
    this.keys = fields.map(asBytes)
  }

  /** The number of the values of a row; -1 where no row had them. */
  number(row: Row): number {
    const all = this.known.get(this.hash(row))
    if (all) for (let i = 0; i < all.length; i++) if (this.has(row, all[i]!)) return all[i]!.number
    return -1
  }

  /** The same, of new values too. */
  take(row: Row): number {
    const found = this.number(row)
    if (found >= 0) return found
    const hash = this.hash(row)
    const one = { number: this.size++, texts: this.fields.map((field) => row.fieldBytes(field)) }
    this.known.set(hash, [...(this.known.get(hash) ?? []), one])
    return one.number
  }

  private hash(row: Row): number {
    let hash = 0
    for (let i = 0; i < this.keys.length; i++) hash = row.hashField(this.keys[i]!, hash)
    // V8 keeps small whole numbers as they are.
    return hash & 0x3fffffff
  }

  private has(row: Row, { texts }: Values): boolean {
    for (let i = 0; i < texts.length; i++) if (!row.isField(this.keys[i]!, texts[i])) return false
    return true
  }
}
