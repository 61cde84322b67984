/* Filters for HTML and URLs: toMarkup, safe, striptags, urlencode, urlize, xmlattr. */

import { type Arg, given } from '../../../python/calls.ts'
import { dictEntries, isDict } from '../../../python/dicts.ts'
import { isIterable, itemsOf, unpack } from '../../../python/iterate.ts'
import { escapeText, toMarkup } from '../../../python/markup.ts'
import { repr, str } from '../../../python/print.ts'
import { splitWords } from '../../../python/splitting.ts'
import { needText } from '../../../python/strings.ts'
import { Undefined, undefinedError } from '../../../python/undefined.ts'
import { Markup, Obj, textOf, truthy, typeName, type Value } from '../../../python/values.ts'
import { raise } from '../../error.ts'
import { spendLength } from '../../limits.ts'
import type { Context } from '../context.ts'
import { unescapeHtml } from './entities.ts'
import { type Filter, filter } from './filter.ts'
import { urlize } from './urlize.ts'

/** The HTML an object says it is, else its text. */
const htmlOf = (value: Value): string => (value instanceof Obj ? value.html?.() : undefined) ?? str(value)

/** The text without what stands between `open` and `close`. */
const without = (text: string, open: string, close: string): string => {
  let result = ''
  let from = 0
  for (;;) {
    const start = text.indexOf(open, from)
    const end = start < 0 ? -1 : text.indexOf(close, start + open.length)
    if (end < 0) return result + text.slice(from)
    result += text.slice(from, start)
    from = end + close.length
  }
}

const stripTags = (value: Value): string => {
  const text = without(without(htmlOf(value), '<!--', '-->'), '<', '>')
  return unescapeHtml(splitWords(text, -1).join(' '))
}

const SAFE = /[\w.~/-]/

/** urllib.parse.quote; in a query string "/" is quoted too and a space is "+". */
const quoteUrl = (value: Value, inQuery: boolean): string => {
  let result = ''
  for (const byte of new TextEncoder().encode(str(value))) {
    const char = String.fromCharCode(byte)
    if (byte < 0x80 && SAFE.test(char) && !(inQuery && char === '/')) result += char
    else result += inQuery && char === ' ' ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  spendLength(result.length)
  return result
}

const urlEncode = (value: Value): string => {
  if (textOf(value) !== undefined || (!isDict(value) && !isIterable(value))) return quoteUrl(value, false)
  const pairs = isDict(value) ? dictEntries(value) : itemsOf(value).map((pair) => unpack(pair, 2))
  return pairs.map(([key, each]) => `${quoteUrl(key!, true)}=${quoteUrl(each!, true)}`).join('&')
}

const xmlAttributes = ({ autoescape }: Context, value: Value, autospace: Arg): Value => {
  const error = undefinedError(value)
  if (error) throw error
  if (!isDict(value)) throw raise('AttributeError', `'${typeName(value)}' object has no attribute 'items'`)
  const attributes: string[] = []
  for (const [key, each] of dictEntries(value)) {
    if (each === null || each instanceof Undefined) continue
    const name = needText(key, 'attribute name')
    if (/[ \t\n\r\f\v/>=]/.test(name))
      throw raise('ValueError', `Invalid character in attribute name: ${repr(name)}`)
    attributes.push(`${toMarkup(key).text}="${toMarkup(each).text}"`)
  }
  const text = attributes.join(' ')
  const result = truthy(given(autospace, true)) && text !== '' ? ` ${text}` : text
  return autoescape ? new Markup(result) : result
}

const escapeFilter: Filter = filter('escape', 's', 1, (_, value) => toMarkup(value!))

export const HTML_FILTERS: Record<string, Filter> = {
  e: escapeFilter,
  escape: escapeFilter,
  forceescape: filter('forceescape', 'value', 1, (_, value) => new Markup(escapeText(htmlOf(value!)))),
  safe: filter('safe', 'value', 1, (_, value) => new Markup(htmlOf(value!))),
  striptags: filter('striptags', 'value', 1, (_, value) => stripTags(value!)),
  urlencode: filter('urlencode', 'value', 1, (_, value) => urlEncode(value!)),
  urlize: filter(
    'urlize',
    'value trim_url_limit nofollow target rel extra_schemes',
    1,
    ({ autoescape }, value, limit, nofollow, target, rel, schemes) => {
      const text = urlize(value!, { limit, nofollow, target, rel, schemes })
      return autoescape ? new Markup(text) : text
    },
  ),
  xmlattr: filter('xmlattr', 'd autospace', 1, (context, value, autospace) =>
    xmlAttributes(context, value!, autospace),
  ),
}
