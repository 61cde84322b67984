/*
 * Templates for prompts: Jinja2's meaning, Python's str.format, alpaca_eval's {name}, nunjucks. No code is
 * ever generated from a template or from data, and neither can reach any.
 */
import { compileAlpaca, compileFormat } from './format.ts'
import { compileJinja, type Find } from './jinja/index.ts'
import { compileNunjucks } from './nunjucks/index.ts'

export { type ErrorKind, TemplateError } from './error.ts'
export { isGlobal } from './jinja/globals.ts'
export type { Find } from './jinja/index.ts'

export type Syntax = 'jinja' | 'format' | 'alpaca' | 'nunjucks'

export interface TemplateOptions {
  /** What a missing field is: an error that names it (the default), or Jinja2's empty text. */
  undefined?: 'error' | 'empty' | undefined
  /** Removes the newline behind a block tag. */
  trim_blocks?: boolean | undefined
  /** Removes the space before a block tag that begins its line. */
  lstrip_blocks?: boolean | undefined
  /** Keeps the newline at the end of the template. */
  keep_trailing_newline?: boolean | undefined
  syntax?: Syntax | undefined
  /** The template's file name, for messages. */
  name?: string | undefined
  /** Where included templates are; nothing outside of it is read. */
  folder?: string | undefined
}

/** A compiled template: a function from a context to text. */
export interface Template {
  /**
   * Renders. The context is a plain object, or a string that holds a JSON object, whose numbers then keep
   * their form. Throws a TemplateError.
   */
  (context: object | string): string
  /** The names that the template looks up in its context, in order. */
  readonly variables: string[]
  /** Set where the template is nothing but text and bare names: what is printed, in order. */
  readonly plain?: readonly (string | { readonly field: string })[]
  /** The same with values found when they are needed, where the syntax has that. */
  readonly renderWith?: ((find: Find) => string) | undefined
}

interface Compiled extends Pick<Template, 'variables' | 'plain' | 'renderWith'> {
  render(context: object | string): string
}

const COMPILERS = {
  alpaca: compileAlpaca,
  format: compileFormat,
  jinja: compileJinja,
  nunjucks: compileNunjucks,
} as const

/** Compiles a template. Throws a TemplateError of kind `syntax` where it isn't one. */
export const compileTemplate = (source: string, options: TemplateOptions = {}): Template => {
  const compiled: Compiled = COMPILERS[options.syntax ?? 'jinja'](source, options)
  const { render, renderWith, variables, plain } = compiled
  return Object.assign(render, { variables, ...(plain && { plain }), ...(renderWith && { renderWith }) })
}
