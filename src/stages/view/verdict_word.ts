/** Values of rows as text, for the page and for cards. */
import { writtenJson } from '../../rows/exact_json.ts'
import { type RunColumns, wordAt } from './model.ts'

interface VerdictValue {
  decision?: unknown
  option?: unknown
  winner?: unknown
  score?: unknown
}

/** A verdict or result in one word or number. */
export const verdictWord = ({ decision, option, winner, score }: VerdictValue): unknown =>
  decision ?? option ?? answerWord(winner) ?? score

/** The best of several answers, which rows count from 0. */
export const answerWord = (winner: unknown): unknown =>
  typeof winner === 'number' ? `answer ${winner + 1}` : winner

/** A value as text: a string unchanged, the strings of a list one after the other, anything else as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: a row holds whatever its user put there
export function asText(value: any): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string'))
    return value.join('\n\n')
  return typeof value === 'object' ? writtenJson(value, 2) : String(value)
}

/** How an item's result is marked: by its label; without labels an option that is worth 1 or 0 of them passes or not. */
export function outcomeKind(
  { correct, error, score, passes }: Pick<RunColumns, 'correct' | 'error' | 'score' | 'passes'>,
  item: number,
): keyof typeof SIGN {
  if (wordAt(error, item) !== undefined) return 'failed'
  if (correct[item] === 1) return 'right'
  if (correct[item] === 0) return 'wrong'
  if (!passes || typeof score[item] !== 'number') return 'open'
  return score[item] === 1 ? 'pass' : 'fail'
}

/** Signs for readers who cannot distinguish the colours. */
export const SIGN = { failed: ' !', right: ' ✓', wrong: ' ✗', pass: ' ✓', fail: ' ✗', open: '' }
