/** A leaderboard in each format of reports. */
import { tableForms } from '../../formats/_fit.ts'
import type { ReportForms } from '../../formats/_report.ts'
import { type RecordColumn, recordTable, rounded } from '../../formats/_table.ts'
import { someNames } from '../../options/nearest.ts'
import { inLine, inMarkdown } from '../../rows/controls.ts'
import type { JsonObject } from '../../rows/record.ts'
import { warningLines, withoutWarnings } from '../../scoring/warnings.ts'
import type { Ranked } from './rank_group.ts'
import type { ResolvedOptions } from './resolve_options.ts'
import { recordForms } from './show.ts'
import type { RankedModel, TopStatement } from './standing.ts'

export function boardForms(boards: readonly Ranked[], options: ResolvedOptions): ReportForms {
  if (options.show === 'controls')
    return recordForms(
      boards.flatMap(({ by, controls }) => controls.map((one) => rounded({ ...by, ...one }) as JsonObject)),
    )
  return {
    json: () => boards.flatMap((board) => recordsOf(board)),
    records: () => withoutWarnings(boards.flatMap((board) => recordsOf(board))),
    table: (style, room) =>
      boards.map((board) => titleOf(board, inLine) + formsOf(board).table(style, room)).join('\n'),
    markdown: () =>
      boards
        .map((board) => titleOf(board, (name) => `**${inMarkdown(name)}**`) + formsOf(board).markdown())
        .join('\n'),
  }
}

const recordsOf = (board: Ranked) => board.standings.map((place) => recordOf(place, board))

const percent = (share: number | null) => (share === null ? null : share * 100)

function recordOf(place: RankedModel, board: Ranked): JsonObject {
  const { by, method, against, strong, groups, warnings, top } = board
  const lc = place.lengthControlled
  return rounded({
    ...by,
    model: place.model,
    rank: place.rank,
    ranks: place.ranks,
    groups: top ? null : groups.flatMap((group, i) => (group.includes(place) ? [i + 1] : [])),
    score: percent(place.score),
    ci: place.ci?.map(percent) ?? null,
    se: percent(place.se),
    rating: place.rating,
    ...(place.ratingCi !== undefined && { rating_ci: place.ratingCi, rating_se: place.ratingSe ?? null }),
    ...(place.why !== undefined && { why: place.why }),
    battles: place.n,
    items: place.items,
    wins: place.wins,
    ties: place.ties,
    losses: place.losses,
    failed: place.failed,
    ...(place.tokens !== undefined && { avg_tokens: place.tokens }),
    against,
    method,
    strong,
    component: place.component,
    ...(lc && {
      length_controlled_winrate: lc.winrate * 100,
      lc_standard_error: lc.spread * 100,
      lc_se: percent(lc.se),
      lc_ci: lc.ci?.map(percent) ?? null,
      lc_C: lc.C,
      lc_coef: lc.coefficients,
    }),
    ...(top && { top: topOfRecord(top, place.top!) }),
    warnings,
  }) as JsonObject
}

const topOfRecord = (
  { of, margin, decided, battles, dispersion, pairEffect, sentence }: TopStatement,
  place: NonNullable<RankedModel['top']>,
) => ({ of, margin, ...place, decided, battles, dispersion, pair_effect: pairEffect, sentence })

const interval = (ci: readonly number[] | null | undefined, scale: number, digits: number) =>
  ci ? ci.map((one) => (one * scale).toFixed(digits)).join('–') : ''

/** Why there is no rating, in the table. */
const WHY = { never_lost: 'unbeaten', never_won: 'winless', one_way: 'one way' }

const UNRATED = {
  never_lost: 'unbeaten',
  never_won: 'it never won',
  one_way: 'wins lead only one way between it and the others',
}

const columnsOf = ({ top }: Ranked): RecordColumn<RankedModel>[] => [
  ['model', ({ model }) => model],
  ['rank', ({ rank }) => String(rank ?? '')],
  ['ranks', ({ ranks }) => (ranks ? ranks.join('–') : ''), () => !top],
  [`top ${top?.of}`, (one) => topWord(one), () => top !== undefined],
  ['score', ({ score }) => (score === null ? '' : (score * 100).toFixed(2)), ({ score }) => score !== null],
  ['interval', ({ ci }) => interval(ci, 100, 1), ({ ci }) => ci !== null],
  [
    'LC',
    (one) => (one.lengthControlled ? (one.lengthControlled.winrate * 100).toFixed(2) : ''),
    (one) => Boolean(one.lengthControlled),
  ],
  [
    'LC interval',
    (one) => interval(one.lengthControlled?.ci, 100, 1),
    (one) => Boolean(one.lengthControlled),
  ],
  [
    'rating',
    ({ rating, why }) => (rating === null ? (why ? WHY[why] : '') : rating.toFixed(0)),
    ({ ratingCi }) => ratingCi !== undefined,
  ],
  ['rating interval', ({ ratingCi }) => interval(ratingCi, 1, 0), ({ ratingCi }) => Boolean(ratingCi)],
  ['battles', ({ n }) => String(n)],
  ['w/t/l', ({ wins, ties, losses }) => [wins, ties, losses].join('/')],
  ['failed', ({ failed }) => String(failed), ({ failed }) => failed > 0],
  [
    'tokens',
    ({ tokens }) => (tokens === undefined ? '' : tokens.toFixed(0)),
    ({ tokens }) => tokens !== undefined,
  ],
]

const formsOf = (board: Ranked) =>
  tableForms(
    recordTable(columnsOf(board), board.standings),
    board.standings.length === 0 ? [] : [...saidOf(board), ...warningLines(board.warnings)],
  )

const topWord = ({ top }: RankedModel) => (top?.settled ? (top.in ? 'in' : 'out') : 'open')

const saidOf = (board: Ranked): string[] =>
  board.top ? [board.top.sentence] : [scaleOf(board), ...unratedIn(board), ...groupsIn(board)]

/** The models that cannot be told apart. */
const groupsIn = ({ groups, battlesToTell }: Ranked): string[] =>
  groups
    .filter((group) => group.length > 1)
    .map((group) => {
      const [first, last] = [group[0]!, group.at(-1)!]
      const needed = battlesToTell(first, last)
      const more =
        needed === null
          ? ''
          : `: about ${needed.toLocaleString('en')} battles of each would tell ${first.model} from ${last.model}`
      return `cannot be told apart: ${someNames(group.map(({ model }) => model))}${more}`
    })

/** The models without a rating, which have a rank alone. */
function unratedIn({ standings }: Ranked): string[] {
  const size = (component: number) => standings.filter((one) => one.component === component).length
  return standings.flatMap(({ model, rank, why, component }) => {
    if (why === undefined || rank === null) return []
    const place =
      why === 'one_way' ? '' : rank === 1 ? ', above all' : rank === size(component) ? ', below all' : ''
    return [
      `${model}: rank ${rank}${place}: ${UNRATED[why]}, so its rating has no bound (--ridge 1 gives one)`,
    ]
  })
}

/** What the scores or ratings are, in a sentence. */
function scaleOf({ method, against, controls }: Ranked): string {
  if (method === 'mean')
    return `scores are ${against === null ? '' : `against ${against}: `}wins and half the ties, in percent`
  const equal = controls.length > 0 ? ` at equal ${controls.map(({ feature }) => feature).join(', ')}` : ''
  return `Bradley–Terry: a score is the chance to beat ${against ?? 'the average model'}${equal}, in percent`
}

const titleOf = ({ by }: Ranked, escaped: (name: string) => string): string =>
  by.by === undefined ? '' : `${escaped(String(by.group))}\n\n`
