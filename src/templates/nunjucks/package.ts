/* The parts of nunjucks that are used, with their types. */
import filtersModule from 'nunjucks/src/filters.js'
import runtimeModule from 'nunjucks/src/runtime.js'
import testsModule from 'nunjucks/src/tests.js'

/** Text that is not escaped (again). */
export type SafeString = { readonly val: string; readonly length: number }

type Run<Result> = (...args: unknown[]) => Result

export const filters = filtersModule as Record<string, Run<unknown>>
export const tests = testsModule as Record<string, Run<boolean>>
export const { SafeString } = runtimeModule as { SafeString: new (text: string) => SafeString }
