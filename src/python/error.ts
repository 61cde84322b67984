/* Errors of templates: Python's name of the exception, and the place. */

/** Classes of errors that callers tell apart. */
type ErrorKind = 'syntax' | 'undefined' | 'type' | 'value' | 'limit' | 'not-found' | 'not-supported'

const KINDS: Record<string, ErrorKind> = {
  TemplateSyntaxError: 'syntax',
  TemplateAssertionError: 'syntax',
  UndefinedError: 'undefined',
  TypeError: 'type',
  LimitError: 'limit',
  TemplateNotFound: 'not-found',
  NotSupported: 'not-supported',
}

/** A place in a template, counted from 0. */
export interface Place {
  readonly lineno: number
  readonly colno: number
}

/**
 * A template cannot be compiled or rendered. `line` and `column` count from 1; 0: not known. `message` begins with the
 * place, `reason` is the message without it.
 */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
  readonly kind: ErrorKind
  readonly reason: string
  /** The name of the exception that Python or Jinja2 raises. */
  readonly exception: string
  /** For `undefined`: the missing field, as the template writes it (`item.title`). */
  readonly field: string | undefined
  line = 0
  column = 0
  template: string | undefined

  constructor(exception: string, reason: string, field?: string) {
    super(reason)
    this.kind = KINDS[exception] ?? 'value'
    this.reason = reason
    this.exception = exception
    this.field = field
  }

  /** Adds the place and template, unless inner ones are known. */
  at(place: Place, template?: string): this {
    if (this.line === 0) {
      this.line = place.lineno + 1
      this.column = place.colno + 1
    }
    this.template ??= template
    const where = this.template
      ? `${this.template}:${this.line}:${this.column}`
      : `line ${this.line}, column ${this.column}`
    this.message = `${where}: ${this.reason}`
    return this
  }
}

const named = (exception: string) => (reason: string) => new TemplateError(exception, reason)

export const typeError = named('TypeError')
export const valueError = named('ValueError')
export const keyError = named('KeyError')
export const indexError = named('IndexError')
export const overflowError = named('OverflowError')
export const zeroDivisionError = named('ZeroDivisionError')
export const syntaxError = named('TemplateSyntaxError')
export const assertionError = named('TemplateAssertionError')
export const runtimeError = named('TemplateRuntimeError')
export const limitError = named('LimitError')
export const notFound = (name: string) => new TemplateError('TemplateNotFound', `template not found: ${name}`)
/** A feature of Python or Jinja2 that is not implemented. */
export const unsupported = (what: string) => new TemplateError('NotSupported', `${what} is not supported`)

/** The result, or undefined if one of these exceptions is thrown. */
export const unless = <T>(exceptions: string, run: () => T): T | undefined => {
  try {
    return run()
  } catch (error) {
    if (error instanceof TemplateError && exceptions.includes(error.exception)) return undefined
    throw error
  }
}

/** Adds a place to a TemplateError; returns other errors unchanged. */
export const locate = (error: unknown, place: Place, template?: string): unknown => {
  if (error instanceof TemplateError) return error.at(place, template)
  // V8's call stack overflows on a template nested too deeply.
  return error instanceof RangeError ? limitError('nested too deeply').at(place, template) : error
}

export const START: Place = { lineno: 0, colno: 0 }

/** Runs a function, and adds the place to its errors. */
export const located = <T>(place: Place, template: string | undefined, run: () => T): T => {
  try {
    return run()
  } catch (error) {
    throw locate(error, place, template)
  }
}
