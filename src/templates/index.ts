/*
 * Templates for prompts: Jinja2, Python's str.format, alpaca_eval's {name}. No code is generated from a template or from
 * data. nunjucks, which generates it from a template, is there once it is loaded.
 */
import { type AnyDict, type Dict, dictGet } from '../python/dict.ts'
import { typeError, unsupported } from '../python/error.ts'
import { copyData, readObject, type ValueUse } from '../python/json.ts'
import type { PlainDict } from '../python/values.ts'
import { compileAlpaca, compileFormat } from './format.ts'
import { compileJinja } from './jinja/index.ts'
import type { CompiledTemplate, FindValue, LanguageOptions as Options } from './template.ts'

export { TemplateError } from '../python/error.ts'
export type { ValueUse as Use } from '../python/json.ts'
export type { Value } from '../python/values.ts'
export { isGlobal } from './jinja/objects.ts'
export type { FindValue } from './template.ts'

type Compile = (source: string, options: Options) => CompiledTemplate

export type Syntax = 'alpaca' | 'format' | 'jinja' | 'nunjucks'

const COMPILERS: Partial<Record<Syntax, Compile>> = {
  alpaca: compileAlpaca,
  format: compileFormat,
  jinja: compileJinja,
}

/** Makes nunjucks templates known to {@link compileTemplate}: they are compiled to code, so only the user may name them. */
export async function loadNunjucks(): Promise<void> {
  COMPILERS.nunjucks ??= (await import('./nunjucks.ts')).compileNunjucks
}

export interface TemplateOptions extends Options {
  syntax?: Syntax | undefined
}

/**
 * A function that renders a template. The context is a plain object, or the text of a JSON object, whose numbers then
 * keep their form. @throws TemplateError
 */
export type Template = ((context: object | string) => string) & CompiledTemplate

/** Compiles a template. @throws TemplateError of kind `syntax` for invalid source */
export const compileTemplate = (source: string, options: TemplateOptions = {}): Template => {
  const { syntax = 'jinja' } = options
  const compile = COMPILERS[syntax]
  if (!compile) throw unsupported(`the syntax ${syntax} outside of judge files`)
  const compiled = compile(source, options)
  const render = (context: object | string): string => {
    const find = finderIn(context)
    // Jinja2's render() takes the context as keyword arguments, of which `self` is taken.
    if (syntax === 'jinja' && find('self', { changes: false, exact: true }) !== undefined)
      throw typeError("the context has a field 'self', a name that Jinja2 reserves")
    return compiled.renderWith(find)
  }
  return Object.assign(render, compiled)
}

/** Finds values in a context, which is parsed or copied once for each use. */
const finderIn = (context: object | string): FindValue => {
  let known: (ValueUse & { data: AnyDict }) | undefined
  return (name, use) => {
    if (known?.changes !== use.changes || known.exact !== use.exact)
      known = { ...use, data: dataOf(context, use) }
    return dictGet(known.data, name)
  }
}

const dataOf = (context: object | string, use: ValueUse): AnyDict => {
  if (typeof context === 'string') return readObject(context, use)
  if (!use.changes) return context as PlainDict
  return use.exact ? (copyData(context as PlainDict) as Dict) : (structuredClone(context) as PlainDict)
}
