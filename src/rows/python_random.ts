/** Python's `random`: the first number of a Mersenne Twister (MT19937, Matsumoto and Nishimura 1998) that a text seeds. */
import { crypto } from './crypto.ts'

const SIZE = 624

/** `random.Random(text).random()` (CPython 3), in [0, 1). */
export function seededUniform(text: string): number {
  // The seed is the text's bytes followed by their SHA-512, as one number in 32-bit words, the lowest first.
  let seed = BigInt(`0x${Buffer.from(text).toString('hex')}${crypto().hash('sha512', text)}`)
  const words: number[] = []
  for (; seed > 0n; seed >>= 32n) words.push(Number(seed & 0xffffffffn))
  const state = seeded(words)
  return ((drawn(state, 0) >>> 5) * 2 ** 26 + (drawn(state, 1) >>> 6)) / 2 ** 53
}

/** `random.Random(text).choices([False, True])[0]` */
export const pythonCoin = (text: string): boolean => seededUniform(text) >= 0.5

/** The tempered output number `at` (below 227). */
function drawn(state: Uint32Array, at: number): number {
  const mixed = (state[at]! & 0x80000000) | (state[at + 1]! & 0x7fffffff)
  let y = state[at + 397]! ^ (mixed >>> 1) ^ (mixed & 1 ? 0x9908b0df : 0)
  y ^= y >>> 11
  y ^= (y << 7) & 0x9d2c5680
  y ^= (y << 15) & 0xefc60000
  return y ^ (y >>> 18)
}

/** init_by_array of the authors' mt19937ar.c. */
function seeded(key: readonly number[]): Uint32Array {
  const state = new Uint32Array(SIZE)
  state[0] = 19650218
  for (let i = 1; i < SIZE; i++) state[i] = Math.imul(1812433253, spread(state, i)) + i
  let i = 1
  const next = () => {
    if (++i < SIZE) return
    state[0] = state[SIZE - 1]!
    i = 1
  }
  for (let k = 0, j = 0; k < Math.max(SIZE, key.length); k++, j = (j + 1) % key.length) {
    state[i] = (state[i]! ^ Math.imul(spread(state, i), 1664525)) + key[j]! + j
    next()
  }
  for (let k = 1; k < SIZE; k++) {
    state[i] = (state[i]! ^ Math.imul(spread(state, i), 1566083941)) - i
    next()
  }
  state[0] = 0x80000000
  return state
}

const spread = (state: Uint32Array, i: number) => state[i - 1]! ^ (state[i - 1]! >>> 30)
