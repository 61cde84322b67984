/** Python's `random`, as far as coins go: the Mersenne Twister (MT19937, Matsumoto and Nishimura 1998), seeded by a text. */

const SIZE = 624

/** `random.Random(text).choices([False, True])[0]` (CPython 3: seeding version 2, sha512 after the text). */
export function pythonCoin(text: string): boolean {
  const { hash } = process.getBuiltinModule('node:crypto')
  // The bytes as a number, in words of 32 bits, the lowest first.
  let seed = BigInt(`0x${Buffer.from(text).toString('hex')}${hash('sha512', text)}`)
  const words: number[] = []
  for (; seed > 0n; seed >>= 32n) words.push(Number(seed & 0xffffffffn))
  const state = seeded(words)
  // The first number drawn, of which the first bit says whether random() is a half or more.
  const mixed = (state[0]! & 0x80000000) | (state[1]! & 0x7fffffff)
  let y = state[397]! ^ (mixed >>> 1) ^ (mixed & 1 ? 0x9908b0df : 0)
  y ^= y >>> 11
  y ^= (y << 7) & 0x9d2c5680
  y ^= (y << 15) & 0xefc60000
  y ^= y >>> 18
  return y < 0
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
