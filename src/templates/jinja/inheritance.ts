/* Other templates: found, included, imported. */

import { listOf } from '../../python/iterate.ts'
import { str } from '../../python/print.ts'
import { getItem } from '../../python/subscripts.ts'
import { Undefined, undefinedError } from '../../python/undefined.ts'
import { textOf, truthy, typeName, type Value } from '../../python/values.ts'
import { raise, TemplateError } from '../error.ts'
import { spend } from '../limits.ts'
import { Context, type Frame, type Loaded, type Render, type Resolve, templateNotFound } from './context.ts'
import { globalNamed } from './globals.ts'
import { Module } from './objects.ts'

/** The template of a name, or the first there is of a list of names. */
export const selectTemplate = (context: Context, names: Value, listAllowed: boolean): Loaded => {
  const error = undefinedError(names)
  if (error) throw error
  const name = textOf(names)
  if (name !== undefined) return context.render.load(name)
  if (!listAllowed) throw templateNotFound(str(names))
  if (!truthy(names)) throw templateNotFound('(an empty list of names)')
  const items = listOf(names)
  for (const each of items) {
    const found = each instanceof Undefined ? undefined : find(context, each)
    if (found) return found
  }
  // Jinja2 names the last one, and fails with that where there is no such thing.
  getItem(names, -1)
  throw templateNotFound(items.map(str).join(', '))
}

const find = (context: Context, each: Value): Loaded | undefined => {
  const name = textOf(each)
  if (name === undefined) throw raise('AttributeError', `'${typeName(each)}' object has no attribute 'split'`)
  try {
    return context.render.load(name)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

export const isMissing = (error: unknown): boolean =>
  error instanceof TemplateError && error.kind === 'not-found'

type Locals = Iterable<readonly [string, Value | undefined]>

/** Renders a template in place, with the variables there are or with none. */
export const includeTemplate = (frame: Frame, template: Loaded, locals: Locals | undefined): void => {
  const { context, render } = frame
  spend(1)
  if (locals) render.nested(() => template.root(new Context(render, template, context.snapshot(locals))))
  else render.write(importModule(frame, template, undefined).str())
}

/** Runs a template for what it defines; without variables from here, once in a render. */
export const importModule = (frame: Frame, template: Loaded, locals: Locals | undefined): Module => {
  const { context, render } = frame
  spend(1)
  if (locals) return runModule(render, template, context.snapshot(locals))
  let module = render.modules.get(template)
  if (!(module instanceof Module)) {
    module = runModule(render, template, globalNamed)
    render.modules.set(template, module)
  }
  return module as Module
}

const runModule = (render: Render, template: Loaded, outer: Resolve): Module => {
  const context = new Context(render, template, outer)
  const text = render.nested(() => render.capture(() => template.root(context)))
  const members = new Map([...context.exported].map((name) => [name, context.vars.get(name)!]))
  return new Module(template.name ?? '', members, text)
}
