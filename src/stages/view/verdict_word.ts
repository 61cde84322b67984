/** What a verdict or a result says, in a word or a number: for the page and for cards. */

interface VerdictValue {
  decision?: unknown
  option?: unknown
  winner?: unknown
  score?: unknown
}

export const verdictWord = ({ decision, option, winner, score }: VerdictValue): unknown =>
  decision ?? option ?? answerWord(winner) ?? score

/** The best of several answers: counted from 0 in rows, from 1 where a person reads it. */
export const answerWord = (winner: unknown): unknown =>
  typeof winner === 'number' ? `answer ${winner + 1}` : winner
