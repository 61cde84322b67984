/** Numbers the different values of some fields: lines with equal values get the same number, without decoding them. */
import type { Line } from '../rows/line.ts'
import type { Latin1 } from '../rows/row.ts'
import { asBytes } from '../rows/text_scan.ts'

interface Values {
  number: number
  /** JSON texts, by field. */
  texts: (Latin1 | undefined)[]
}

export class FieldValues {
  readonly fields: readonly string[]
  private readonly keys: readonly Latin1[]
  /** By hash; several values may have the same. */
  private readonly known = new Map<number, Values[]>()
  private size = 0

  constructor(fields: readonly string[]) {
    this.fields = fields
    this.keys = fields.map(asBytes)
  }

  /** The number of a line's values; -1 if they are new. */
  number(line: Line): number {
    const all = this.known.get(this.hash(line))
    if (all) for (let i = 0; i < all.length; i++) if (this.has(line, all[i]!)) return all[i]!.number
    return -1
  }

  /** The number of a line's values; new values get the next one. */
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
    // V8 does not box small integers.
    return hash & 0x3fffffff
  }

  private has(line: Line, { texts }: Values): boolean {
    for (let i = 0; i < texts.length; i++) if (!line.isUser(this.keys[i]!, texts[i])) return false
    return true
  }
}
