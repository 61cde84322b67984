/* Errors by the name that Python gives them. */

/** What Python raises. `field` is the missing field's path where something is undefined. */
export class PythonError extends Error {
  override readonly name = 'PythonError'
  readonly exception: string
  readonly field: string | undefined

  constructor(exception: string, reason: string, field?: string) {
    super(reason)
    this.exception = exception
    this.field = field
  }
}

const named = (exception: string) => (reason: string) => new PythonError(exception, reason)

export const typeError = named('TypeError')
export const valueError = named('ValueError')
export const keyError = named('KeyError')
export const indexError = named('IndexError')
export const overflowError = named('OverflowError')
export const zeroDivisionError = named('ZeroDivisionError')
/** More than a template may use. */
export const limitError = named('LimitError')
/** What Python can do and this implementation leaves out. */
export const unsupported = (what: string) => new PythonError('NotSupported', `${what} is not supported`)

/** The result, or undefined where one of these exceptions is raised. */
export const unless = <T>(exceptions: string, run: () => T): T | undefined => {
  try {
    return run()
  } catch (error) {
    if (error instanceof PythonError && exceptions.includes(error.exception)) return undefined
    throw error
  }
}
