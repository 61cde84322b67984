/* Filters for HTML, URLs and JSON. */
import { type Arg, given } from '../../../python/calls.ts'
import { dictEntries, isDict } from '../../../python/dict.ts'
import { typeError, valueError } from '../../../python/error.ts'
import { dumps } from '../../../python/json.ts'
import { spendLength } from '../../../python/limits.ts'
import { escapeText, markupOf } from '../../../python/markup.ts'
import { str } from '../../../python/print.ts'
import { isIterable, itemsOf, unpack } from '../../../python/sequences.ts'
import {
  indexOf,
  Markup,
  misused,
  needText,
  textOf,
  truthy,
  typeName,
  type Value,
} from '../../../python/values.ts'
import { Undefined } from '../undefined.ts'
import { type Filter, filter } from './filter.ts'

/** urllib.parse.quote; in a query string "/" is quoted too and a space is "+". */
const quoteUrl = (value: Value, inQuery: boolean): string => {
  const text = str(value).replace(/\p{Surrogate}/gu, '\ufffd')
  spendLength(text.length)
  const quoted = encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return inQuery ? quoted.replaceAll('%20', '+') : quoted.replaceAll('%2F', '/')
}

const urlEncode = (value: Value): string => {
  if (textOf(value) !== undefined || (!isDict(value) && !isIterable(value))) return quoteUrl(value, false)
  const pairs = isDict(value) ? dictEntries(value) : itemsOf(value).map((pair) => unpack(pair, 2))
  return pairs.map(([key, each]) => `${quoteUrl(key!, true)}=${quoteUrl(each!, true)}`).join('&')
}

const xmlAttributes = (value: Value, autospace: Arg): string => {
  if (!isDict(value)) throw misused(typeError(`a ${typeName(value)} has no items`), value)
  const attributes: string[] = []
  for (const [key, each] of dictEntries(value)) {
    if (each === null || each instanceof Undefined) continue
    if (/[ \t\n\r\f\v/>=]/.test(needText(key))) throw valueError('Invalid character in attribute name')
    attributes.push(`${markupOf(key).text}="${markupOf(each).text}"`)
  }
  const text = attributes.join(' ')
  return truthy(given(autospace, true)) && text !== '' ? ` ${text}` : text
}

const escaped = filter('s', (_, value) => markupOf(value!))

const indentOf = (indent: Arg): string | undefined => {
  if (indent === undefined || indent === null) return undefined
  const size = textOf(indent) === undefined ? indexOf(indent) : 0
  spendLength(Math.max(0, size))
  return textOf(indent) ?? ' '.repeat(Math.max(0, size))
}

export const MARKUP_FILTERS: Record<string, Filter> = {
  e: escaped,
  escape: escaped,
  forceescape: filter('value', (_, value) => new Markup(escapeText(str(value!)))),
  safe: filter('value', (_, value) => new Markup(str(value!))),
  tojson: filter('value ? indent', (_, value, indent) => {
    const style = { spaces: true, sortKeys: true, html: true, indent: indentOf(indent) }
    return new Markup(dumps(value!, style))
  }),
  urlencode: filter('value', (_, value) => urlEncode(value!)),
  xmlattr: filter('d ? autospace', (_, value, autospace) => xmlAttributes(value!, autospace)),
}
