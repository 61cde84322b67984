/** Python's `random.Random(text).random()`: what AutoJudge's naive judge scores with. */
const N = 624
const M = 397

/**
 * The first number in [0, 1) of a Mersenne Twister (MT19937, Matsumoto and Nishimura 1998) that Python seeds
 * with a text: the whole number whose big-endian bytes are the UTF-8 text and its SHA-512, by init_by_array.
 */
export function seededUniform(text: string): number {
  const { createHash } = process.getBuiltinModule('node:crypto')
  const bytes = Buffer.from(text)
  const seed = Buffer.concat([bytes, createHash('sha512').update(bytes).digest()])
  const state = initByArray(words(seed))
  twist(state)
  const a = temper(state[0]!) >>> 5
  const b = temper(state[1]!) >>> 6
  return (a * 67108864 + b) / 9007199254740992
}

/** The number's 32-bit words, the lowest first, without leading zero words. */
function words(bigEndian: Buffer): number[] {
  const list: number[] = []
  for (let left = BigInt(`0x${bigEndian.toString('hex')}`); left > 0n; left >>= 32n)
    list.push(Number(left & 0xffffffffn))
  return list
}

function initByArray(key: number[]): Uint32Array {
  const state = new Uint32Array(N)
  state[0] = 19650218
  for (let i = 1; i < N; i++) state[i] = Math.imul(1812433253, mixed(state, i)) + i
  let i = 1
  let j = 0
  const next = () => {
    if (++i < N) return
    state[0] = state[N - 1]!
    i = 1
  }
  for (let k = Math.max(N, key.length); k > 0; k--) {
    state[i] = (state[i]! ^ Math.imul(mixed(state, i), 1664525)) + key[j]! + j
    next()
    j = (j + 1) % key.length
  }
  for (let k = N - 1; k > 0; k--) {
    state[i] = (state[i]! ^ Math.imul(mixed(state, i), 1566083941)) - i
    next()
  }
  state[0] = 0x80000000
  return state
}

const mixed = (state: Uint32Array, i: number) => state[i - 1]! ^ (state[i - 1]! >>> 30)

function twist(state: Uint32Array): void {
  for (let i = 0; i < N; i++) {
    const y = (state[i]! & 0x80000000) | (state[(i + 1) % N]! & 0x7fffffff)
    state[i] = state[(i + M) % N]! ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0)
  }
}

function temper(value: number): number {
  let y = value
  y ^= y >>> 11
  y ^= (y << 7) & 0x9d2c5680
  y ^= (y << 15) & 0xefc60000
  return y ^ (y >>> 18)
}
