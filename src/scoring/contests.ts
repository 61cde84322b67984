/** Every answer against every other: EvalAssist's tally of contests, with ties and cycles. */
import { cyclesOf } from '../statistics/transitivity.ts'

export interface Contest {
  /** Indexes of the two answers, the lower first. */
  pair: [number, number]
  winner: number | 'tie'
  explanation?: string
}

/** One answer's contests; the lists are in the order of its opponents. */
interface Standing {
  contest_results: (boolean | 'tie')[]
  compared_to: number[]
  selections: (number | 'tie')[]
  explanations?: string[]
  wins: number
  /** The share of contests won, a tie counting as `tie`. */
  winrate: number
  /** How many answers have a higher win rate: 0 is best. */
  ranking: number
  positional_bias?: boolean[]
}

interface Standings {
  /** The answer with the best win rate; of several, the one that beat the others, else "tie". */
  winner: number | 'tie'
  /** Answers that share the best win rate, if there are several. */
  tied?: number[]
  /** Triples in which each beat the next, and the last the first. */
  cycles?: [number, number, number][]
  answers: Standing[]
}

/** The most cycles that are listed: n answers can have n³. */
const LISTED = 100

/**
 * @param contests one for each two of the `n` answers
 * @param settings `tie`: the value of a tie in the win rate; `original`: EvalAssist's winner, the first answer
 *   with the best win rate
 */
export function tallyContests(
  n: number,
  contests: readonly Contest[],
  settings: { tie: number; original: boolean },
): Standings {
  const at = new Map(contests.map((contest) => [contest.pair.join(), contest]))
  const between = (a: number, b: number) => at.get(a < b ? `${a},${b}` : `${b},${a}`)!
  const answers = Array.from({ length: n }, (_, index): Standing => {
    const compared = Array.from({ length: n }, (_, other) => other).filter((other) => other !== index)
    const played = compared.map((other) => between(index, other))
    const results = played.map(({ winner }) => (winner === 'tie' ? 'tie' : winner === index))
    const wins = results.filter((result) => result === true).length
    const ties = results.filter((result) => result === 'tie').length
    return {
      contest_results: results,
      compared_to: compared,
      selections: played.map(({ winner }) => winner),
      ...(played.some(({ explanation }) => explanation !== undefined) && {
        explanations: played.map(({ explanation = '' }) => explanation),
      }),
      wins,
      winrate: (wins + settings.tie * ties) / (n - 1),
      ranking: 0,
    }
  })
  for (const one of answers) one.ranking = answers.filter(({ winrate }) => winrate > one.winrate).length
  const top = answers.flatMap(({ ranking }, index) => (ranking === 0 ? [index] : []))
  const beats = (a: number, b: number) => between(a, b).winner === a
  const ahead = top.filter((a) => top.every((b) => a === b || beats(a, b)))
  const cycles = cyclesOf(n, beats, LISTED)
  return {
    winner: settings.original ? top[0]! : (ahead[0] ?? 'tie'),
    ...(top.length > 1 && { tied: top }),
    ...(cycles.length > 0 && { cycles }),
    answers,
  }
}
