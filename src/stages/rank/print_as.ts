/** Leaderboards as their originals print them. */
import { floatRepr, roundFloat, toFixed } from '../../python/numbers.ts'
import type { Context } from '../../rows/stage.ts'
import { meanOf, varianceOf } from '../../statistics/clusters.ts'
import type { Ranked } from './rank_group.ts'
import type { ResolvedOptions } from './resolve_options.ts'
import type { RankedModel } from './standing.ts'

export async function printAs(
  as: NonNullable<ResolvedOptions['as']>,
  boards: readonly Ranked[],
  options: ResolvedOptions,
  { note }: Pick<Context, 'note'>,
): Promise<string> {
  const lengths = as === 'arena-hard-csv' || (as === 'arena-hard' && options.compat !== 'arena-hard-v2')
  if (lengths && boards.some(({ standings }) => standings.some(({ tokens }) => tokens === undefined)))
    note(
      'battles of some models have no token counts: their average is 0, as in arena-hard’s own table (jb-read arena-hard --answers DIR takes them from the answers)',
    )
  switch (as) {
    case 'arena-hard':
      return options.compat === 'arena-hard-v2'
        ? boards
            .filter(({ by }) => by.by !== undefined || boards.length === 1)
            .map(arenaHardV2)
            .join('')
        : boards.map(({ standings }) => byScore(standings).map(arenaHardLine).join('')).join('')
    case 'arena-hard-csv':
      return csv(
        ['model', 'score', 'rating_q025', 'rating_q975', 'CI', 'avg_tokens', 'date'],
        boards.flatMap(({ standings }) => byScore(standings).map(arenaHardCells)),
      )
    case 'chatbot-arena':
      return csv(
        ['', 'rating', 'variance', 'rating_q975', 'rating_q025', 'num_battles', 'final_ranking'],
        boards.flatMap(({ standings }) => standings.map(chatbotArenaCells)),
      )
    case 'alpaca_eval':
      return csv(
        ALPACA_EVAL,
        boards.flatMap(({ standings }) => alpacaEvalRows(standings)),
      )
  }
}

async function csv(head: string[], rows: unknown[][]): Promise<string> {
  const { stringify } = await import('csv-stringify/sync')
  return stringify([head, ...rows.map((cells) => cells.map((cell) => cell ?? ''))])
}

/** As pandas writes it. */
const float = (value: number | null | undefined) =>
  value == null || Number.isNaN(value) ? '' : floatRepr(value)

/** The best first, without models that have no score, which the originals' tables never list. */
const byScore = (standings: readonly RankedModel[]) =>
  standings
    .filter(({ score }) => score !== null)
    .sort((x, y) => y.score! - x.score! || (x.model < y.model ? -1 : 1))

const centred = (text: string, width: number) => {
  const space = Math.max(0, width - text.length)
  return ' '.repeat(Math.floor(space / 2)) + text + ' '.repeat(Math.ceil(space / 2))
}

/** v0.1: `MODEL | score: 37.9 | 95% CI: (-2.3, 2.5) | average #tokens: 354`. */
function arenaHardLine({ model, score, ci, tokens }: RankedModel): string {
  const at = roundFloat(score! * 100, 2)
  const offsets = (ci ?? [score!, score!]).map((bound) =>
    floatRepr(roundFloat(roundFloat(bound * 100, 2) - at, 1)),
  )
  const interval = centred(`(${offsets.join(', ')})`, 12)
  return `${model.padEnd(30)} | score: ${centred(floatRepr(roundFloat(at, 1)), 5)} | 95% CI: ${interval} | average #tokens: ${Math.trunc(tokens ?? 0)}\n`
}

/** The last cell is the date, which the rows do not have. */
function arenaHardCells({ model, score, ci, tokens }: RankedModel): unknown[] {
  const at = roundFloat(score! * 100, 2)
  const [low, high] = (ci ?? [score!, score!]).map((bound) => roundFloat(bound * 100, 2)) as [number, number]
  const signed = (value: number) => `${value < 0 ? '-' : '+'}${toFixed(value, 2)}`
  const interval = `(${signed(low - at)}, ${signed(high - at)})`
  return [
    model,
    floatRepr(at),
    floatRepr(low),
    floatRepr(high),
    interval,
    floatRepr(Math.trunc(tokens ?? 0)),
    '',
  ]
}

/** v2.0: a data frame as pandas prints it. */
function arenaHardV2({ by, standings }: Ranked): string {
  const rows = byScore(standings).map(({ model, score, ci }) => {
    const at = score! * 100
    const [low, high] = (ci ?? [score!, score!]) as [number, number]
    return [model, toFixed(at, 1), `(-${toFixed(at - low * 100, 1)} / +${toFixed(high * 100 - at, 1)})`]
  })
  const table = [['Model', 'Scores (%)', 'CI (%)'], ...rows]
  const index = ['', ...rows.map((_, i) => String(i))]
  const wide = [0, 1, 2].map((c) => Math.max(...table.map((cells) => cells[c]!.length)))
  const first = Math.max(...index.map((text) => text.length))
  const lines = table.map((cells, i) =>
    [index[i]!.padEnd(first), ...cells.map((text, c) => text.padStart(wide[c]!))].join('  '),
  )
  return `##### Category: ${by.group ?? 'all'} #####\n${lines.join('\n')}\n`
}

function chatbotArenaCells({ model, rating, ratingCi, ratingSe, n, ranks }: RankedModel): unknown[] {
  const [low, high] = ratingCi ?? []
  const variance = ratingSe == null ? null : ratingSe ** 2
  return [model, ...[rating, variance, high, low].map(float), n, ranks?.[0]]
}

/** Columns of alpaca_eval's leaderboard.csv; the first is the model. */
export const ALPACA_EVAL = [
  '',
  'win_rate',
  'standard_error',
  'n_wins',
  'n_wins_base',
  'n_draws',
  'n_total',
  'discrete_win_rate',
  'mode',
  'avg_length',
  'length_controlled_winrate',
  'lc_standard_error',
]

/** leaderboard.csv, computed from the annotations. */
function alpacaEvalRows(standings: readonly RankedModel[]): unknown[][] {
  return byScore(standings)
    .filter(({ rows }) => rows !== undefined)
    .map(({ model, rows = [], lengthControlled }) => {
      const q = rows.map(({ preference }) => preference).filter((one) => one !== null)
      const n = q.length
      const [wins, draws] = [q.filter((one) => one > 0.5).length, q.filter((one) => one === 0.5).length]
      const discrete = q.reduce((sum, one) => sum + (one === 0.5 ? 0.5 : Number(one > 0.5)), 0) / n
      const length = rows.reduce((sum, { lengths }) => sum + lengths[1], 0) / rows.length
      const own = rows.length > 0 && rows.every(({ baseline }) => baseline === model)
      return [
        model,
        float(meanOf(q) * 100),
        float((Math.sqrt(varianceOf(q)) / Math.sqrt(n)) * 100),
        wins,
        n - wins - draws,
        draws,
        n,
        float(discrete * 100),
        'community',
        Math.trunc(length),
        float(own ? 50 : lengthControlled && lengthControlled.winrate * 100),
        float(own ? 0 : lengthControlled && lengthControlled.spread * 100),
      ]
    })
}
