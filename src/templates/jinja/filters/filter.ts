/* What a filter is, and what several of them need. */
import { type Arg, type Method, named } from '../../../python/calls.ts'
import { spend } from '../../../python/limits.ts'
import { str } from '../../../python/print.ts'
import { Markup, textOf, type Value } from '../../../python/values.ts'
import { lookupItem } from '../lookup.ts'
import type { Context } from '../scope.ts'
import { Undefined } from '../undefined.ts'

/** A filter or a test: the first argument is the value it is put on. */
export type Filter = Method<Context>

/** A filter with the parameters of the function behind it in Jinja2 (calls.ts says how they are written). */
export const filter: (params: string, run: (context: Context, ...args: Arg[]) => Value) => Filter = named

/** The text of a value: a str as it is, anything else as str() prints it. */
export const textFrom = (value: Arg): string => {
  const text = textOf(value ?? null) ?? str(value ?? null)
  spend(text.length >> 6)
  return text
}

/** A change of text; what was escaped stays so. */
export const onText = (value: Arg, change: (text: string) => string): Value => {
  const text = change(textFrom(value))
  return value instanceof Markup ? new Markup(text) : text
}

/** Lower case for texts: how filters compare unless they are to mind case. */
export const ignoreCase = (value: Value): Value => textOf(value)?.toLowerCase() ?? value

type Getter = (item: Value) => Value

/** Looks up `a.b.0` in an item; nothing stands for the item itself. */
export const getter = (context: Context, attribute: Arg, change?: Getter, fallback?: Arg): Getter => {
  const path = typeof attribute === 'string' ? attribute.split('.') : [attribute ?? null]
  const keys = path.map((part) => (typeof part === 'string' && /^\d+$/.test(part) ? Number(part) : part))
  return (item) => {
    let value = item
    for (const key of keys) {
      if (key !== null) value = lookupItem(context, value, key)
      if (value instanceof Undefined && (fallback ?? null) !== null) value = fallback!
    }
    return change ? change(value) : value
  }
}
