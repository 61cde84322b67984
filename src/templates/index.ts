/*
 * Templates for prompts: Jinja2's meaning, Python's str.format, alpaca_eval's {name}, nunjucks. No code is
 * ever generated from a template or from data, and neither can reach any.
 */
import { compileAlpaca, compileFormat } from './format.ts'
import { compileJinja } from './jinja/index.ts'
import { compileNunjucks } from './nunjucks/index.ts'
import type { CompiledTemplate, LanguageOptions as Options } from './template.ts'

export { type ErrorKind, TemplateError } from '../python/error.ts'
export { isGlobal } from './jinja/objects.ts'
export type { FindValue } from './template.ts'

const COMPILERS = {
  alpaca: compileAlpaca,
  format: compileFormat,
  jinja: compileJinja,
  nunjucks: compileNunjucks,
} as const

export type Syntax = keyof typeof COMPILERS

export interface TemplateOptions extends Options {
  syntax?: Syntax | undefined
}

/** A compiled template: its `render` as a function, with what else is known about it. */
export type Template = CompiledTemplate['render'] & Omit<CompiledTemplate, 'render'>

/** Compiles a template. @throws TemplateError of kind `syntax` where the source is invalid */
export const compileTemplate = (source: string, options: TemplateOptions = {}): Template => {
  const { render, ...rest } = COMPILERS[options.syntax ?? 'jinja'](source, options)
  return Object.assign(render, rest)
}
