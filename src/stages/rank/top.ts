/** `--top`: whether the best models are known, however often one looks; `--next`: the battles to judge next. */
import { someNames } from '../../options/nearest.ts'
import { byCodePoint } from '../../python/unicode.ts'
import { count, getOrInsert } from '../../rows/maps.ts'
import type { Rows } from '../../rows/reader.ts'
import { EXIT, Fatal } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import { forEachRow } from '../../scoring/rows.ts'
import type { Warning } from '../../scoring/warnings.ts'
import { ENOUGH, type KnownTop, knownTop, type Strengths } from '../../statistics/known_top.ts'
import { sigmoid } from '../../statistics/matrix.ts'
import { ModelAnswers } from './answers.ts'
import { type Battle, battlesOf } from './battles.ts'
import { type Board, boardOf, nextBattles, type Pairing } from './next_battles.ts'
import type { Ranked } from './rank_group.ts'
import { type ResolvedOptions, topOf, type WantedTop } from './resolve_options.ts'
import { type BattleCounts, checkSize, type RankedModel, type TopStatement } from './standing.ts'

/** The battles of the rows: what is known of each pair on each question, and each model's games. */
class Battles {
  private readonly met = new Map<string, { a: string; b: string; asked: Map<string, Games> }>()
  readonly games = new Map<string, BattleCounts & { failed: number; items: Set<string> }>()
  unnamed = 0

  add(battle: Battle): void {
    const { a, b, games, failed, row } = battle
    if (a === b) return
    const turned = byCodePoint(a, b) > 0
    const [first, second] = turned ? [b, a] : [a, b]
    const pair = getOrInsert(this.met, JSON.stringify([first, second]), () => ({
      a: first,
      b: second,
      asked: new Map<string, Games>(),
    }))
    // A battle without an id is one by itself.
    const question = battle.item ?? `\0${row.place}`
    const of = getOrInsert(pair.asked, question, () => ({ shares: new Map<number, number>(), failed: false }))
    if (failed > 0 || games.length === 0) of.failed = true
    for (const { share } of games) count(of.shares, turned ? 1 - share : share)
    this.tally(a, battle, question, (share) => share)
    this.tally(b, battle, question, (share) => 1 - share)
  }

  private tally(
    model: string,
    { games, failed }: Battle,
    question: string,
    own: (share: number) => number,
  ): void {
    const of = this.of(model)
    of.failed += failed
    if (games.length > 0) of.items.add(question)
    for (const { share } of games) {
      const outcome = own(share)
      of.n++
      of[outcome === 1 ? 'wins' : outcome === 0 ? 'losses' : 'ties']++
    }
  }

  private of(model: string) {
    return getOrInsert(this.games, model, () => ({
      n: 0,
      wins: 0,
      ties: 0,
      losses: 0,
      clusters: 0,
      failed: 0,
      items: new Set<string>(),
    }))
  }

  /** In an order that does not depend on that of the rows. */
  pairs(): Pairing[] {
    return [...this.met.values()]
      .sort((x, y) => byCodePoint(x.a, y.a) || byCodePoint(x.b, y.b))
      .map(({ a, b, asked }) => {
        const shares = [...asked]
          .sort(([x], [y]) => byCodePoint(x, y))
          .map(([question, games]) => [question, shareOf(games)] as const)
        return { a, b, asked: new Map(shares) }
      })
  }
}

interface Games {
  /** The first model's shares, and how many games have each. */
  shares: Map<number, number>
  failed: boolean
}

/** The mean of a battle's games; null if one failed. */
function shareOf({ shares, failed }: Games): number | null {
  if (failed) return null
  let [sum, n] = [0, 0]
  for (const [share, games] of [...shares].sort(([x], [y]) => x - y)) {
    sum += share * games
    n += games
  }
  return sum / n
}

async function gathered(rows: Rows, options: ResolvedOptions, context: Context): Promise<Battles> {
  const battles = new Battles()
  for await (const batch of rows)
    forEachRow(batch, context, (row) => {
      if (row.has('probe')) return
      const found = battlesOf(row, options)
      if (found.length === 0) battles.unnamed++
      for (const battle of found) battles.add(battle)
    })
  if (battles.unnamed > 0)
    context.note(
      `${battles.unnamed} ${battles.unnamed === 1 ? 'row does' : 'rows do'} not name two models and ${battles.unnamed === 1 ? 'is' : 'are'} left out (--models FIELD,FIELD)`,
    )
  return battles
}

const counted = (n: number, what: string) => `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`
const validOf = ({ battles }: Board) => battles.reduce((sum, n) => sum + n, 0) / 2

