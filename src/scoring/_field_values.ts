/** Lines that have the same values in some fields have the same number: found without making texts of them. */
import type { Line } from '../rows/line.ts'
import type { Latin1 } from '../rows/row.ts'
import { asBytes } from '../rows/scan.ts'

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

  /** The number of the values of a line; -1 where none had them. */
  number(line: Line): number {
    const all = this.known.get(this.hash(line))
    if (all) for (let i = 0; i < all.length; i++) if (this.has(line, all[i]!)) return all[i]!.number
    return -1
  }

  /** The same, of new values too. */
  take(line: Line): number {
    const found = this.number(line)
    if (found >= 0) return found
    const hash = this.hash(line)
    const one = { number: this.size++, texts: this.keys.map((key) => line.userText(key)) }
    this.known.set(hash, [...(this.known.get(hash) ?? []), one])
    return one.number
  }

  private hash(line: Line): number {
    let hash = 0
    for (let i = 0; i < this.keys.length; i++) hash = line.hashUser(this.keys[i]!, hash)
    // V8 keeps small whole numbers as they are.
    return hash & 0x3fffffff
  }

  private has(line: Line, { texts }: Values): boolean {
    for (let i = 0; i < texts.length; i++) if (!line.isUser(this.keys[i]!, texts[i])) return false
    return true
  }
}
