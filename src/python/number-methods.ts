/* The attributes and methods of int and float. */
import { raise } from '../templates/error.ts'
import { spendLength } from '../templates/limits.ts'
import { type Method, positional } from './calls.ts'
import { bitLength } from './decimal.ts'
import { floatText } from './numbers.ts'
import { float, int, Tuple, type Value } from './values.ts'

/** Attributes of ints that are values, not methods. */
export const intAttribute = (value: number | bigint, name: string): Value | undefined => {
  if (name === 'real' || name === 'numerator') return value
  if (name === 'imag') return 0
  return name === 'denominator' ? 1 : undefined
}

export const INT_METHODS: Record<string, Method<number | bigint>> = {
  as_integer_ratio: positional('as_integer_ratio', 0, 0, (value) => new Tuple([value, 1])),
  bit_count: positional('bit_count', 0, 0, (value) => {
    const text = BigInt(value).toString(2)
    spendLength(text.length)
    return text.replaceAll(/[-0]/g, '').length
  }),
  bit_length: positional('bit_length', 0, 0, (value) => bitLength(BigInt(value))),
  conjugate: positional('conjugate', 0, 0, (value) => value),
}

/** float.hex: sign, 52 bits of fraction as 13 hexadecimal digits, and the power of two. */
const hex = (value: number): string => {
  if (!Number.isFinite(value)) return floatText(value)
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const sign = bits >> 63n ? '-' : ''
  const exponent = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & ((1n << 52n) - 1n)
  if (exponent === 0 && fraction === 0n) return `${sign}0x0.0p+0`
  const power = exponent === 0 ? -1022 : exponent - 1023
  const digits = fraction.toString(16).padStart(13, '0')
  return `${sign}0x${exponent === 0 ? 0 : 1}.${digits}p${power < 0 ? '' : '+'}${power}`
}

export const FLOAT_METHODS: Record<string, Method<number>> = {
  as_integer_ratio: positional('as_integer_ratio', 0, 0, (value) => {
    if (Number.isNaN(value)) throw raise('ValueError', 'cannot convert NaN to integer ratio')
    if (!Number.isFinite(value)) throw raise('OverflowError', 'cannot convert Infinity to integer ratio')
    let numerator = value
    let bits = 0
    while (!Number.isInteger(numerator)) {
      numerator *= 2
      bits++
    }
    return new Tuple([int(BigInt(numerator)), int(1n << BigInt(bits))])
  }),
  conjugate: positional('conjugate', 0, 0, (value) => float(value)),
  hex: positional('hex', 0, 0, hex),
  is_integer: positional('is_integer', 0, 0, (value) => Number.isInteger(value)),
}
