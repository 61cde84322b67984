/* range(...): a sequence that isn't held in memory. */
import { typeError, valueError } from '../templates/error.ts'
import { boundMethod, type Method, positional } from './calls.ts'
import { repr } from './print.ts'
import { position, sliceIndices } from './subscripts.ts'
import { DONE, floatOf, indexOf, isInt, type Next, Obj, type Value } from './values.ts'

export class Range extends Obj {
  readonly type = 'range'
  readonly start: number
  readonly stop: number
  readonly step: number
  readonly count: number

  constructor(start: number, stop: number, step: number) {
    super()
    if (step === 0) throw valueError('range() arg 3 must not be zero')
    this.start = start
    this.stop = stop
    this.step = step
    this.count = Math.max(0, Math.ceil((stop - start) / step))
  }

  /** range(stop), range(start, stop) or range(start, stop, step). */
  static of(args: Value[]): Range {
    if (args.length < 1 || args.length > 3)
      throw typeError(`range expected 1 to 3 arguments, got ${args.length}`)
    const numbers = args.map((arg) => indexOf(arg))
    if (numbers.length === 1) return new Range(0, numbers[0]!, 1)
    return new Range(numbers[0]!, numbers[1]!, numbers[2] ?? 1)
  }

  override size(): number {
    return this.count
  }

  override iterate(): Next {
    let i = 0
    return () => (i < this.count ? this.start + this.step * i++ : DONE)
  }

  override item(key: Value): Value {
    return this.start + this.step * position(this.count, key, 'range object')
  }

  override slice(from: Value, to: Value, by: Value): Value {
    const { start, stop, step } = sliceIndices(this.count, from, to, by)
    return new Range(this.start + this.step * start, this.start + this.step * stop, this.step * step)
  }

  /** The place of a number in the range, or -1. */
  find(value: Value): number {
    // A strict undefined value refuses to be compared.
    if (value instanceof Obj && this.count > 0) value.equals(this.start)
    const number = isInt(value) ? Number(value) : (floatOf(value) ?? Number.NaN)
    const at = (number - this.start) / this.step
    return Number.isInteger(at) && at >= 0 && at < this.count ? at : -1
  }

  override has(item: Value): boolean {
    return this.find(item) >= 0
  }

  override equals(other: Value): boolean {
    if (!(other instanceof Range) || other.count !== this.count) return false
    if (this.count === 0) return true
    return other.start === this.start && (this.count === 1 || other.step === this.step)
  }

  override attr(name: string): Value | undefined {
    if (name === 'start' || name === 'stop' || name === 'step') return this[name]
    return Object.hasOwn(METHODS, name) ? boundMethod('range', name, this, METHODS[name]!) : undefined
  }

  override repr(): string {
    return `range(${this.start}, ${this.stop}${this.step === 1 ? '' : `, ${this.step}`})`
  }
}

const METHODS: Record<string, Method<Range>> = {
  count: positional('count', 1, 1, (range, value) => (range.has(value!) ? 1 : 0)),
  index: positional('index', 1, 1, (range, value) => {
    const at = range.find(value!)
    if (at < 0) throw valueError(`${repr(value!)} is not in range`)
    return at
  }),
}
