/** A model's line of `jb-rank --as alpaca_eval`, and the figures that alpaca_eval publishes for it. */
import { ALPACA_EVAL } from '../../../src/stages/rank/print_as.ts'

/** Columns that stand in its published leaderboards too. */
export const PUBLISHED = ALPACA_EVAL.slice(1, ALPACA_EVAL.indexOf('mode'))

export function lineOf(csv: string, model: string): Record<string, number> {
  const [head, ...lines] = csv
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','))
  const cells = lines.find(([name]) => name === model)!
  return Object.fromEntries(cells.map((cell, i) => [head![i]!, Number(cell)]))
}
