/* Filters on text, HTML, URLs and JSON. */
import { add } from '../../../python/arithmetic.ts'
import { Dict, dictEntries, isDict } from '../../../python/dict.ts'
import { TemplateError, typeError, unsupported, valueError } from '../../../python/error.ts'
import { formatPercent } from '../../../python/format.ts'
import { dumps } from '../../../python/json.ts'
import { spend, spendLength } from '../../../python/limits.ts'
import { escapeText, markupOf, str } from '../../../python/print.ts'
import { getSlice, isIterable, itemsOf, lengthOf, unpackInto } from '../../../python/sequences.ts'
import { capitalize, replace, splitLines, stripSet, TEXT_METHODS } from '../../../python/strings.ts'
import { chars, SPACE, strip } from '../../../python/unicode.ts'
import * as py from '../../../python/values.ts'
import { Undefined } from '../undefined.ts'
import { type Filter, filter, like, onText, textFrom } from './filter.ts'

type Value = py.Value

/** A capital at the start of each word; words begin after white space and ( { [ < -. */
const titled = (text: string): string => {
  spendLength(text.length)
  return text.replace(WORD, (word) => {
    const first = String.fromCodePoint(word.codePointAt(0)!)
    return first.toUpperCase() + word.slice(first.length).toLowerCase()
  })
}
const WORD = new RegExp(`[^-${SPACE}({[<]+`, 'g')

const indent = filter('s width=4 first=false blank=false', (_, value, width, first, blank) => {
  const space = py.textOf(width) ?? ' '.repeat(Math.min(1 << 20, Math.max(0, py.indexOf(width))))
  // Jinja2 adds a newline, which fails for values that are not text.
  const lines = splitLines(py.needText(add(value, '\n')))
  spendLength(py.textOf(value)!.length + lines.length * space.length)
  const everyLine = py.truthy(blank)
  const text = lines.map((line, i) => (i > 0 && (everyLine || line !== '') ? space + line : line)).join('\n')
  return like(value, py.truthy(first) ? space + text : text)
})

const truncate = filter(
  "s length=255 killwords=false end='...' leeway=none",
  (_, value, length, killwords, end, leeway) => {
    const limit = py.indexOf(length)
    const slack = leeway === null ? 5 : py.indexOf(leeway)
    const tailLength = lengthOf(end)
    if (limit < tailLength || slack < 0)
      throw new TemplateError('AssertionError', `a length of ${limit} leaves no room for the end`)
    if (typeof value === 'string' && value.length <= limit + slack) return value
    if (lengthOf(value) <= limit + slack) return value
    const head = getSlice(value, null, limit - tailLength, null)
    if (py.truthy(killwords)) return add(head, end)
    const text = py.needText(head)
    const space = text.lastIndexOf(' ')
    return add(like(head, space < 0 ? text : text.slice(0, space)), end)
  },
)

/**
 * Python's textwrap.wrap of one line, as `wordwrap` calls it: keeps tabs and spaces, breaks at white space. Breaking at
 * hyphens is not supported. @throws ValueError
 */
const wrapLine = (text: string, width: number, breakLong: boolean): string[] => {
  if (width <= 0) throw valueError(`invalid width ${width} (must be > 0)`)
  const lines: string[] = []
  let line: string[] = []
  let length = 0
  const close = (): void => {
    if (line.length > 0 && strip(line.at(-1)!) === '') line.pop()
    if (line.length > 0) lines.push(line.join(''))
    line = []
    length = 0
    spend(1)
  }
  for (const chunk of text.match(/[ \t\n\v\f\r]+|[^ \t\n\v\f\r]+/g) ?? []) {
    const word = chars(chunk)
    let at = 0
    const left = () => word.length - at
    spend(4 + (word.length >> 6))
    if (line.length > 0 && length + word.length > width && word.length <= width) close()
    // A word longer than a line: breaks it.
    while (breakLong && left() > width - length) {
      const room = Math.max(width - length, 0)
      line.push(word.slice(at, at + room).join(''))
      at += room
      close()
    }
    if (line.length > 0 && length + left() > width) close()
    const rest = word.slice(at).join('')
    if (lines.length > 0 && line.length === 0 && strip(rest) === '') continue
    line.push(rest)
    length += left()
  }
  if (line.length > 0) close()
  return lines
}

