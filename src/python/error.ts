/* What is wrong with a template, or with rendering it: by the name that Python gives it, and where. */

/** What went wrong, coarsely: what a caller may want to tell apart. */
export type ErrorKind = 'syntax' | 'undefined' | 'type' | 'value' | 'limit' | 'not-found' | 'not-supported'

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
 * A template that can't be compiled or rendered. `line` and `column` count from 1 and are 0 while the place
 * isn't known; `message` begins with the place, `reason` is the message without it.
 */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
  readonly kind: ErrorKind
  readonly reason: string
  /** The exception that Python or its Jinja2 raises here, by name. */
  readonly exception: string
  /** The field that is missing, for `undefined`: dotted where the template writes it so. */
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

  /** Says where it happened; the innermost place and template, which are the first given, stay. */
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
/** What Jinja2 itself calls a TemplateRuntimeError. */
export const runtimeError = named('TemplateRuntimeError')
/** More than a template may use. */
export const limitError = named('LimitError')
export const notFound = (name: string) => new TemplateError('TemplateNotFound', `template not found: ${name}`)
/** What Python, Jinja2 or nunjucks can do and this implementation leaves out. */
export const unsupported = (what: string) => new TemplateError('NotSupported', `${what} is not supported`)

/** The result, or undefined where one of these exceptions is raised. */
export const unless = <T>(exceptions: string, run: () => T): T | undefined => {
  try {
    return run()
  } catch (error) {
    if (error instanceof TemplateError && exceptions.includes(error.exception)) return undefined
    throw error
  }
}

/** Puts a place into a TemplateError; what is no error of a template goes on as it is. */
export const locate = (error: unknown, place: Place, template?: string): unknown => {
  if (error instanceof TemplateError) return error.at(place, template)
  // The engine's own recursion on a template nested too deeply.
  return error instanceof RangeError ? limitError('nested too deeply').at(place, template) : error
}

export const START: Place = { lineno: 0, colno: 0 }

/** Runs something, with the place in what it throws. */
export const located = <T>(place: Place, template: string | undefined, run: () => T): T => {
  try {
    return run()
  } catch (error) {
    throw locate(error, place, template)
  }
}
