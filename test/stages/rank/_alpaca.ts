/** A model's line of `jb-rank --as alpaca_eval`, and the figures that alpaca_eval publishes for it. */

/** Columns that stand in its published leaderboards too. */
export const PUBLISHED = [
  'win_rate',
  'standard_error',
  'n_wins',
  'n_wins_base',
  'n_draws',
  'n_total',
  'discrete_win_rate',
]

export function lineOf(csv: string, model: string): Record<string, number> {
  const [head, ...lines] = csv
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','))
  const cells = lines.find(([name]) => name === model)!
  return Object.fromEntries(cells.map((cell, i) => [head![i]!, Number(cell)]))
}
