/** How replies write numbers. Runs are bounded: a reply of nothing but spaces must not stall a run. */
import type { Match } from './_pattern.ts'

/** 8, 8.5, .5, 10., -3, 1e3, 1,000; 8,5 with a decimal comma. */
export const NUMBER = String.raw`[-+−]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+,\d{1,2}(?![\d,])|\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?`

/** Makes a sum or product of a number and another after it, on the same line: what begins the next line is the mark of a list. `**` ends bold text. */
export const ADDS = String.raw`(?:[ \t]{0,40}[+±×^x·]|[ \t]{1,40}\*|\*(?=\d))`

/** The same, or a range. */
export const OPERATOR = String.raw`(?:${ADDS}|[ \t]{0,40}[-–—~])`

/** Not a part of something longer: 8th, 8.1.2, 7-8, 7 to 8, 8 + 1. `8/10` is eight. */
export const ENDS = String.raw`(?![\p{L}\d_]|\.\d|(?:${OPERATOR}|\s{0,40}(?:to|or))\s{0,40}\d)`

/** Markdown, quotes and brackets. */
export const DRESS = String.raw`[*_~\x60"'‘’“”()\[\]{}]{0,9}`

export function numberOf(text: string): number {
  const plain = text.trim().replace('−', '-')
  if (/^[-+]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain)) return Number(plain.replaceAll(',', ''))
  return Number(plain.replace(',', '.'))
}

/** Every match; the first group is the number. The pattern has the flags `d` and `g`. */
export function matches(text: string, pattern: RegExp): Match[] {
  return Array.from(text.matchAll(pattern), (match) => ({
    whole: match[0],
    text: match[1]!,
    index: match.indices![1]![0],
  }))
}
