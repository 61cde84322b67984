import { TemplateError } from '../templates/error.ts'
import { repr } from './print.ts'
import { DONE, type Kwargs, type Next, Obj, typeName, type Value } from './values.ts'

/** What Undefined knows about itself. */
export interface Missing {
  /** The whole message, where it is no plain missing name. */
  hint?: string
  /** The value that has no such attribute or element. */
  of?: Value
  name?: Value
  /** Where the template looked, as far as it can be told: `item.title`. */
  path?: string | undefined
}

/**
 * The value of what isn't there. Jinja2's default kind prints as nothing, is false and goes round no
 * loop; any other use is an error. The strict kind (StrictUndefined) can only be asked whether it is
 * defined.
 */
export class Undefined extends Obj {
  readonly strict: boolean
  private readonly missing: Missing

  constructor(strict: boolean, missing: Missing) {
    super()
    this.strict = strict
    this.missing = missing
  }

  get type(): string {
    return this.strict ? 'jinja2.runtime.StrictUndefined' : 'jinja2.runtime.Undefined'
  }

  /** The error that any further use of it is. */
  error(): TemplateError {
    const { name, path } = this.missing
    const field = path ?? (typeof name === 'string' ? name : undefined)
    return new TemplateError('undefined', this.describe(), { field })
  }

  private describe(): string {
    const { hint, of, name } = this.missing
    if (hint !== undefined) return hint
    if (of === undefined) return `${repr(name ?? null)} is undefined`
    const owner = of === null ? 'None' : `${typeName(of)} object`
    return typeof name === 'string'
      ? `${repr(owner)} has no attribute ${repr(name)}`
      : `${owner} has no element ${repr(name ?? null)}`
  }

  private failIfStrict(): void {
    if (this.strict) throw this.error()
  }

  override attr(name: string): Value | undefined {
    if (name.startsWith('__')) return undefined
    throw this.error()
  }

  override item(_key: Value): Value {
    throw this.error()
  }

  override get callable(): boolean {
    return true
  }

  override call(_args: Value[], _kwargs: Kwargs | undefined): Value {
    throw this.error()
  }

  override iterate(): Next {
    this.failIfStrict()
    return () => DONE
  }

  override size(): number {
    this.failIfStrict()
    return 0
  }

  override equals(other: Value): boolean {
    this.failIfStrict()
    return other instanceof Undefined && other.strict === this.strict
  }

  override repr(): string {
    return 'Undefined'
  }

  override str(): string {
    this.failIfStrict()
    return ''
  }
}

/** The error of an operation with an undefined value, if one of the operands is undefined. */
export const undefinedError = (...values: Value[]): TemplateError | undefined => {
  for (const value of values) if (value instanceof Undefined) return value.error()
  return undefined
}
