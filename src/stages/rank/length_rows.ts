/** alpaca_eval's annotations, as its length control needs them. */
import { codePoints } from '../../python/unicode.ts'
import { ownedText } from '../../rows/bytes.ts'
import { alpacaPreference, type Battle, judgedByJb } from './battles.ts'

export interface LengthRow {
  /** The model of the second answer. */
  model: string
  baseline: string
  instruction: string
  /** Row number in its file, if known. */
  index: number | undefined
  /** The model's share of the win; null if the annotation failed. */
  preference: number | null
  /** Code points of the two answers. */
  lengths: [baseline: number, model: number]
}

/** Undefined if the row does not have both answers or their lengths. */
export function lengthRowOf({ row, a: baseline, b: model, games }: Battle): LengthRow | undefined {
  const lengths = [1, 2].map((side) => {
    const length = row.field(`length_${side}`)
    if (typeof length === 'number') return length
    const text = row.field(`output_${side}`)
    return typeof text === 'string' ? codePoints(text) : undefined
  })
  if (lengths[0] === undefined || lengths[1] === undefined) return undefined
  const index = row.field('index')
  return {
    model,
    baseline,
    instruction: ownedText(String(row.field('instruction') ?? '')),
    index: typeof index === 'number' ? index : undefined,
    preference: judgedByJb(row) ? shareOf(games) : (alpacaPreference(row.field('preference')) ?? null),
    lengths: lengths as [number, number],
  }
}

/** The second answer's mean share of the win; null without games. */
const shareOf = (games: Battle['games']) =>
  games.length === 0 ? null : games.reduce((sum, { share }) => sum + (1 - share), 0) / games.length
