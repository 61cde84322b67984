/* Templates with Jinja2's meaning, as functions. */

import { Dict } from '../../python/dicts.ts'
import { NeedsCopy, setOwned } from '../../python/ownership.ts'
import type { PlainDict, Value } from '../../python/values.ts'
import { locate, TemplateError, typeError } from '../error.ts'
import { copyContext, parseContext } from '../json.ts'
import { resetMeter } from '../limits.ts'
import { type Compiled, compileStatements } from './compiler.ts'
import { Context, type Loaded, Render, type Resolve } from './context.ts'
import { globalNamed, isGlobal } from './globals.ts'
import type { LexerOptions } from './lexer.ts'
import { folderLoader } from './loader.ts'
import type { Statement } from './nodes.ts'
import { parseTemplate } from './statements.ts'

export interface JinjaOptions extends LexerOptions {
  undefined?: 'error' | 'empty' | undefined
  name?: string | undefined
  folder?: string | undefined
}

/** The value of a name, or undefined. `changeable`: nobody else has it, the template may change it. */
export type Find = (name: string, changeable: boolean) => Value | undefined

export interface JinjaTemplate {
  render(context: object | string): string
  renderWith(find: Find): string
  variables: string[]
  plain?: (string | { field: string })[]
}

const START = { lineno: 0, colno: 0 }

/** Compiles a template; throws a TemplateError for what Jinja2 rejects. */
export const compileJinja = (source: string, options: JinjaOptions): JinjaTemplate => {
  const { name } = options
  const statements = parseTemplate(source, options, name)
  const strict = options.undefined !== 'empty'
  const template = guard(() => compileStatements(statements, name, strict), name)
  const load = folderLoader(options.folder, options, strict)
  const plain = plainParts(statements)
  const run = renderer(template, strict, load)
  return {
    render: (context) => run((changes) => resolver(readContext(context, changes))),
    renderWith: (find) => run((changes) => finder(find, changes)),
    variables: [...variablesOf(template, load)].filter((each) => !isGlobal(each)).sort(),
    ...(plain && { plain }),
  }
}

/** The names that a template looks up, and those that the templates it names look up in its context. */
const variablesOf = (
  template: Compiled,
  load: (name: string) => Compiled,
  seen = new Set<string>(),
): Set<string> => {
  const names = new Set(template.variables)
  for (const name of template.refers) {
    if (seen.has(name)) continue
    seen.add(name)
    const referred = attempt(() => load(name))
    if (referred) for (const each of variablesOf(referred, load, seen)) names.add(each)
  }
  return names
}

/** What is wrong with another template shows when it is needed. */
const attempt = <T>(run: () => T): T | undefined => {
  try {
    return run()
  } catch (error) {
    if (error instanceof TemplateError) return undefined
    throw error
  }
}

const guard = <T>(run: () => T, name: string | undefined): T => {
  try {
    return run()
  } catch (error) {
    throw error instanceof NeedsCopy ? error : locate(error, START, name)
  }
}

/** Renders with what is found by name; `begin` is told whether the template changes what it is given. */
const renderer = (template: Loaded, strict: boolean, load: (name: string) => Loaded) => {
  // Learnt from the first context.
  let changes = false
  const run = (begin: (changes: boolean) => Resolve): string => {
    resetMeter()
    setOwned(changes)
    const render = new Render(strict, load)
    const resolve = begin(changes)
    return guard(() => {
      template.root(new Context(render, template, resolve))
      return render.out
    }, template.name)
  }
  return (begin: (changes: boolean) => Resolve): string => {
    try {
      return run(begin)
    } catch (error) {
      if (!(error instanceof NeedsCopy)) throw error
      changes = true
      return run(begin)
    }
  }
}

/** What is found is kept: a name stands for the same value throughout. */
const finder = (find: Find, changes: boolean): Resolve => {
  const found = new Map<string, Value | undefined>()
  return (name) => {
    let value = found.get(name)
    if (value !== undefined) return value
    if (!found.has(name)) {
      value = find(name, changes)
      found.set(name, value)
    }
    return value === undefined ? globalNamed(name) : value
  }
}

const readContext = (context: object | string, changes: boolean): PlainDict | Dict => {
  const data = typeof context === 'string' ? parseContext(context, changes) : (context as PlainDict)
  const result = changes && !(data instanceof Dict) ? copyContext(data) : data
  // Jinja2's render() takes the context as keyword arguments, and this name is its own.
  const reserved = result instanceof Dict ? result.has('self') : Object.hasOwn(result, 'self')
  if (reserved)
    throw typeError("the context has a field 'self', a name that Jinja2 keeps for itself").at(START)
  return result
}

const resolver = (data: PlainDict | Dict): Resolve => {
  if (data instanceof Dict) {
    const { map } = data
    return (name) => {
      const value = map.get(name)
      return value === undefined ? globalNamed(name) : value
    }
  }
  return (name) => {
    const value = Object.hasOwn(data, name) ? data[name] : undefined
    return value === undefined ? globalNamed(name) : value
  }
}

/** Text and bare names, if the template has nothing else. */
const plainParts = (statements: readonly Statement[]): JinjaTemplate['plain'] => {
  const parts: (string | { field: string })[] = []
  for (const statement of statements) {
    if (statement.typename !== 'Output') return undefined
    for (const child of statement.children) {
      if (child.typename === 'TemplateData') parts.push(child.value)
      else if (child.typename === 'Symbol' && child.value !== 'self') parts.push({ field: child.value })
      else return undefined
    }
  }
  return mergeText(parts)
}

const mergeText = (parts: (string | { field: string })[]): (string | { field: string })[] => {
  const merged: (string | { field: string })[] = []
  for (const part of parts) {
    const last = merged.at(-1)
    if (typeof part === 'string' && typeof last === 'string') merged[merged.length - 1] = last + part
    else merged.push(part)
  }
  return merged
}
