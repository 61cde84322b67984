/*
 * Templates with nunjucks' meaning (autoescape off), as promptfoo's prompts have it: read and compiled as Jinja2's are,
 * with JavaScript's values and operators, and nunjucks' own filters and tests. Other templates (extends, block,
 * include, import), switch, call and filter blocks are refused.
 */
import { spendItems } from '../../python/limits.ts'
import { Func } from '../../python/values.ts'
import { compileIn, type Language } from '../jinja/index.ts'
import { tokenize } from '../jinja/lexer.ts'
import type { LanguageOptions } from '../template.ts'
import { nunjucksCompiler } from './meaning.ts'
import { NUNJUCKS_RULES, NunjucksParser } from './parser.ts'
import { number } from './values.ts'

/** The one name that a template finds without a context. */
const range = new Func(([start, stop, step]) => {
  const [from, to] = stop === undefined ? [0, number(start)] : [number(start), number(stop)]
  const by = stop === undefined ? 1 : number(step) || 1
  const count = Math.max(0, Math.ceil((to - from) / by)) || 0
  spendItems(count)
  return Array.from({ length: count }, (_, i) => from + i * by)
})

const NUNJUCKS: Language = {
  parser: (source, options) =>
    new NunjucksParser(tokenize(source, { ...options, keep_trailing_newline: true }, NUNJUCKS_RULES)),
  compiler: nunjucksCompiler,
  exact: false,
  globalNamed: (name) => (name === 'range' ? range : undefined),
}

export const compileNunjucks = (source: string, options: LanguageOptions) =>
  compileIn(NUNJUCKS, source, options)
