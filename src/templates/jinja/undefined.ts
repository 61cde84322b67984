/* Undefined values. */
import { TemplateError } from '../../python/error.ts'
import { type Next, Obj, typeName, type Value } from '../../python/values.ts'

export interface Missing {
  /** The whole message, if it is not that of a missing name. */
  hint?: string
  /** The value that lacks the attribute or element. */
  of?: Value
  name?: Value
  /** The path in the template, if known: `item.title`. */
  path?: string | undefined
}

/**
 * Jinja2's Undefined prints nothing, is false and has no items; any other use is an error. A strict one (StrictUndefined)
 * can only be tested with `is defined`.
 */
export class Undefined extends Obj {
  readonly type = 'Undefined'
  readonly strict: boolean
  private readonly missing: Missing

  constructor(strict: boolean, missing: Missing) {
    super()
    this.strict = strict
    this.missing = missing
  }

  override misuse(): TemplateError {
    const { hint, of, name, path } = this.missing
    const shown = typeof name === 'string' ? `'${name}'` : String(name)
    let text = hint ?? `${shown} is undefined`
    if (hint === undefined && of !== undefined) {
      const owner = of === null ? 'None' : `${typeName(of)} object`
      text =
        typeof name === 'string' ? `'${owner}' has no attribute ${shown}` : `${owner} has no element ${shown}`
    }
    return new TemplateError('UndefinedError', text, path ?? (typeof name === 'string' ? name : undefined))
  }

  private unlessStrict<T>(value: T): T {
    if (this.strict) throw this.misuse()
    return value
  }

  override attr(name: string): Value | undefined {
    if (name.startsWith('__')) return undefined
    throw this.misuse()
  }

  override item(): Value {
    throw this.misuse()
  }

  override call(): Value {
    throw this.misuse()
  }

  override iterate(): Next {
    return this.unlessStrict(() => undefined)
  }

  override size(): number {
    return this.unlessStrict(0)
  }

  override equals(other: Value): boolean {
    return this.unlessStrict(other instanceof Undefined)
  }

  override str(): string {
    return this.unlessStrict('')
  }

  override repr(): string {
    return 'Undefined'
  }
}

/** The value of `x if false`: never strict. */
export const NO_ELSE = new Undefined(false, {
  hint: 'the inline if-expression evaluated to false and no else section was defined.',
})
