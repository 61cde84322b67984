/* Compiles Jinja2's templates. */
import { realpathSync } from 'node:fs'
import path from 'node:path'
import { readText } from '../../files/text.ts'
import { given } from '../../python/calls.ts'
import { located, notFound, START, TemplateError, valueError } from '../../python/error.ts'
import { copyOnChange, resetMeter } from '../../python/limits.ts'
import type { Value } from '../../python/values.ts'
import { getOrInsert } from '../../rows/maps.ts'
import { EXIT, Fatal } from '../../rows/record.ts'
import type { CompiledTemplate, FindValue, LanguageOptions, PlainPart } from '../template.ts'
import { type Compiled, compileStatements, jinjaCompiler } from './compiler.ts'
import { tokenize } from './lexer.ts'
import type { Statement } from './nodes.ts'
import { globalNamed } from './objects.ts'
import { Render, type Resolve } from './scope.ts'
import { Parser } from './statements.ts'

/** Compiles a template. @throws TemplateError if Jinja2 rejects it */
export const compileJinja = (source: string, options: LanguageOptions): CompiledTemplate => {
  const { name } = options
  const compile = (text: string, from: string | undefined): [Compiled, Statement[]] =>
    located(START, from, () => {
      const statements = new Parser(tokenize(text, options)).template()
      return [compileStatements(statements, jinjaCompiler(from)), statements]
    })
  const [template, statements] = compile(source, name)
  const load = folderLoader(options.folder, (text, from) => compile(text, from)[0])
  const plain = plainParts(statements)
  const renderWith = copyOnChange((find: FindValue, changes) => {
    resetMeter()
    const output = new Render(options.undefined !== 'empty', load, options.readable)
    return located(START, name, () => {
      template.root(output, resolver(find, changes))
      return output.text
    })
  })
  const variables = [...variablesOf(template, load, new Set())]
  return {
    renderWith,
    variables: variables.filter((each) => globalNamed(each) === undefined).sort(),
    ...(plain && { plain }),
  }
}

/**
 * A function that loads templates from a folder, and compiles each once. Names are paths with `/`; one that leads out of
 * the folder, also through a link, is not found.
 */
const folderLoader = (
  folder: string | undefined,
  compile: (source: string, name: string) => Compiled,
): ((name: string) => Compiled) => {
  const known = new Map<string, Compiled>()
  return (name) => getOrInsert(known, name, () => compile(readWithin(folder, name), name))
}

const readWithin = (folder: string | undefined, name: string): string => {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  const unsafe = parts.some((part) => part === '..' || part.includes('\\') || part.includes('\0'))
  if (folder === undefined || parts.length === 0 || unsafe) throw notFound(name)
  try {
    const root = realpathSync(folder)
    const file = realpathSync(path.join(root, ...parts))
    if (file.startsWith(root.endsWith(path.sep) ? root : root + path.sep)) return readText(file)
  } catch (error) {
    if (error instanceof Fatal && error.exitCode === EXIT.data) throw valueError(error.message)
    // A file that cannot be read is not found, whatever the reason.
  }
  throw notFound(name)
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
      // An error in an included template is reported when it is included.
      if (!(error instanceof TemplateError)) throw error
    }
  }
  return names
}

/** Finds names in the context, then among the globals. Values are cached: a name has one value in a render. */
const resolver = (find: FindValue, changes: boolean): Resolve => {
  const use = { changes, exact: true }
  const found = new Map<string, Value | undefined>()
  return (name) => {
    if (!found.has(name)) found.set(name, given(find(name, use), globalNamed(name)))
    return found.get(name)
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
        if (part.type !== 'Symbol') return undefined
        parts.push({ field: part.name })
      } else if (typeof last === 'string') parts[parts.length - 1] = last + part
      else parts.push(part)
    }
  }
  return parts
}
