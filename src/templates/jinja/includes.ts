/* Other templates: found, included, imported. */
import { typeError } from '../../python/error.ts'
import { spend } from '../../python/limits.ts'
import { itemsOf } from '../../python/sequences.ts'
import { misused, textOf, typeName, type Value } from '../../python/values.ts'
import { notFound, TemplateError } from '../error.ts'
import { globalNamed } from './globals.ts'
import { Module } from './objects.ts'
import { type Block, Context, type Frame, type Loaded, type Read, type Resolve } from './scope.ts'
import { Undefined } from './undefined.ts'

/** The template of a name; where a list is allowed, the first of its names that there is. */
export const selectTemplate = (context: Context, names: Value, listAllowed: boolean): Loaded => {
  const name = textOf(names)
  if (name !== undefined) return context.render.load(name)
  const undefinedError = names instanceof Undefined ? misused(typeError(''), names) : undefined
  if (undefinedError) throw undefinedError
  if (!listAllowed) throw notFound(`(a ${typeName(names)})`)
  const tried: string[] = []
  for (const each of names ? itemsOf(names) : []) {
    if (each instanceof Undefined) continue
    const text = textOf(each)
    if (text === undefined) throw typeError(`a template's name can't be a ${typeName(each)}`)
    tried.push(text)
    try {
      return context.render.load(text)
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
  throw notFound(tried.join(', ') || '(an empty list of names)')
}

export const isMissing = (error: unknown): boolean =>
  error instanceof TemplateError && error.kind === 'not-found'

export type Locals = ReadonlyMap<string, Read>

/** All that can be resolved where a frame is, with its local variables on top. */
export const withLocals = (frame: Frame, locals: Locals): Resolve => {
  const { context } = frame
  const known = new Map<string, Value>()
  for (const [name, read] of locals) {
    const value = read(frame)
    if (value !== undefined) known.set(name, value)
  }
  return (name) => known.get(name) ?? (known.has(name) ? null : context.resolve(name))
}

const stacks = (template: Loaded) =>
  [...template.blocks].map(([name, block]) => [name, [block]] as [string, Block[]])

/** Renders a template in place, with the variables there are or with none. */
export const includeTemplate = (frame: Frame, template: Loaded, locals: Locals | undefined): void => {
  const { render } = frame
  spend(1)
  const outer = locals ? withLocals(frame, locals) : globalNamed
  render.nested(() => template.root(new Context(render, stacks(template), outer)))
}

/** Runs a template for what it defines; without variables from here, once in a render. */
export const importModule = (frame: Frame, template: Loaded, locals: Locals | undefined): Value => {
  const { render } = frame
  spend(1)
  const known = locals ? undefined : render.modules.get(template)
  if (known !== undefined) return known
  const context = new Context(render, stacks(template), locals ? withLocals(frame, locals) : globalNamed)
  const text = render.nested(() => render.capture(() => template.root(context)))
  const names = [...context.vars.keys()].filter((name) => context.exported.has(name))
  const module = new Module(new Map(names.map((name) => [name, context.vars.get(name)!])), text)
  if (!locals) render.modules.set(template, module)
  return module
}
