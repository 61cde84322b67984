/* Powers of floats. V8's are often one off in the last digit, C's hardly ever: here they are rounded exactly. */
import { bitLength, parts, ratio } from './decimal.ts'

/** value ** exponent for a whole exponent, exactly rounded where that can be had at a small price. */
export const powWhole = (value: number, exponent: number): number | undefined => {
  if (!Number.isFinite(value) || value === 0 || Math.abs(exponent) > 1100) return undefined
  const { mantissa, exponent: binary } = parts(value)
  const power = BigInt(Math.abs(exponent))
  const sign = value < 0 && exponent % 2 !== 0 ? -1n : 1n
  const top = sign * mantissa ** power
  const shift = BigInt(binary) * power
  const n = shift >= 0n ? top << shift : top
  const d = shift >= 0n ? 1n : 1n << -shift
  return exponent >= 0 ? ratio(n, d) : ratio(d, n)
}

// Fixed point: bits behind the point.
const BITS = 160n
const ONE = 1n << BITS

/** 2 * atanh(z), which is ln((1 + z) / (1 - z)). */
const twiceAtanh = (z: bigint): bigint => {
  const square = (z * z) / ONE
  let power = z
  let sum = z
  for (let k = 3n; power !== 0n; k += 2n) {
    power = (power * square) / ONE
    sum += power / k
  }
  return 2n * sum
}

let knownLn2: bigint | undefined
const ln2 = (): bigint => {
  knownLn2 ??= twiceAtanh(ONE / 3n)
  return knownLn2
}

/** The natural logarithm of a positive finite float. */
const ln = (value: number): bigint => {
  const { mantissa, exponent } = parts(value)
  let shift = BigInt(bitLength(mantissa) - 1)
  // Between 3/4 and 3/2 the series is short, and exact about 1.
  if (2n * mantissa > 3n << shift) shift++
  const m = (mantissa << BITS) >> shift
  return (BigInt(exponent) + shift) * ln2() + twiceAtanh(((m - ONE) << BITS) / (m + ONE))
}

/** value ** exponent of a positive float where the result is neither zero nor infinite. */
export const powReal = (value: number, exponent: number): number => {
  const rough = value ** exponent
  if (!Number.isFinite(rough) || rough === 0 || value === 1 || exponent === 0) return rough
  const { mantissa, exponent: binary } = parts(exponent)
  const signed = exponent < 0 ? -mantissa : mantissa
  const product = signed * ln(value)
  const power = binary >= 0 ? product << BigInt(binary) : product >> BigInt(-binary)
  const twos = power / ln2()
  const rest = power - twos * ln2()
  let term = ONE
  let sum = ONE
  for (let k = 1n; term !== 0n; k++) {
    term = (term * rest) / ONE / k
    sum += term
  }
  return twos >= 0n ? ratio(sum << twos, ONE) : ratio(sum, ONE << -twos)
}
