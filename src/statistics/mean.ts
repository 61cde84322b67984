/** Python's `statistics.mean`: the exact rational sum, rounded once. */

/** A finite double as `mantissa · 2^exponent`, exactly. */
function parts(value: number): [mantissa: bigint, exponent: number] {
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, value)
  const raw = bits.getBigUint64(0)
  const biased = Number((raw >> 52n) & 0x7ffn)
  const fraction = raw & 0xfffffffffffffn
  const mantissa = biased === 0 ? fraction : fraction | 0x10000000000000n
  return [raw >> 63n ? -mantissa : mantissa, (biased === 0 ? 1 : biased) - 1075]
}

const bitLength = (value: bigint) => value.toString(2).length

/** The double nearest to `numerator / denominator` (denominator > 0), halves to even. */
export function nearestDouble(numerator: bigint, denominator: bigint): number {
  if (numerator === 0n) return 0
  const negative = numerator < 0n
  const top = negative ? -numerator : numerator
  // The quotient gets at least 55 bits: two more than a double's 53 decide every rounding.
  let shift = Math.max(55 - (bitLength(top) - bitLength(denominator)), -2000)
  // Below the smallest exponent a double has fewer bits.
  shift = Math.min(shift, 1076)
  const scaled = shift >= 0 ? top << BigInt(shift) : top
  const under = shift >= 0 ? denominator : denominator << BigInt(-shift)
  let quotient = scaled / under
  if (scaled % under !== 0n) quotient |= 1n // a sticky bit: no false half
  const extra = Math.max(bitLength(quotient) - 53, shift - 1074)
  if (extra > 0) {
    const half = 1n << BigInt(extra - 1)
    const low = quotient & ((1n << BigInt(extra)) - 1n)
    quotient >>= BigInt(extra)
    if (low > half || (low === half && quotient & 1n)) quotient += 1n
    shift -= extra
  }
  const size =
    shift >= 1000 ? (Number(quotient) * 2 ** -1000) / 2 ** (shift - 1000) : Number(quotient) * 2 ** -shift
  return negative ? -size : size
}

/**
 * The mean: exact sum, one rounding. With an infinite value or NaN, that of the plain sum, as in Python.
 * @param times how often each value occurs; once by default
 * @throws RangeError without values
 */
export function exactMean(values: readonly number[], times?: readonly number[]): number {
  if (values.length === 0) throw new RangeError('the mean of no values')
  const of = (i: number) => times?.[i] ?? 1
  const n = values.reduce((sum, _, i) => sum + of(i), 0)
  if (!values.every(Number.isFinite)) return values.reduce((sum, value, i) => sum + value * of(i), 0) / n
  const pieces = values.map(parts)
  const least = pieces.reduce((least, [, exponent]) => Math.min(least, exponent), Infinity)
  let sum = 0n
  for (const [i, [mantissa, exponent]] of pieces.entries())
    sum += (mantissa * BigInt(of(i))) << BigInt(exponent - least)
  const count = BigInt(n)
  return least >= 0 ? nearestDouble(sum << BigInt(least), count) : nearestDouble(sum, count << BigInt(-least))
}
