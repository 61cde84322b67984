/** FastChat's readings of MT-bench's judges (lm-sys/FastChat 0e6d3e4, llm_judge/common.py), and instructlab's of a rating. */
import { readFloat } from '../../python/numbers.ts'
import { SPACE } from '../../python/unicode.ts'
import type { Verdict } from '../../rows/record.ts'
import {
  asLiteral,
  CRASH,
  decided,
  decisionReading,
  firstGroup,
  nothing,
  type Reading,
} from '../_original.ts'
import { largerWins } from '../pair.ts'

/** The score in a match, which is read as Python reads its digits. */
function scored([whole, digits]: RegExpMatchArray, literal: boolean): Verdict {
  const score = readFloat(literal ? asLiteral(digits!) : digits!)
  if (score === undefined || !Number.isFinite(score)) throw nothing('number')
  return { label: whole.trim(), score }
}

const N = '(\\p{Nd}+(?:\\.\\p{Nd}*)?)'
const RATINGS = [new RegExp(`\\[\\[${N}\\]\\]`, 'u'), new RegExp(`\\[${N}\\]`, 'u')]
const TWO_RATINGS = [`\\[\\[${N},[${SPACE}]?${N}\\]\\]`, `\\[${N},[${SPACE}]?${N}\\]`].map(
  (source) => new RegExp(source, 'u'),
)

export const readings: Record<string, Reading> = {
  mt_bench: {
    read(text) {
      const match = RATINGS[0]!.exec(text) ?? RATINGS[1]!.exec(text)
      if (!match) throw nothing('rating')
      return scored(match, true)
    },
    otherwise(failure) {
      if (failure.detail === CRASH) throw failure
      return { label: null, score: -1, failure: failure.code, dropped: true }
    },
  },
  mt_bench_rating: {
    read(text) {
      const match = [...text.matchAll(/Rating: \[\[(\p{Nd}+)\]\]/gu)].at(-1)
      if (!match) throw nothing('rating')
      return scored(match, false)
    },
    // A rating in running text is read, but the original has it said once more behind a blank line.
    isUnfinished: (text) => !/\n\nRating: \[\[\p{Nd}+\]\]/u.test(text),
    otherwise: ({ code }) => ({ label: null, score: 1, failure: code }),
  },
  mt_bench_pair: decisionReading((text) =>
    decided(firstGroup(text, /\[\[(A)\]\]/, /\[\[(B)\]\]/, /\[\[(C)\]\]/), 'a', 'b', 'c'),
  ),
  // Of both answers; ratings at most 0.1 apart are a tie.
  two_ratings: {
    read(text) {
      const [, first, second] = TWO_RATINGS[0]!.exec(text) ?? TWO_RATINGS[1]!.exec(text) ?? []
      if (first === undefined || second === undefined) throw nothing('ratings')
      const [a, b] = [first, second].map((digits) => readFloat(asLiteral(digits))) as [number, number]
      return { label: `${a} ${b}`, decision: largerWins(a, b, 0.1), scores: [a, b] }
    },
  },
}