/** The next battles as rows for jb-render, a line each; none, and exit code 1, where there is nothing to ask. */
export async function* nextRows(
  rows: Rows,
  options: ResolvedOptions,
  context: Context,
): AsyncGenerator<string> {
  const wanted = topOf(options.top)
  const answers = await ModelAnswers.read(options.answers, options.id, context)
  const battles = await gathered(rows, options, context)
  if (context.cut()) return
  const pairs = battles.pairs()
  const models = new Set([...answers.questions.keys(), ...battles.games.keys()])
  checkSize(models.size)
  if (wanted) checkModels(wanted, models.size, options)
  const { chosen, board, known, left } = nextBattles(pairs, answers.questions, {
    next: options.next!,
    ...(wanted && { top: wanted }),
    alpha: 1 - options.ci,
    seed: options.seed,
  })
  const asked = pairs.reduce((sum, pair) => sum + pair.asked.size, 0)
  const have = counted(validOf(board), 'battle')
  const isKnown = wanted && `top ${wanted.top}${known?.decided ? '' : ` of ${models.size} not`} known`
  if (chosen.length > 0) {
    yield chosen.map((battle) => `${answers.pair(battle).toText()}\n`).join('')
    const open = known ? competing(known, board) : []
    const state = isKnown ? `; ${isKnown} yet${open.length > 0 ? `: ${open} compete` : ''}` : ''
    context.summary(() => `${have}; ${chosen.length} next of ${left.toLocaleString('en')} left${state}`)
    return
  }
  context.finish(
    EXIT.gate,
    known?.decided
      ? `${have}; nothing to ask: ${isKnown}`
      : `all ${counted(asked, 'battle')} of these answers have been asked${wanted ? `: top ${wanted.top} not known; a wider margin or more questions would tell` : ''}`,
  )
}

/** @throws Fatal (data) if all models are among the best */
function checkModels({ top }: WantedTop, models: number, { top: given }: ResolvedOptions): void {
  if (top >= models)
    throw new Fatal(
      EXIT.data,
      `--top ${given}: there ${models === 1 ? 'is 1 model' : `are ${models} models`}`,
    )
}

const nameOf =
  (board: Board) =>
  ({ model }: { model: number }) =>
    board.models[model]!

/** The models that are not settled, the best first. */
const competing = ({ places }: KnownTop, board: Board): string =>
  someNames(places.filter(({ settled }) => !settled).map(nameOf(board)))

/** The leaderboard with its statement; exit code 1 where the best are not known. */
export async function topBoard(
  rows: Rows,
  options: ResolvedOptions,
  context: Context,
): Promise<Ranked | undefined> {
  const wanted = topOf(options.top)!
  const battles = await gathered(rows, options, context)
  if (context.cut()) return undefined
  checkSize(battles.games.size)
  const board = boardOf(battles.pairs(), [], 1)
  if (!board.strengths) {
    context.finish(EXIT.gate, 'nothing was ranked: the input has no battles')
    return undefined
  }
  checkModels(wanted, board.models.length, options)
  const known = knownTop(board.strengths, board.battles, { ...wanted, alpha: 1 - options.ci })
  const statement: Omit<TopStatement, 'sentence'> = {
    of: wanted.top,
    margin: wanted.margin,
    decided: known.decided,
    battles: validOf(board),
    dispersion: board.strengths.dispersion,
    pairEffect: board.strengths.pairEffect,
  }
  if (!known.decided) context.finish(EXIT.gate, `top ${wanted.top} not known`)
  return {
    by: {},
    method: 'bt',
    strong: 1,
    against: null,
    standings: known.places.map((place, i): RankedModel => {
      const model = board.models[place.model]!
      const { items, failed, ...games } = battles.games.get(model)!
      return {
        model,
        ...games,
        score: sigmoid(place.natural),
        ci: place.naturalCi.map(sigmoid) as [number, number],
        se: null,
        rating: place.rating,
        ratingCi: place.ratingCi,
        ratingSe: null,
        component: 1,
        rank: i + 1,
        ranks: null,
        items: items.size,
        failed,
        top: { in: place.in, settled: place.settled },
      }
    }),
    controls: [],
    replicatesLeftOut: 0,
    groups: [],
    battlesToTell: () => null,
    warnings: oneScaleWarning(board.strengths),
    top: { ...statement, sentence: sentenceOf(statement, known, board, 1 - options.ci) },
  }
}

function oneScaleWarning({ oneScale, pairEffect }: Strengths): Warning[] {
  if (oneScale) return []
  return [
    {
      code: 'one_scale',
      sentence: `pairs of models depart from one scale (by about ${(100 * (sigmoid(pairEffect) - 0.5)).toFixed(0)} points of win rate): who is on top depends on who meets whom`,
      do: 'jb-rank --show pairs, or a full round robin',
    },
  ]
}

function sentenceOf(
  { of, margin, decided, battles }: Omit<TopStatement, 'sentence'>,
  known: KnownTop,
  board: Board,
  alpha: number,
): string {
  const after = `after ${counted(battles, 'battle')}`
  const names = (places: KnownTop['places']) => places.map(nameOf(board)).join(', ')
  if (decided) {
    const other =
      margin > 0
        ? `no other would win more than ${Number((50 + 100 * margin).toFixed(4))} % against one of them`
        : 'none of the others is better'
    return `top ${of} known ${after}: ${names(known.places.filter((place) => place.in))} (${other}; wrong in at most ${Number((100 * alpha).toFixed(2))} % of leaderboards, however often one looks)`
  }
  const few = known.places.filter(({ model }) => board.battles[model]! < ENOUGH)
  if (few.length > 0) {
    const [first] = few
    const n = board.battles[first!.model]!
    const more =
      few.length > 1
        ? `, and ${few.length - 1} more ${few.length === 2 ? 'model has' : 'models have'} too few`
        : ''
    return `top ${of} not known ${after}: ${nameOf(board)(first!)} has ${counted(n, 'valid battle')}, ${ENOUGH} are needed${more}`
  }
  const settled = known.places.filter((place) => place.in && place.settled)
  const said = settled.length > 0 ? `${names(settled)} ${settled.length === 1 ? 'is' : 'are'} settled; ` : ''
  return `top ${of} not known ${after}: ${said}${competing(known, board)} compete`
}
