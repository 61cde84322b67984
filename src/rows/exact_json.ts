/**
 * Numbers as they are written: docs/rows.md, "Numbers", is the definition.
 *
 * JSON.parse rounds an integer beyond 2^53, so that two ids become one, and forgets that 1 was written 1.0. A value read here
 * is a text of digits for what JavaScript cannot hold, and objects and lists know how the numbers in them are written.
 */
import { getOrInsert } from './maps.ts'
import type { Json } from './record.ts'

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y

/** JSON text with other numbers. Strings are skipped without a regular expression: V8's fail on one of some MB. */
function withNumbers(json: string, change: (token: string) => string): string {
  const out: string[] = []
  let from = 0
  for (let at = 0; at < json.length; ) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = stringEnd(json, at + 1)
    else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      NUMBER.lastIndex = at
      const [token] = NUMBER.exec(json) ?? ['']
      const made = change(token)
      if (made !== token) {
        out.push(json.slice(from, at), made)
        from = at + token.length
      }
      at += token.length || 1
    } else at++
  }
  return out.length === 0 ? json : out.join('') + json.slice(from)
}

const [QUOTE, BACKSLASH, MINUS, ZERO, NINE] = [0x22, 0x5c, 0x2d, 0x30, 0x39]

/** Where a string is over whose text begins there. */
function stringEnd(json: string, from: number): number {
  for (let at = from; ; ) {
    const quote = json.indexOf('"', at)
    if (quote < 0) return json.length
    let back = quote
    while (back > from && json.charCodeAt(back - 1) === BACKSLASH) back--
    if ((quote - back) % 2 === 0) return quote + 1
    at = quote + 1
  }
}

const isBeyond = (token: string) =>
  /^-?\d+$/.test(token) ? !Number.isSafeInteger(Number(token)) : !Number.isFinite(Number(token))

/** JSON text with numbers that JavaScript cannot hold, mostly integers, as strings; strings and other numbers stay. */
export const withExactIntegers = (json: string): string =>
  /\d{16}|[eE]\+?\d{3}/.test(json)
    ? withNumbers(json, (token) => (isBeyond(token) ? `"${token}"` : token))
    : json

/** Before a number that is a text while JSON is parsed or written. No file can know it. */
const MARK = `number-${Math.random()}-${Math.random()}:`
const MARKED = new RegExp(`"${MARK}([^"]+)"`, 'g')

/** How numbers that JavaScript would write otherwise are written, by the object or list and the key. */
const written = new WeakMap<object, Map<string, string>>()
/** Whether there are any. */
let some = false

/** A number's value: a text where JavaScript cannot hold it. */
const numberIn = (token: string): number | string => (isBeyond(token) ? token : Number(token))

const marked = (json: string): string =>
  withNumbers(json, (token) =>
    String(Number(token)) === token && !isBeyond(token) ? token : `"${MARK}${token}"`,
  )

/**
 * The value of JSON text: a number that JavaScript cannot hold, an integer beyond 2^53 or what is infinite to it, is its
 * text. {@link writtenJson} writes the numbers in its objects and lists as they are written here. @throws SyntaxError
 */
export function exactJson(json: string): Json {
  const text = marked(json)
  if (text === json) return JSON.parse(json) as Json
  const whole = { value: JSON.parse(text) as Json }
  some = true
  // Not by a reviver, which ends at a depth that JSON.parse takes.
  const open: { [key: string]: Json }[] = [whole]
  for (let holder = open.pop(); holder; holder = open.pop())
    for (const key of Object.keys(holder)) {
      const one = holder[key]!
      if (typeof one === 'object') {
        if (one !== null) open.push(one as typeof whole)
      } else if (typeof one === 'string' && one.startsWith(MARK)) {
        const token = one.slice(MARK.length)
        getOrInsert(written, holder, () => new Map<string, string>()).set(key, token)
        holder[key] = numberIn(token)
      }
    }
  return whole.value
}

/** How a member is written that {@link exactJson} read, unless it was changed since. */
function tokenAt(holder: object, key: string, value: unknown): string | undefined {
  const token = written.get(holder)?.get(key)
  return token !== undefined && Object.is(value, numberIn(token)) ? token : undefined
}

/** JSON text of a value: as JSON.stringify, but for the numbers of what {@link exactJson} read. @param space indents levels */
export function writtenJson(value: unknown, space?: number): string {
  if (!some) return JSON.stringify(value, null, space)
  let odd = false
  const json = JSON.stringify(
    value,
    function (this: object, key: string, one: unknown) {
      const token = tokenAt(this, key, one)
      odd ||= token !== undefined
      return token === undefined ? one : MARK + token
    },
    space,
  )
  return odd ? json.replace(MARKED, '$1') : json
}

/** JSON text of one member. */
export const memberJson = (holder: { readonly [key: string]: unknown }, key: string): string =>
  tokenAt(holder, key, holder[key]) ?? writtenJson(holder[key])
