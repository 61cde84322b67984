/** What is known of many items, in growing columns: no object an item. Values that several items have are kept once. */
import { grown } from '../../scoring/ledger.ts'

/** Numbers by item; NaN stands for none. A column without any takes no room. */
export class ItemNumbers {
  private values = new Float64Array(0)

  set(item: number, value: number | undefined): void {
    if (item >= this.values.length) {
      if (value === undefined) return
      const { length } = this.values
      this.values = grown(this.values, item + 1).fill(Number.NaN, length)
    }
    this.values[item] = value ?? Number.NaN
  }

  get(item: number): number | undefined {
    const value = this.values[item] ?? Number.NaN
    return Number.isNaN(value) ? undefined : value
  }
}

/** Values of which many items have the same. @param keyOf values of the same key are the same */
export class SharedColumn<T> {
  private codes = new Uint32Array(0)
  private readonly values: T[] = []
  private readonly byKey = new Map<unknown, number>()
  private readonly keyOf: (value: T) => unknown

  constructor(keyOf: (value: T) => unknown = jsonKey) {
    this.keyOf = keyOf
  }

  set(item: number, value: T | undefined): void {
    if (value === undefined && item >= this.codes.length) return
    if (item >= this.codes.length) this.codes = grown(this.codes, item + 1)
    this.codes[item] = value === undefined ? 0 : this.codeOf(value)
  }

  get(item: number): T | undefined {
    return this.values[(this.codes[item] ?? 0) - 1]
  }

  private codeOf(value: T): number {
    const key = this.keyOf(value)
    let code = this.byKey.get(key)
    if (code === undefined) this.byKey.set(key, (code = this.values.push(value)))
    return code
  }
}

function jsonKey(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  try {
    return `\0${JSON.stringify(value)}`
  } catch {
    // It is nested too deeply to be compared, and shared with none.
    return value
  }
}

/** Labels: numbers, of which each item may have another, and values that are shared. */
export class ItemLabels<T> {
  private readonly numbers = new ItemNumbers()
  private readonly others = new SharedColumn<T>()

  set(item: number, value: T | undefined): void {
    const isNumber = typeof value === 'number'
    this.numbers.set(item, isNumber ? value : undefined)
    this.others.set(item, isNumber ? undefined : value)
  }

  get(item: number): T | undefined {
    return (this.numbers.get(item) as T | undefined) ?? this.others.get(item)
  }
}
