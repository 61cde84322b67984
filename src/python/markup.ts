/* Markup: text that is HTML already. What is joined to it gets escaped (markupsafe 2.1). */
import { valueError } from '../templates/error.ts'
import { spendLength } from '../templates/limits.ts'
import { textMethod } from './attributes.ts'
import { boundMethod, type Method, positional } from './calls.ts'
import { fill, lookupIn, parseFormat } from './format.ts'
import { format } from './format-spec.ts'
import { iterate } from './iterate.ts'
import { formatPercent } from './percent.ts'
import { repr, str } from './print.ts'
import { Builtin, DONE, Markup, Obj, Tuple, textOf, type Value } from './values.ts'

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&#34;',
}

export const escapeText = (text: string): string => {
  if (!/[&<>'"]/.test(text)) return text
  const escaped = text.replace(/[&<>'"]/g, (char) => ENTITIES[char]!)
  spendLength(escaped.length)
  return escaped
}

/** markupsafe.escape: Markup stays as it is. */
export const toMarkup = (value: Value): Markup => {
  if (value instanceof Markup) return value
  const html = value instanceof Obj ? value.html?.() : undefined
  return new Markup(html ?? escapeText(str(value)))
}

/** A str or Markup as a Markup would take it in. */
const escaped = (value: Value): string => toMarkup(value).text

/** `a + b` where one is Markup; undefined where Markup doesn't know the other. */
export const markupAdd = (a: Value, b: Value): Markup | undefined => {
  if (textOf(a) === undefined || textOf(b) === undefined) return undefined
  const text = escaped(a) + escaped(b)
  spendLength(text.length)
  return new Markup(text)
}

/** `markup % values`: the values are escaped. */
export const markupFormat = (markup: Markup, args: Value): Markup =>
  new Markup(
    formatPercent(markup.text, args, {
      str: (value) => escaped(value),
      repr: (value) => escaped(repr(value)),
    }),
  )

/** Methods of str whose result is Markup again. */
const WRAPPED = new Set(
  (
    'capitalize title lower upper replace ljust rjust lstrip rstrip center strip translate expandtabs swapcase ' +
    'zfill split rsplit splitlines partition rpartition'
  ).split(' '),
)
/** Those of them whose arguments aren't escaped. */
const RAW = new Set(['split', 'rsplit', 'splitlines'])

const wrap = (value: Value): Value => {
  if (typeof value === 'string') return new Markup(value)
  if (Array.isArray(value)) return value.map(wrap)
  return value instanceof Tuple ? new Tuple(value.items.map(wrap)) : value
}

const wrapped = (name: string, method: Method<string>): Method<Markup> => {
  const all = name.endsWith('partition')
  const take = (value: Value): Value =>
    all || (!RAW.has(name) && textOf(value) !== undefined) ? escaped(value) : value
  return (markup, args, kwargs) => {
    const named = kwargs && new Map([...kwargs].map(([key, value]) => [key, take(value)]))
    return wrap(method(markup.text, args.map(take), named))
  }
}

const joinMarkup: Method<Markup> = positional('join', 1, 1, (markup, items) => {
  const parts: string[] = []
  const next = iterate(items ?? null)
  for (let item = next(); item !== DONE; item = next()) parts.push(escaped(item))
  const text = parts.join(markup.text)
  spendLength(text.length)
  return new Markup(text)
})

/** Markup.format: fields are escaped once they are formatted. */
const formatMarkup: Method<Markup> = (markup, args, kwargs) => {
  const write = (value: Value, spec: string): string => {
    if (value instanceof Markup && spec !== '')
      throw valueError('Unsupported format specification for Markup.')
    return value instanceof Markup ? value.text : escaped(format(value, spec))
  }
  return new Markup(fill(parseFormat(markup.text), lookupIn(args, kwargs), write))
}

/** Methods that markupsafe defines itself. */
const OWN: Record<string, Method<Markup>> = {
  format: formatMarkup,
  join: joinMarkup,
}

/** A method of Markup: that of str, with its arguments escaped and its result Markup. */
export const markupMethod = (name: string): Method<Markup> | undefined => {
  if (Object.hasOwn(OWN, name)) return OWN[name]
  const method = textMethod(name)
  if (!method) return undefined
  return WRAPPED.has(name)
    ? wrapped(name, method)
    : (markup, args, kwargs) => method(markup.text, args, kwargs)
}

/** What a method of Markup that isn't called looks like. */
export const boundMarkupMethod = (markup: Markup, name: string): Builtin | undefined => {
  const method = markupMethod(name)
  if (!method) return undefined
  const own = Object.hasOwn(OWN, name) || RAW.has(name) || name.endsWith('partition')
  if (!own && !WRAPPED.has(name)) return boundMethod('Markup', name, markup, method)
  const label = `bound method ${own ? 'Markup' : 'str'}.${name} of ${repr(markup)}`
  return new Builtin(label, (args, kwargs) => method(markup, args, kwargs), markup)
}
