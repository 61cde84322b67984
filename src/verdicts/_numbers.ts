/** Numbers in replies. */
import { type Json, RowFailure } from '../rows/record.ts'
import type { Match } from './_pattern.ts'

/** A number as it is written in a text. */
export interface Numeral {
  value: number
  /** Its sign and digits, and where they are. */
  text: string
  index: number
  /** N of `/ N` or `out of N` behind it; 100 of a `%`. */
  scale?: number | undefined
  /** It is joined with another number: `7-8`, `7 to 8`. */
  range: boolean
}

const OPENS = '[*_`"\'(\\[]{0,4}'
const CLOSES = '[*_`"\')\\]]{0,4}'
/** Between two numbers, of which neither is the score: `7-8`, `7 to 8`, `8 + 1`, `3/4 = 0.75`, `[7], [8]`. */
const TO = '\\s{0,3}(?:[-–—~→±+×=<>≤≥]{1,2}|to|or|\\],\\s?\\[)\\s{0,3}'
const SIGN = /(?:^|[^\w)\].])([-−])$/
const RANGE_BEFORE = new RegExp(`\\d${CLOSES}${TO}${OPENS}$`)
const RANGE_AFTER = new RegExp(`^${CLOSES}${TO}${OPENS}\\d`)
const SCALE_BEFORE = new RegExp(`(?:\\d${CLOSES}\\s{0,3}/|out of)\\s{0,3}${OPENS}$`)
const SCALE_AFTER = new RegExp(
  `^${CLOSES}\\s{0,3}(?:[(\\[]?(?:/|(?:out )?of)\\s{0,3}${OPENS}(\\d+(?:\\.\\d+)?)|%)`,
)
/** Behind a number that begins its line: it counts an element of a list. */
const LIST_MARK = new RegExp(`^[.)]${CLOSES}\\s+\\S`)
/** Characters around a number that are looked at. */
const NEAR = 40

/**
 * The whole number at a match, which may have caught a part of it (8 of 8.5), and what is said with it on its line.
 * Undefined if there is none, or if it is a scale (10 in 8/10), a part of a word (8th) or the mark of a list below the match
 * (`Score:` and then `1. Clarity`).
 */
export function numeralAt(text: string, { text: caught, index, starts }: Match): Numeral | undefined {
  const digit = caught.search(/\d/)
  if (digit < 0) return undefined
  const at = index + digit
  const isBelow = text.slice(starts[0], at).includes('\n')
  const near = text.slice(Math.max(0, at - NEAR), at)
  const from = at - near.length + near.lastIndexOf('\n') + 1
  const line = text.slice(from, at + NEAR).split('\n')[0]!
  for (const { 0: digits, index: start } of line.matchAll(/\d+(?:[.,]\d+)*|(?<!\.)\.\d+/g)) {
    const after = line.slice(start + digits.length)
    if (from + start + digits.length <= at) continue
    const before = line.slice(0, start)
    const size = sizeOf(digits)
    // Digits beyond what is looked at belong to it, too.
    const more = /\d/.test((text[from + start - 1] ?? '') + (text[from + start + digits.length] ?? ''))
    if (size === undefined || more || /^(?:\w|\p{No})/u.test(after) || SCALE_BEFORE.test(before))
      return undefined
    if (isBelow && !/\w/.test(before) && LIST_MARK.test(after)) return undefined
    const sign = SIGN.exec(before)?.[1] ?? ''
    const unsigned = before.slice(0, before.length - sign.length)
    const [said, scale] = SCALE_AFTER.exec(after) ?? []
    return {
      value: sign === '' ? size : -size,
      text: sign + digits,
      index: from + start - sign.length,
      ...(said !== undefined && { scale: Number(scale ?? 100) }),
      range: RANGE_BEFORE.test(unsigned) || RANGE_AFTER.test(after),
    }
  }
  return undefined
}

/** The value of digits with a decimal point or comma (8,5), or commas between thousands (1,000). */
function sizeOf(digits: string): number | undefined {
  if (/^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/.test(digits)) return Number(digits.replaceAll(',', ''))
  return /^\d*(?:[.,]?\d+)?$/.test(digits) ? Number(digits.replace(',', '.')) : undefined
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
