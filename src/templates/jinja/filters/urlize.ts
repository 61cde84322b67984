/* The filter urlize: links around what looks like an address (Jinja2 3.1's rules). */

import type { Arg } from '../../../python/calls.ts'
import { ordered } from '../../../python/compare.ts'
import { listOf } from '../../../python/iterate.ts'
import { escapeText, toMarkup } from '../../../python/markup.ts'
import { repr } from '../../../python/print.ts'
import { splitWords } from '../../../python/splitting.ts'
import { needText } from '../../../python/strings.ts'
import { codePoints, compareText, sliceChars, WHITESPACE } from '../../../python/unicode.ts'
import { indexOf, truthy, type Value } from '../../../python/values.ts'
import { raise } from '../../error.ts'
import { spendLength } from '../../limits.ts'

const W = '[\\p{L}\\p{N}_]'
const HOST = '[\\p{L}\\p{N}_%-]'

/** Made when the filter is first used: all letters there are take V8 a third of a millisecond each time. */
const makePatterns = () => ({
  http: new RegExp(
    `^(?:(?:https?:\\/\\/|www\\.)(?:(?:${HOST}+\\.)+)?(?:[a-z]{2,63}|xn--[\\p{L}\\p{N}_%]{2,59})` +
      `|(?:${HOST}{2,63}\\.)+(?:com|net|int|edu|gov|org|info|mil)` +
      `|https?:\\/\\/(?:\\p{Nd}{1,3}(?:\\.\\p{Nd}{1,3}){3}|\\[(?:[\\p{Nd}a-f]{0,4}:){2}(?:[\\p{Nd}a-f]{0,4}:?){1,6}\\]))` +
      `(?::\\p{Nd}{1,5})?(?:[\\/?#]\\S*)?$`,
    'iu',
  ),
  email: new RegExp(`^\\S+@${W}[\\p{L}\\p{N}_.-]*\\.${W}+$`, 'u'),
  scheme: /^(?:[\p{L}\p{N}_.+-]{2,}:\/{0,2})$/u,
})
let patterns: ReturnType<typeof makePatterns> | undefined

export interface UrlizeOptions {
  limit: Arg
  nofollow: Arg
  target: Arg
  rel: Arg
  schemes: Arg
}

interface Link {
  attributes: string
  shorten(url: string): string
  schemes: string[]
}

export const urlize = (value: Value, options: UrlizeOptions): string => {
  const rels = new Set(splitWords(truthy(options.rel ?? null) ? needText(options.rel) : '', -1))
  if (truthy(options.nofollow ?? false)) rels.add('nofollow')
  rels.add('noopener')
  const target = truthy(options.target ?? null) ? toMarkup(options.target!).text : ''
  const rel = [...rels].sort(compareText).join(' ')
  const schemes = listOf(options.schemes ?? []).map((each) => needText(each))
  for (const scheme of schemes) {
    if (!(patterns ??= makePatterns()).scheme.test(scheme))
      throw raise('FilterArgumentError', `${repr(scheme)} is not a valid URI scheme prefix.`)
  }
  const limit = options.limit ?? null
  const link: Link = {
    attributes: ` rel="${escapeText(rel)}"${target && ` target="${target}"`}`,
    shorten: (url) =>
      limit !== null && ordered(codePoints(url), '>', limit)
        ? `${sliceChars(url, 0, clamp(indexOf(limit), url))}...`
        : url,
    schemes,
  }
  const text = splitSpaces(toMarkup(value).text)
    .map((word, i) => (i % 2 === 0 ? linked(word, link) : word))
    .join('')
  spendLength(text.length)
  return text
}

const clamp = (limit: number, text: string): number =>
  limit < 0 ? Math.max(0, codePoints(text) + limit) : limit

/** Words and the white space between them, in turn. */
const splitSpaces = (text: string): string[] => {
  const parts: string[] = ['']
  let inSpace = false
  for (const char of text) {
    if (WHITESPACE.has(char) !== inSpace) {
      inSpace = !inSpace
      parts.push('')
    }
    parts[parts.length - 1] += char
  }
  return parts
}

const OPENING = /^(?:[(<]|&lt;)+/

const linked = (word: string, link: Link): string => {
  if (word === '') return word
  const head = OPENING.exec(word)?.[0] ?? ''
  let middle = word.slice(head.length)
  let tail = trailing(middle)
  middle = middle.slice(0, middle.length - tail.length)
  for (const [open, close] of [
    ['(', ')'],
    ['<', '>'],
    ['&lt;', '&gt;'],
  ] as const) {
    const opened = count(middle, open)
    if (opened <= count(middle, close)) continue
    for (let i = Math.min(opened, count(tail, close)); i > 0; i--) {
      const end = tail.indexOf(close) + close.length
      middle += tail.slice(0, end)
      tail = tail.slice(end)
    }
  }
  return head + anchor(middle, link) + tail
}

const count = (text: string, part: string): number => text.split(part).length - 1

/** The punctuation at the end that belongs to the sentence. */
const trailing = (text: string): string => {
  let at = text.length
  for (;;) {
    if (at >= 4 && text.endsWith('&gt;', at)) at -= 4
    else if (at > 0 && ').,>\n'.includes(text[at - 1]!)) at--
    else return text.slice(at)
  }
}

const anchor = (url: string, { attributes, shorten, schemes }: Link): string => {
  const { http, email } = (patterns ??= makePatterns())
  if (http.test(url)) {
    const href = /^https?:\/\//.test(url) ? url : `https://${url}`
    return `<a href="${href}"${attributes}>${shorten(url)}</a>`
  }
  if (url.startsWith('mailto:') && email.test(url.slice(7))) return `<a href="${url}">${url.slice(7)}</a>`
  if (url.includes('@') && !url.startsWith('www.') && !url.includes(':') && email.test(url)) {
    return `<a href="mailto:${url}">${url}</a>`
  }
  let result = url
  for (const scheme of schemes) {
    if (result !== scheme && result.startsWith(scheme))
      result = `<a href="${result}"${attributes}>${result}</a>`
  }
  return result
}
