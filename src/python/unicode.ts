/*
 * Python's characters: a str is a sequence of code points; letters, digits and white space are Unicode's. (JavaScript's
 * trim and \s differ: U+FEFF is white space there, U+001C to U+001F and U+0085 are not.)
 */

/** Python's `\s`, as part of a pattern. */
export const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'

const WIDE_SPACE = new RegExp(`[${SPACE}]`)

/** str.isspace() of a UTF-16 unit: there is no white space beyond U+FFFF. */
export const isSpace = (unit: number): boolean => {
  if (unit <= 0x20) return unit === 0x20 || (unit >= 9 && unit <= 13) || unit >= 0x1c
  return unit >= 0x85 && WIDE_SPACE.test(String.fromCharCode(unit))
}

/** str.strip(), or one end of it. */
export const strip = (text: string, start = true, end = true): string => {
  let from = 0
  let to = text.length
  if (start) while (from < to && isSpace(text.charCodeAt(from))) from++
  if (end) while (to > from && isSpace(text.charCodeAt(to - 1))) to--
  return to - from === text.length ? text : text.slice(from, to)
}

// Patterns are literals where they are used: V8 compiles them on first use, which takes time.

/** Whether repr() prints the character unescaped. */
export const isPrintable = (char: string): boolean => char === ' ' || !/^[\p{C}\p{Z}]$/u.test(char)

/** Excludes four characters that Unicode 15.1 added and Python does not accept. */
export const isIdentifier = (text: string): boolean =>
  /^(?!.*(?:\u200c|\u200d|\u30fb|\uff65))[\p{XID_Start}_][\p{XID_Continue}]*$/u.test(text)

const SURROGATE = /[\ud800-\udfff]/

const hasSurrogates = (text: string): boolean => SURROGATE.test(text)

/** len(text). */
export const codePoints = (text: string): number => {
  if (!hasSurrogates(text)) return text.length
  let count = 0
  for (const _ of text) count++
  return count
}

/** The characters of a text. */
export const chars = (text: string): string[] => (hasSurrogates(text) ? Array.from(text) : text.split(''))

/** text[start:end] in code points; both must lie within the text. */
export const sliceChars = (text: string, start: number, end: number): string =>
  hasSurrogates(text) ? Array.from(text).slice(start, end).join('') : text.slice(start, end)

/** Order of two strings by code points: Python's, and the same on every machine. */
export const byCodePoint = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    // Units compare as code points do, but for surrogates, which encode higher ones than U+E000 to U+FFFF.
    if (x !== y) return high(x) - high(y)
  }
  return a.length - b.length
}

const high = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit)
