/* Templates with nunjucks' meaning (autoescape off), as promptfoo's prompts have it, without generated code. */
import { readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { NeedsCopy, setOwned } from '../../python/ownership.ts'
import { locate, TemplateError } from '../error.ts'
import { parsePlainObject } from '../json.ts'
import { resetMeter, spendItems } from '../limits.ts'
import { type Compiled, Frame, Run, type Shared } from './context.ts'
import { type Node, type ParseOptions, parseNunjucks } from './nodes.ts'
import { type CompiledTemplate, compileNodes } from './statements.ts'
import { Callable, type JsObject, primitive, type Value } from './values.ts'

export interface NunjucksOptions extends ParseOptions {
  undefined?: 'error' | 'empty' | undefined
  name?: string | undefined
  folder?: string | undefined
}

export interface NunjucksTemplate {
  render(context: object | string): string
  variables: string[]
  plain?: (string | { field: string })[]
}

const START = { lineno: 0, colno: 0 }
const LOCAL = new Set(['loop', 'caller', 'super', 'range', 'cycler', 'joiner'])

export const compileNunjucks = (source: string, options: NunjucksOptions): NunjucksTemplate => {
  const nodes = parseNunjucks(source, options, options.name)
  const template = guard(() => compileNodes(nodes, options.name), options.name)
  const load = loader(options)
  const plain = plainParts(nodes)
  let changes = false
  const run = (context: object | string): string => {
    resetMeter()
    setOwned(changes)
    const data = typeof context === 'string' ? parsePlainObject(context) : context
    const shared: Shared = { depth: 0, depthOf: new Map(), load, strict: options.undefined !== 'empty' }
    const each = new Run(shared, globals(), template, (changes ? structuredClone(data) : data) as JsObject)
    guard(() => template.root(each, new Frame(undefined, false, true)), options.name)
    return each.out
  }
  return {
    variables: [...template.free].filter((name) => !LOCAL.has(name) && !assigned(nodes).has(name)).sort(),
    ...(plain && { plain }),
    render: (context) => {
      try {
        return run(context)
      } catch (error) {
        if (!(error instanceof NeedsCopy)) throw error
        changes = true
        return run(context)
      }
    },
  }
}

const guard = <T>(run: () => T, name: string | undefined): T => {
  try {
    return run()
  } catch (error) {
    throw error instanceof NeedsCopy ? error : locate(error, START, name)
  }
}

const globals = (): JsObject => ({
  range: new Callable(([start, stop, step]) => range(start, stop, step)),
  cycler: new Callable((items) => {
    let at = -1
    const result: JsObject = { current: null }
    result.reset = new Callable(() => {
      at = -1
      result.current = null
      return undefined
    })
    result.next = new Callable(() => {
      at = at + 1 >= items.length ? 0 : at + 1
      result.current = items[at]
      return items[at]
    })
    return result
  }),
  joiner: new Callable(([separator]) => {
    let first = true
    return new Callable(() => {
      const text = first ? '' : separator || ','
      first = false
      return text
    })
  }),
})

const range = (start: Value, stop: Value, step: Value): Value => {
  const [from, to] =
    stop === undefined ? [0, Number(primitive(start))] : [Number(primitive(start)), Number(primitive(stop))]
  const by = stop === undefined ? 1 : Number(primitive(step)) || 1
  const count = Math.max(0, Math.ceil((to - from) / by)) || 0
  spendItems(count)
  return Array.from({ length: count }, (_, i) => from + i * by)
}

/** Templates by name, out of the folder; names that begin with ./ or ../ count from where they stand. */
const loader = (options: NunjucksOptions) => {
  const known = new Map<string, Compiled>()
  return (name: string, from: string | undefined): Compiled => {
    const relative = /^\.\.?\//.test(name) ? path.posix.join(path.posix.dirname(from ?? ''), name) : name
    let template: CompiledTemplate | Compiled | undefined = known.get(relative)
    if (!template) {
      template = compileNodes(
        parseNunjucks(readWithin(options.folder, relative), options, relative),
        relative,
      )
      known.set(relative, template)
    }
    return template
  }
}

const readWithin = (folder: string | undefined, name: string): string => {
  const notFound = new TemplateError('not-found', `template not found: ${name}`)
  if (folder === undefined || name.includes('\0')) throw notFound
  try {
    const root = realpathSync(folder)
    const file = realpathSync(path.join(root, name))
    if (file.startsWith(root.endsWith(path.sep) ? root : root + path.sep)) return readFileSync(file, 'utf8')
  } catch {
    // Whatever keeps it from being read, for the template it isn't there.
  }
  throw notFound
}

/** Names that a template gives values itself. */
const assigned = (nodes: readonly Node[]): Set<string> => {
  const names = new Set<string>()
  for (const node of nodes) {
    if (node.typename === 'Set') for (const target of node.targets) names.add(String(target.value))
    if (node.typename === 'Macro') names.add(String(node.name.value))
  }
  return names
}

const plainParts = (nodes: readonly Node[]): NunjucksTemplate['plain'] => {
  const parts: (string | { field: string })[] = []
  for (const node of nodes) {
    if (node.typename !== 'Output') return undefined
    for (const child of node.children) {
      if (child.typename === 'TemplateData') parts.push(String(child.value))
      else if (child.typename === 'Symbol' && !LOCAL.has(String(child.value)))
        parts.push({ field: String(child.value) })
      else return undefined
    }
  }
  return parts
}
