/** Makes new inputs of old ones: bytes, words, numbers, repetitions and depth. */
import type { Choices } from '../../test/helpers/random.ts'

/** No input is longer. */
const LONGEST = 64 * 1024

const NUMBERS = [
  '0',
  '-1',
  '1',
  '255',
  '65536',
  '2147483648',
  '-9223372036854775808',
  '1e308',
  '0.1',
  '1e-400',
]

type Change = (input: Buffer, other: Buffer, words: readonly string[], choices: Choices) => Buffer

/** The input with what stands from one place to another replaced. */
const spliced = (input: Buffer, from: number, to: number, by: string | Buffer): Buffer =>
  Buffer.concat([input.subarray(0, from), typeof by === 'string' ? Buffer.from(by) : by, input.subarray(to)])

function range(input: Buffer, choices: Choices, longest = input.length): [from: number, to: number] {
  const from = choices.below(input.length + 1)
  return [from, Math.min(input.length, from + choices.below(longest + 1))]
}

const CHANGES: readonly Change[] = [
  // One byte is another.
  (input, _, __, choices) => {
    const copy = Buffer.from(input)
    if (copy.length > 0)
      copy[choices.below(copy.length)]! ^= choices.chance(0.5) ? 1 << choices.below(8) : choices.below(256)
    return copy
  },
  // A piece is gone.
  (input, _, __, choices) => spliced(input, ...range(input, choices, choices.pick([1, 8, 200])), ''),
  // A word stands there, or in the place of a piece.
  (input, _, words, choices) => {
    const [from, to] = range(input, choices, 12)
    return spliced(input, from, choices.chance(0.6) ? from : to, choices.pick(words))
  },
  // A piece is there several times, or very often.
  (input, _, __, choices) => {
    const [from, to] = range(input, choices, choices.pick([1, 4, 30, 200]))
    const piece = input.subarray(from, to)
    const most = Math.floor(LONGEST / Math.max(1, piece.length))
    const times = Math.min(most, choices.chance(0.1) ? most : choices.between(2, 20))
    return spliced(input, from, to, Buffer.concat(Array.from({ length: times }, () => piece)))
  },
  // A word, very often.
  (input, _, words, choices) => {
    const word = choices.pick(words)
    const times = choices.chance(0.2) ? LONGEST / 2 / word.length : choices.between(2, 40)
    const at = choices.below(input.length + 1)
    return spliced(input, at, at, word.repeat(times))
  },
  // A number is another.
  (input, _, __, choices) => {
    const numbers = [...input.toString('latin1').matchAll(/-?\d+(\.\d+)?/g)]
    if (numbers.length === 0) return input
    const { index, 0: text } = choices.pick(numbers)
    return spliced(input, index, index + text.length, choices.pick(NUMBERS))
  },
  // A piece of another input stands there.
  (input, other, _, choices) =>
    spliced(input, ...range(input, choices, 40), other.subarray(...range(other, choices, 400))),
  // Two pieces change places.
  (input, _, __, choices) => {
    const [a, b, c] = choices.many(3, 3, () => choices.below(input.length + 1)).sort((x, y) => x - y)
    return Buffer.concat([
      input.subarray(0, a),
      input.subarray(b, c),
      input.subarray(a, b),
      input.subarray(c),
    ])
  },
]

/** One to five changes of an input. @param other may lend a piece */
export function mutate(input: Buffer, other: Buffer, words: readonly string[], choices: Choices): Buffer {
  let made = input
  for (let left = choices.between(1, 5); left > 0; left--)
    made = choices.pick(CHANGES)(made, other, words, choices)
  return made.subarray(0, LONGEST)
}
