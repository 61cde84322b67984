/** Patterns for numbers in replies. Repetitions are bounded, so that a reply of nothing but spaces does not stall a run. */
import { readFloat } from '../python/numbers.ts'
import type { Match } from './_pattern.ts'

/** 8, 8.5, .5, 10., -3, 1e3, 1,000; 8,5 with a decimal comma. */
export const NUMBER = String.raw`[-+−]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+,\d{1,2}(?![\d,])|\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?`

/** An operator between two numbers on one line. At the beginning of the next line it would be a list marker; `**` ends bold text. */
export const ADDS = String.raw`(?:[ \t]{0,40}[+±×^x·]|[ \t]{1,40}\*|\*(?=\d))`

/** The same, or the sign of a range. */
export const OPERATOR = String.raw`(?:${ADDS}|[ \t]{0,40}[-–—~])`

/** The number ends here, unlike those in 8th, 8.1.2, 7-8, 7 to 8, 8 + 1. `8/10` is eight. */
export const ENDS = String.raw`(?![\p{L}\d_]|\.\d|(?:${OPERATOR}|\s{0,40}(?:to|or))\s{0,40}\d)`

/** Markdown, quotes and brackets. */
export const DRESS = String.raw`[*_~\x60"'‘’“”()\[\]{}]{0,9}`

export function numberOf(text: string): number {
  const plain = text.trim().replace('−', '-')
  if (/^[-+]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain)) return Number(plain.replaceAll(',', ''))
  return readFloat(plain.replace(',', '.')) ?? Number.NaN
}

/** Every match of a pattern with the flags `d` and `g`, whose first group is the number. */
export function matches(text: string, pattern: RegExp): Match[] {
  return Array.from(text.matchAll(pattern), (match) => ({
    whole: match[0],
    text: match[1]!,
    index: match.indices![1]![0],
  }))
}
