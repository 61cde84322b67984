/*
 * Characters as Python sees them: a str is a sequence of code points, and what is a letter, a digit or
 * white space follows Unicode, not ASCII. (JavaScript's trim and \s differ: they take U+FEFF for white
 * space and U+001C to U+001F and U+0085 not.)
 */

/** str.isspace() of one character, and `\s` of Python's re. */
export const WHITESPACE: ReadonlySet<string> = new Set(
  '\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a' +
    '\u2028\u2029\u202f\u205f\u3000',
)

/** The same of a UTF-16 unit: no white space lies beyond U+FFFF. */
export const isSpaceUnit = (unit: number): boolean =>
  unit > 0x20 && unit < 0x85
    ? false
    : unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) || WHITESPACE.has(String.fromCharCode(unit))

/** Where str.splitlines() cuts. */
export const LINE_ENDS: ReadonlySet<string> = new Set('\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029')

// Patterns stand where they are used: V8 makes what they need when it first comes to one, which takes its time.

/** Superscripts, circled digits and the like: digits that aren't decimal. */
const isDigitOnly = (char: string): boolean =>
  /^[\u00b2\u00b3\u00b9\u1369-\u1371\u19da\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468\u2474-\u247c\u2488-\u2490\u24ea\u24f5-\u24fd\u24ff\u2776-\u277e\u2780-\u2788\u278a-\u2792\u{10a40}-\u{10a43}\u{10e60}-\u{10e68}\u{11052}-\u{1105a}\u{1f100}-\u{1f10a}]$/u.test(
    char,
  )
/** Ideographs that are numerals. */
const NUMERALS = new Set(
  '㐅㒃㠪㭍一七万三九二五亖亿什仟仨伍佰億兆兩八六十千卄卅卌叁参參叄四壱壹幺廾廿弌弍弎弐拾捌柒漆玖百肆萬貮貳贰阡陆陌陸零' +
    '\uf96b\uf973\uf978\uf9b2\uf9d1\uf9d3\uf9fd𠀁𠁤𠃢𠄡𠤪𠦃𠦌𠦜𠫪𠫽𠬙𢎐𢦘𣬛𦉭\u{2f890}',
)

export const isAlpha = (char: string): boolean => /^\p{L}$/u.test(char)
export const isDecimal = (char: string): boolean => /^\p{Nd}$/u.test(char)
export const isDigit = (char: string): boolean => isDecimal(char) || isDigitOnly(char)
export const isNumeric = (char: string): boolean => /^\p{N}$/u.test(char) || NUMERALS.has(char)
export const isAlnum = (char: string): boolean => /^[\p{L}\p{N}]$/u.test(char)
export const isCased = (char: string): boolean => /^\p{Cased}$/u.test(char)
export const isLower = (char: string): boolean => /^\p{Lowercase}$/u.test(char)
export const isUpper = (char: string): boolean => /^\p{Uppercase}$/u.test(char)
export const isTitle = (char: string): boolean => /^\p{Lt}$/u.test(char)

/** Whether repr() shows the character as it is. */
export const isPrintable = (char: string): boolean => char === ' ' || !/^[\p{C}\p{Z}]$/u.test(char)

/** Unicode 15.1 took four more characters in, which Python's names don't have. */
export const isIdentifier = (text: string): boolean =>
  /^(?!.*(?:\u200c|\u200d|\u30fb|\uff65))[\p{XID_Start}_][\p{XID_Continue}]*$/u.test(text)

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what it says
const ASCII = /^[\x00-\x7f]*$/
export const isAscii = (text: string): boolean => ASCII.test(text)

const SURROGATE = /[\ud800-\udfff]/

/** Whether UTF-16 units and code points may differ in number. */
export const hasSurrogates = (text: string): boolean => SURROGATE.test(text)

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
export const sliceChars = (text: string, start: number, end: number): string => {
  if (!hasSurrogates(text)) return text.slice(start, end)
  return text.slice(unitIndex(text, start), unitIndex(text, end))
}

/** The UTF-16 index of a code point. */
export const unitIndex = (text: string, point: number): number => {
  let unit = 0
  for (let i = 0; i < point && unit < text.length; i++) unit += text.codePointAt(unit)! > 0xffff ? 2 : 1
  return unit
}

/** Orders two texts by code points. */
export const compareText = (a: string, b: string): number => {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x === y) continue
    // A surrogate stands for a code point above all that a single unit can hold.
    const high = x >= 0xd800 && y >= 0xd800
    return (high ? rank(x) - rank(y) : x - y) < 0 ? -1 : 1
  }
  return a.length < b.length ? -1 : 1
}

const rank = (unit: number): number => (unit >= 0xe000 ? unit - 0x800 : unit + 0x2000)
