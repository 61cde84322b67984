/** Patterns for numbers in replies. Repetitions are bounded, so that a reply of nothing but spaces does not stall a run. */
import { digitOf, readFloat } from '../python/numbers.ts'
import { type Json, RowFailure } from '../rows/record.ts'
import { lazily } from './_lazily.ts'
import type { Match } from './_pattern.ts'

export const WORDS = 'zero one two three four five six seven eight nine ten'.split(' ')

const HALF = String.raw`(?:[ ]?½|[ ]1\/2(?!\d)|[ ]and a half)`

/** 8, 8.5, .5, 10., -3, 1e3, 1,000; 8,5 with a decimal comma; 8½, 8 and a half. */
export const NUMBER = String.raw`[-+−]?(?:\d+${HALF}|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+,\d{1,2}(?![\d,])|\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?`

/** An operator between two numbers on one line. At the beginning of the next line it would be a list marker; `**` ends bold text. */
const ADDS = String.raw`(?:[ \t]{0,40}[+±×^x·]|[ \t]{1,40}\*|\*(?=\d))`

/** The same, or the sign of a range. */
export const OPERATOR = String.raw`(?:${ADDS}|[ \t]{0,40}[-–—~])`

/** `8 or higher`, `8/10, maybe 9/10`, `8 (style), 5 (content)`, `8 → 6`, `3/4 = 0.75`, `8 < rating`: after these a number is not one score. */
const OPEN = String.raw`\s{1,3}(?:or|to)\s{0,3}$|[*_]{0,3}[,;]?\s{1,3}(?:(?:and|but)\s)?(?:if|unless)\s(?!only|anything|I (?:had|have|must)\b)|\s{1,3}(?:is|was|seems|would be|might be) (?:too|not)\b|[*_]{0,3}\s{1,3}or\s(?:(?:even|maybe|perhaps|possibly)\s)?(?:higher|more|above|better|lower|less|below|worse)(?![\p{L}])|(?:(?:\s?\/\s?|\s(?:out\s)?of\s)\d{1,3})?,?\s{1,2}\(?(?:or|maybe|perhaps|possibly)\s(?:even\s)?(?:\d|(?:${WORDS.join('|')})(?![\p{L}]))|(?:\s?\/\s?\d{1,3})?(?:\s?=\s?\d|\s[<>≤≥]=?\s[\p{L}\d])|(?:\/\d{1,3})?\s\([^()\n\d]{1,30}\)\s{0,2}(?:[,;\/]|and)\s{0,2}(?:and\s)?\d[\d.\/]{0,6}\s\(\p{L}|[ \t]?(?:→|->|=>)[ \t]?\d`

/** The number ends here, unlike those in 8th, 8.1.2, 7-8, 7 to 8, 8 + 1, 8 or higher. `8/10` is eight. */
export const ENDS = String.raw`(?![\p{L}\d_]|\.\d|(?:${OPERATOR}|\s{0,40}(?:to|or))\s{0,40}\d|${OPEN})`

/** After a number, what {@link ENDS} refuses besides ranges and sums. */
export const UNSETTLED = lazily(() => new RegExp(`^(?:${OPEN})`, 'u'))

/** Numbers in words that end a sentence or have a scale after them. */
export const WORD = String.raw`(?:${WORDS.join('|')})(?:[ ]and a half)?(?=[*_~\x60"'’”)\]}]{0,6}(?:\s{0,3}$|\s{0,2}[.!;\n<\/]|\s(?:out\sof|stars?|points?)(?![\p{L}])))`

/**
 * The text with the decimal digits of all scripts as 0 to 9, and ① to ⑨ at the end of a line after a colon.
 * Its length is kept: scripts beyond U+FFFF are left as they are.
 */
export const withAsciiDigits = (text: string): string =>
  text
    .replace(/(?![0-9\u{10000}-\u{10ffff}])\p{Nd}/gu, digitOf)
    .replace(/(?<=[:：] ?)[①-⑨](?=[ \t]{0,40}$)/gm, (digit) => String(digit.charCodeAt(0) - 0x245f))

/** Markdown, quotes and brackets. */
export const DRESS = String.raw`[*_~\x60"'‘’“”()\[\]{}【】]{0,9}`

/** A picture that does not speak against what is before it. */
export const EMOJI = String.raw`(?![❌✖✗✘❎👎❓❔🤔])\p{So}\ufe0f?`

const HALVES = new RegExp(`^(.*?)(${HALF})?$`, 's')

export function numberOf(text: string): number {
  const [, whole, half] = HALVES.exec(text.trim().replace('−', '-'))!
  if (half !== undefined) return numberOf(whole!) + 0.5
  const plain = whole!
  const word = WORDS.indexOf(plain.toLowerCase())
  if (word >= 0) return word
  if (/^[-+]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain)) return Number(plain.replaceAll(',', ''))
  return readFloat(plain.replace(',', '.')) ?? Number.NaN
}

const DECIMAL = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/

/** A number, or a text that is only a number; undefined for any other value. */
export function asNumber(said: Json): number | undefined {
  const isNumber = typeof said === 'number' || (typeof said === 'string' && DECIMAL.test(said.trim()))
  return isNumber && Number.isFinite(Number(said)) ? Number(said) : undefined
}

/** The number that `read` makes of a value. @throws RowFailure no_verdict */
export function numberAt(name: string, said: Json, read = asNumber): number {
  const number = read(said)
  if (number !== undefined) return number
  throw new RowFailure('no_verdict', `"${name}" is ${JSON.stringify(said).slice(0, 60)}, not a number`)
}

/** Every match of a pattern with the flags `d` and `g`, whose first group is the number. */
export function matches(text: string, pattern: RegExp): Match[] {
  return Array.from(text.matchAll(pattern), (match) => ({
    whole: match[0],
    text: match[1]!,
    index: match.indices![1]![0],
  }))
}