const wordwrap = filter(
  's width=79 break_long_words=true wrapstring=none break_on_hyphens=true',
  (_, value, columns, long, wrapstring, hyphens) => {
    const text = py.textOf(value)
    if (text === undefined) throw valueError(`a ${py.typeName(value)} has no lines to wrap`)
    const between = wrapstring === null ? '\n' : py.needText(wrapstring)
    const width = py.indexOf(columns)
    if (py.truthy(hyphens) && text.includes('-'))
      throw unsupported('wordwrap of text with hyphens without break_on_hyphens=false')
    const lines = splitLines(text).map((line) => wrapLine(line, width, py.truthy(long)).join(between))
    spendLength(text.length * (1 + between.length / Math.max(1, width)))
    return lines.join(between)
  },
)

const format: Filter = (_context, [value, ...args], kwargs) => {
  if (args.length > 0 && kwargs?.size)
    throw valueError("can't handle positional and keyword arguments at the same time")
  return formatPercent(textFrom(value ?? null), kwargs?.size ? new Dict(new Map(kwargs)) : new py.Tuple(args))
}

// Filters for HTML, URLs and JSON.

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
  if (py.textOf(value) !== undefined || (!isDict(value) && !isIterable(value))) return quoteUrl(value, false)
  const pairs = isDict(value) ? dictEntries(value) : itemsOf(value).map((pair) => unpackInto(pair, 2))
  return pairs.map(([key, each]) => `${quoteUrl(key!, true)}=${quoteUrl(each!, true)}`).join('&')
}

const xmlAttributes = (value: Value, autospace: Value): string => {
  if (!isDict(value)) throw typeError(`a ${py.typeName(value)} has no items`)
  const attributes: string[] = []
  for (const [key, each] of dictEntries(value)) {
    if (each === null || each instanceof Undefined) continue
    if (/[ \t\n\r\f\v/>=]/.test(py.needText(key))) throw valueError('Invalid character in attribute name')
    attributes.push(`${markupOf(key).text}="${markupOf(each).text}"`)
  }
  const text = attributes.map((each) => ` ${each}`).join('')
  return py.truthy(autospace) ? text : text.slice(1)
}

const indentOf = (indent: Value): string | undefined => {
  if (indent === null) return undefined
  const size = py.textOf(indent) === undefined ? Math.max(0, py.indexOf(indent)) : 0
  spendLength(size)
  return py.textOf(indent) ?? ' '.repeat(size)
}

const escaped = filter('s', (_, value) => markupOf(value))

export const TEXT_FILTERS: Record<string, Filter> = {
  capitalize: onText(capitalize),
  center: filter('value width=80', (_, value, width) =>
    like(value, TEXT_METHODS.center!(textFrom(value), [py.indexOf(width)], undefined) as string),
  ),
  format,
  indent,
  lower: onText((text) => text.toLowerCase()),
  replace: filter('s old new count=none', (_, value, old, by, count) =>
    replace(textFrom(value), textFrom(old), textFrom(by), count === null ? -1 : py.indexOf(count)),
  ),
  string: filter('s', (_, value) => (value instanceof py.Markup ? value : textFrom(value))),
  title: filter('s', (_, value) => titled(textFrom(value))),
  trim: filter('value chars=none', (_, value, chars) =>
    like(value, stripSet(textFrom(value), chars === null ? undefined : py.needText(chars))),
  ),
  truncate,
  upper: onText((text) => text.toUpperCase()),
  wordcount: filter('s', (_, value) => {
    const text = textFrom(value)
    spendLength(text.length)
    return text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0
  }),
  wordwrap,
  e: escaped,
  escape: escaped,
  forceescape: filter('value', (_, value) => new py.Markup(escapeText(str(value)))),
  safe: filter('value', (_, value) => new py.Markup(str(value))),
  tojson: filter('value indent=none', (_, value, indent) => {
    const style = { spaces: true, sortKeys: true, html: true, indent: indentOf(indent) }
    return new py.Markup(dumps(value, style))
  }),
  urlencode: filter('value', (_, value) => urlEncode(value)),
  xmlattr: filter('d autospace=true', (_, value, autospace) => xmlAttributes(value, autospace)),
}
