/*
 * nunjucks templates, as in promptfoo's prompts: rendered by the package itself with autoescape off, and with the filters on
 * conversations. The package compiles a template to JavaScript: such a template is its author's code, and is trusted as code.
 */
import nunjucks from 'nunjucks'
import { method } from '../python/calls.ts'
import { START, TemplateError, unsupported } from '../python/error.ts'
import { resetMeter } from '../python/limits.ts'
import type { Value } from '../python/values.ts'
import { CHAT_FILTERS, fence, roles } from './chat.ts'
import type { CompiledTemplate, FindValue, LanguageOptions } from './template.ts'

/** The parts of the package that its types lack: a node has a kind, and nodes or values as members. */
interface Node {
  readonly typename: string
  readonly [member: string]: unknown
}
const { parser, nodes, Environment, FileSystemLoader, Template } = nunjucks as typeof nunjucks & {
  parser: { parse(source: string, extensions: readonly [], options: object): Node }
  nodes: { Node: abstract new () => Node }
}

/** A template has a value of its own: it may change what it gets. */
const USE = { changes: true, exact: false }

/** Compiles a template. @throws TemplateError */
export function compileNunjucks(source: string, options: LanguageOptions): CompiledTemplate {
  const { name, folder } = options
  const env = environment(options)
  const globals: object = (env as unknown as { globals: object }).globals
  const [found, template] = as('TemplateSyntaxError', name, () => {
    const names = namesIn(env, source)
    return [names, new Template(source, env, folder === undefined ? undefined : name, true)] as const
  })
  const variables = [...found.used].filter((one) => !found.bound.has(one) && !(one in globals)).sort()
  return {
    variables,
    renderWith: (find) => {
      resetMeter()
      const context = contextOf(found.used, find)
      const missing = variables.find((one) => !(one in context))
      if (missing !== undefined && options.undefined !== 'empty')
        throw new TemplateError('UndefinedError', `'${missing}' is undefined`, missing)
      return as('TemplateRuntimeError', undefined, () => template.render(context))
    },
  }
}

const contextOf = (names: Iterable<string>, find: FindValue): Record<string, Value> => {
  const found = [...names].map((name) => [name, find(name, USE)] as const)
  return Object.fromEntries(found.filter((one): one is [string, Value] => one[1] !== undefined))
}

function environment({ folder, trim_blocks, lstrip_blocks }: LanguageOptions) {
  const env = new Environment(folder === undefined ? [] : [new FileSystemLoader(folder)], {
    autoescape: false,
    // Errors keep their line and column.
    dev: true,
    ...(trim_blocks !== undefined && { trimBlocks: trim_blocks }),
    ...(lstrip_blocks !== undefined && { lstripBlocks: lstrip_blocks }),
  })
  for (const [name, [signature, run]] of Object.entries(CHAT_FILTERS)) {
    const bound = method(`value ${signature}`, (_, value, ...args) => run(value!, ...args) as Value)
    env.addFilter(name, (...args: unknown[]) => bound(undefined, ...argumentsOf(args)))
  }
  env.addFilter('roles', (value: Value, ...wanted: Value[]) => roles(value, wanted))
  env.addFilter('fence', (value: unknown, called: Value) => fence(String(value ?? ''), called))
  return env
}

/** The arguments of a filter; keyword arguments come as the last one, which has a mark. */
function argumentsOf(args: unknown[]): [Value[], Map<string, Value>] {
  const last = args.at(-1)
  if (typeof last !== 'object' || last === null || !Object.hasOwn(last, '__keywords'))
    return [args as Value[], new Map()]
  const { __keywords, ...named } = last as Record<string, Value>
  return [args.slice(0, -1) as Value[], new Map(Object.entries(named))]
}

/** The names that a template and those that it includes look up, and those that it gives values to itself. */
function namesIn(env: nunjucks.Environment, source: string, seen = new Set<string>()) {
  const used = new Set<string>()
  const bound = new Set(['caller', 'loop', 'super'])
  const bind = (node: unknown) => each(node, (symbol) => bound.add(String(symbol.value)))
  const include = ({ value, typename }: Node) => {
    if (typename !== 'Literal') throw unsupported('a nunjucks template that is named by an expression')
    const name = String(value)
    if (seen.has(name)) return
    const inner = namesIn(env, sourceOf(env, name), seen.add(name))
    for (const one of inner.used) used.add(one)
    for (const one of inner.bound) bound.add(one)
  }
  /** Binds the parameters of a macro. @returns their defaults */
  const parameters = (args: unknown) =>
    (args as { children: Node[] }).children.map((one) => {
      if (one.typename !== 'KeywordArgs') return bind(one)
      return (one.children as Node[]).map(({ key, value }) => [bind(key), value])
    })
  /** What a node does with its members, where it is not to look up each name in them. */
  const members: Record<string, (node: Node) => unknown[]> = {
    Symbol: ({ value }) => [void used.add(String(value))],
    Filter: ({ args }) => [args],
    Is: ({ left, right }) => [left, (right as Node).args],
    Pair: ({ key, value }) => [(key as Node).typename === 'Symbol' ? [] : key, value],
    Set: ({ targets, value, body }) => [bind(targets), value, body],
    For: ({ name, arr, body, else_ }) => [bind(name), arr, body, else_],
    Macro: ({ name, args, body }) => [bind(name), parameters(args), body],
    Block: ({ body }) => [body],
    Super: () => [],
    Import: ({ template, target }) => [include(template as Node), bind(target)],
    FromImport: ({ template, names }) => [include(template as Node), bind(names)],
    Include: ({ template }) => [include(template as Node)],
    Extends: ({ template }) => [include(template as Node)],
  }
  for (const name of ['AsyncEach', 'AsyncAll']) members[name] = members.For!
  members.Caller = members.Macro!
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) walk(one)
    else if (node instanceof nodes.Node) walk((members[node.typename] ?? Object.values)(node))
  }
  walk(parser.parse(source, [], (env as unknown as { opts: object }).opts))
  return { used, bound }
}

/** Calls for each symbol below a node. */
function each(node: unknown, found: (symbol: Node) => void): void {
  if (Array.isArray(node)) for (const one of node) each(one, found)
  else if (node instanceof nodes.Node) {
    if (node.typename === 'Symbol') found(node)
    else each(Object.values(node), found)
  }
}

const sourceOf = (env: nunjucks.Environment, name: string): string =>
  (env.getTemplate(name) as unknown as { tmplStr: string }).tmplStr

/** Runs a function; an error of the package is told in its words, at its place where the package knows it. */
function as<T>(exception: string, name: string | undefined, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof TemplateError) throw error
    const { message, lineno, colno, cause } = error as Error & { lineno?: number; colno?: number }
    if (cause instanceof TemplateError) throw cause
    const told = new TemplateError(exception, message.split('\n').at(-1)!.trim())
    if (exception !== 'TemplateSyntaxError') throw told
    throw told.at(lineno ? { lineno: lineno - 1, colno: Math.max(0, (colno ?? 1) - 1) } : START, name)
  }
}
