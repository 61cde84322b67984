/* What a filter is, and what several of them need. */
import { type Arg, type Method, named } from '../../../python/calls.ts'
import { str } from '../../../python/print.ts'
import { Undefined } from '../../../python/undefined.ts'
import { Markup, type Value } from '../../../python/values.ts'
import type { Context } from '../context.ts'
import { lookupItem } from '../lookup.ts'

/** A filter: the first argument is the value it is put on. */
export type Filter = Method<Context>

/** A filter with the parameters of the function behind it in Jinja2. */
export const filter = (
  name: string,
  params: string,
  required: number,
  run: (context: Context, ...args: Arg[]) => Value,
): Filter => named(name, params.split(' '), required, run)

/** A str or Markup as it is, anything else as str: markupsafe's soft_str. */
export const softText = (value: Arg): string | Markup => {
  if (typeof value === 'string' || value instanceof Markup) return value
  return str(value ?? null)
}

/** The text of what soft_str gives. */
export const plainText = (value: Arg): string => {
  const text = softText(value)
  return typeof text === 'string' ? text : text.text
}

/** Runs a change of text on a str or Markup, and gives the same kind back. */
export const onText = (value: Arg, change: (text: string) => string): Value => {
  const text = softText(value)
  return typeof text === 'string' ? change(text) : new Markup(change(text.text))
}

/** Lower case for texts: how filters compare unless they are told that case matters. */
export const ignoreCase = (value: Value): Value =>
  typeof value === 'string' ? value.toLowerCase() : value instanceof Markup ? value.text.toLowerCase() : value

type Getter = (item: Value) => Value

/** `a.b.0`: the steps of a path; whole numbers are indices. */
const pathOf = (attribute: Value): Value[] => {
  if (attribute === null) return []
  if (typeof attribute !== 'string') return [attribute]
  return attribute.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

/** Looks an attribute up in an item; nothing stands for the item itself. */
export const attributeGetter = (
  context: Context,
  attribute: Arg,
  postprocess?: (value: Value) => Value,
  fallback?: Arg,
): Getter => {
  const path = pathOf(attribute ?? null)
  return (item) => {
    let value = item
    for (const part of path) {
      value = lookupItem(context, value, part)
      if (value instanceof Undefined && fallback !== undefined && fallback !== null) value = fallback
    }
    return postprocess ? postprocess(value) : value
  }
}

/** Like `attributeGetter` for several attributes with commas between them; gives a list. */
export const attributesGetter = (
  context: Context,
  attribute: Arg,
  postprocess?: (value: Value) => Value,
): ((item: Value) => Value[]) => {
  const names = typeof attribute === 'string' ? attribute.split(',') : [attribute]
  const getters = names.map((name) => attributeGetter(context, name, postprocess))
  return (item) => getters.map((get) => get(item))
}
