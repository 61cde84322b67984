/* Templates with Jinja2's meaning, as functions. */
import { given } from '../../python/calls.ts'
import { Dict } from '../../python/dict.ts'
import { located, START, TemplateError, typeError } from '../../python/error.ts'
import { copyValue, readObject } from '../../python/json_read.ts'
import { onOwnData, resetMeter } from '../../python/limits.ts'
import type { PlainDict, Value } from '../../python/values.ts'
import { folderLoader } from '../folder.ts'
import type { CompiledTemplate, FindValue, LanguageOptions, PlainPart } from '../template.ts'
import type { StatementCompiler } from './bodies.ts'
import { type Compiled, compileStatements, jinjaCompiler } from './compiler.ts'
import { filterNamed } from './filters/index.ts'
import { tokenize } from './lexer.ts'
import type { Statement } from './nodes.ts'
import { globalNamed, isGlobal } from './objects.ts'
import { Render, type Resolve, TemplateContext } from './scope.ts'
import { Parser, parseTemplate } from './statements.ts'
import { testNamed } from './tests.ts'

/** A language of templates: Jinja2's own, or another that is read into the same tree. */
export interface Language {
  parser(source: string, options: LanguageOptions): Parser
  compiler(name: string | undefined): StatementCompiler
  /** Finds names in a context; where the template `changes` its data, in a copy of it. */
  resolver(context: object | string, changes: boolean): Resolve
  /** The same where values are found when they are needed, if the language has that. */
  finder?(find: FindValue, changes: boolean): Resolve
  isGlobal(name: string): boolean
}

export const compileJinja = (source: string, options: LanguageOptions) => compileIn(JINJA, source, options)

/** Compiles a template. @throws TemplateError for what the language rejects */
export const compileIn = (language: Language, source: string, options: LanguageOptions): CompiledTemplate => {
  const { name } = options
  const compile = (text: string, from: string | undefined): [Compiled, Statement[]] => {
    const statements = parseTemplate(() => language.parser(text, options), from)
    return [located(START, from, () => compileStatements(statements, language.compiler(from))), statements]
  }
  const [template, statements] = compile(source, name)
  const load = folderLoader(options.folder, (text, from) => compile(text, from)[0])
  const plain = plainParts(statements)
  const blocks = [...template.blocks].map(([each, block]) => [each, [block]] as [string, [typeof block]])
  const render = onOwnData((begin: (changes: boolean) => Resolve, changes) => {
    resetMeter()
    const output = new Render(options.undefined !== 'empty', load, filterNamed, testNamed)
    return located(START, name, () => {
      template.root(new TemplateContext(output, blocks, begin(changes)))
      return output.text
    })
  })
  const { finder, resolver } = language
  return {
    render: (context) => render((changes) => resolver(context, changes)),
    ...(finder && { renderWith: (find) => render((changes) => finder(find, changes)) }),
    variables: [...variablesOf(template, load, new Set())].filter((each) => !language.isGlobal(each)).sort(),
    ...(plain && { plain }),
  }
}

/** The names that a template looks up, and those that the templates it names look up in its context. */
const variablesOf = (
  template: Compiled,
  load: (name: string) => Compiled,
  seen: Set<string>,
): Set<string> => {
  const names = new Set(template.variables)
  for (const name of template.refers) {
    if (seen.has(name)) continue
    seen.add(name)
    try {
      for (const each of variablesOf(load(name), load, seen)) names.add(each)
    } catch (error) {
      // What is wrong with another template shows when it is needed.
      if (!(error instanceof TemplateError)) throw error
    }
  }
  return names
}

/** What is found is kept: a name stands for the same value throughout. */
const finder = (find: FindValue, changes: boolean): Resolve => {
  const found = new Map<string, Value | undefined>()
  return (name) => {
    if (!found.has(name)) found.set(name, given(find(name, changes), globalNamed(name)))
    return found.get(name)
  }
}

const resolver = (context: object | string, changes: boolean): Resolve => {
  const read = typeof context === 'string' ? readObject(context, changes) : (context as PlainDict)
  const data = changes && !(read instanceof Dict) ? (copyValue(read) as Dict) : read
  const find: Resolve =
    data instanceof Dict
      ? (name) => data.map.get(name)
      : (name) => (Object.hasOwn(data, name) ? data[name] : undefined)
  // Jinja2's render() takes the context as keyword arguments, and this name is its own.
  if (find('self') !== undefined)
    throw typeError("the context has a field 'self', a name that Jinja2 keeps for itself")
  return (name) => {
    const value = find(name)
    return value === undefined ? globalNamed(name) : value
  }
}

/** Text and bare names, if the template has nothing else. */
const plainParts = (statements: readonly Statement[]): PlainPart[] | undefined => {
  const parts: PlainPart[] = []
  for (const statement of statements) {
    if (statement.type !== 'Output') return undefined
    for (const part of statement.parts) {
      const last = parts.at(-1)
      if (typeof part !== 'string') {
        if (part.type !== 'Symbol' || part.name === 'self') return undefined
        parts.push({ field: part.name })
      } else if (typeof last === 'string') parts[parts.length - 1] = last + part
      else parts.push(part)
    }
  }
  return parts
}

const JINJA: Language = {
  parser: (source, options) => new Parser(tokenize(source, options)),
  compiler: jinjaCompiler,
  resolver,
  finder,
  isGlobal,
}
