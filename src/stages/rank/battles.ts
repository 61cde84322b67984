/** Reads rows as battles: which models met, and how each game ended. */

import { fieldHint } from '../../options/nearest.ts'
import { idField, itemId } from '../../rows/item_id.ts'
import { countEach, getOrInsert } from '../../rows/maps.ts'
import { MODEL_FIELDS, textsIn } from '../../rows/pair_fields.ts'
import type { Json, TrialResult } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { labelNumber } from '../../scoring/label_terms.ts'
import { gameShare, itemShare } from '../../scoring/share.ts'
import { contradictionIn } from '../../scoring/trial_result.ts'
import type { ResolvedOptions } from './resolve_options.ts'

/** A game's outcome: the share of the win that goes to a (1, ½, 0, or a preference between), and whether it is strong. */
interface Game {
  share: number
  strong: boolean
}

/** Two models on an item. */
export interface Battle {
  /** Undefined if the row has no id. */
  item: string | undefined
  a: string
  b: string
  games: Game[]
  /** Games without a verdict. */
  failed: number
  row: Row
}

type BattleSettings = Pick<ResolvedOptions, 'a' | 'b' | 'id' | 'baseline' | 'whole'>

const WINNERS: ReadonlyMap<Json, number> = new Map<Json, number>([
  ['model_a', 1],
  ['model_1', 1],
  ['A', 1],
  ['A>B', 1],
  ['A>>B', 1],
  ['model_b', 0],
  ['model_2', 0],
  ['B', 0],
  ['B>A', 0],
  ['B>>A', 0],
  ['tie', 0.5],
  ['A=B', 0.5],
  ['tie (bothbad)', 0.5],
  ['both_bad', 0.5],
  ['bothbad', 0.5],
])

/** A row's battles; none if it does not name two models. */
export function battlesOf(row: Row, settings: BattleSettings): Battle[] {
  const names = modelsOf(row, settings)
  if (!names) return listed(row, settings)
  const [a, b] = names
  const item = idOf(row, settings.id)
  const games = judgedByJb(row) ? gamesOf(row) : [plainGame(row, a, b)]
  return [battle({ item, a, b, row }, games, settings)]
}

type Met = Pick<Battle, 'item' | 'a' | 'b' | 'row'>

function battle(met: Met, all: (Game | undefined)[], { whole }: BattleSettings): Battle {
  const played = all.filter((game) => game !== undefined)
  const failed = all.length - played.length
  return { ...met, games: whole && failed > 0 ? [] : played, failed }
}

function modelsOf(row: Row, { a, b, baseline }: BattleSettings): [string, string] | undefined {
  const named = textsIn(
    row,
    MODEL_FIELDS.map(([first, second]) => [a ?? first, b ?? second] as const),
  )
  if (named) return named
  const alone = row.field(b ?? 'model_b')
  if (typeof alone !== 'string' || row.field(a ?? 'model_a') !== undefined) return undefined
  if (baseline !== undefined) return [baseline, alone]
  return judgedByJb(row) ? [ARENA_HARD_BASELINE, alone] : undefined
}

/** Whether the first model of a battle is not the row's: older judgments of arena-hard do not name their baseline. */
export const isAssumed = ({ a, row }: Battle, { a: field, baseline }: BattleSettings) =>
  a === ARENA_HARD_BASELINE && baseline === undefined && row.field(field ?? 'model_a') === undefined

/** What is wrong with a plain row's winner, if it is no outcome. */
export function unknownWinner({ row, failed, a, b }: Battle): string | undefined {
  if (failed === 0 || judgedByJb(row)) return undefined
  const winner = row.field('winner')
  if (winner === undefined && row.field('preference') === undefined)
    return `there is no winner${fieldHint('winner', row)}`
  if (winner === undefined || winner === null) return undefined
  const text = JSON.stringify(winner)
  return winner === a || winner === b
    ? `the winner ${text} is the name of one model, and says that the other won (model_a and model_b are clear)`
    : `the winner is ${text}, expected model_a, model_b, tie, both_bad or the name of one of the two`
}

/** What a judged row is about, besides its item: the models that met. */
export const subjectIn =
  (settings: BattleSettings) =>
  (row: Row): string =>
    JSON.stringify(modelsOf(row, settings) ?? row.field('models') ?? null)

/** The baseline of arena-hard v0.1. */
export const ARENA_HARD_BASELINE = 'gpt-4-0314'

function idOf(row: Row, field: string | undefined): string | undefined {
  if (field !== undefined) return itemId(row, field)
  return idField(row) === undefined ? row.get('item') : itemId(row)
}

/** Whether jb has judged the row; if so, no other field is read as a verdict. */
export const judgedByJb = (row: Row) =>
  (['result', 'trials', 'verdict', 'trial', 'error'] as const).some((key) => row.has(key))

const isConflict = (row: Row) => row.has('error') && contradictionIn(row.get('error')!) !== undefined

/** Of a jury its verdict is one game, however many members voted. */
const isOfJury = (row: Row) => row.get('trials')?.[0]?.trial.member !== undefined

/** The games of a row that jb judged; undefined for each that failed. */
function gamesOf(row: Row): (Game | undefined)[] {
  const trials = row.get('trials')
  // Which of its replies counts is unknown.
  if (isConflict(row)) return (trials ?? [{}]).map(() => undefined)
  if (isOfJury(row)) return [row.has('result') ? gameWith(itemShare(row.get('result')!, [])) : undefined]
  if (trials && trials.length > 0) return allOf(row, trials).map(gameOf)
  if (!row.has('result'))
    return [gameOf({ verdict: row.get('verdict'), error: row.has('error') ? row.get('error') : undefined })]
  return [gameWith(itemShare(row.get('result')!, []))]
}

/** The trials of an item, empty ones in the places of those that are not in the rows: they failed. */
function allOf(row: Row, trials: readonly TrialResult[]): readonly Choice[] {
  if (row.get('error')?.code !== 'incomplete' || trials.length === 0) return trials
  const byPlace = new Map(trials.map((one) => [one.trial.n, one]))
  // The number of trials may be anything: up to a thousand are counted as missing.
  const length = Math.min(trials[0]!.trial.of, trials.length + 1000)
  return Array.from({ length }, (_, n) => byPlace.get(n) ?? {})
}

/** @param share undefined if the game failed */
const gameWith = (share: number | undefined, strong = false): Game | undefined =>
  share === undefined ? undefined : { share, strong }

function gameOf({ verdict, error }: Choice): Game | undefined {
  if (error || !verdict) return undefined
  const isStrong = typeof verdict.preference !== 'number' && (verdict.strength ?? 1) > 1
  return gameWith(gameShare(verdict), isStrong)
}

/** From `winner` (a position, a tie, or a model's name), else from alpaca_eval's `preference`. */
function plainGame(row: Row, a: string, b: string): Game | undefined {
  const winner = row.field('winner')
  if (typeof winner === 'string') {
    const named = winner === a ? 1 : winner === b ? 0 : undefined
    const share = WINNERS.get(winner) ?? named
    // Models may be called A and B, in this order or the other.
    if (share === undefined || (named !== undefined && named !== share)) return undefined
    return { share, strong: /^(A>>B|B>>A)$/.test(winner) }
  }
  const preference = alpacaPreference(row.field('preference'))
  return preference === undefined ? undefined : gameWith(1 - preference)
}

/** alpaca_eval's preference, from 1 to 2, as the second answer's share; 0 is an old code for a tie. */
export function alpacaPreference(value: Json | undefined): number | undefined {
  const given = typeof value === 'boolean' ? undefined : labelNumber(value)
  if (given === 0) return 0.5
  return given !== undefined && given >= 1 && given <= 2 ? given - 1 : undefined
}

/** Battles of a row with several answers, compared in pairs or all at once; `models` names them. */
function listed(row: Row, settings: BattleSettings): Battle[] {
  const models = row.field('models')
  if (!Array.isArray(models) || !models.every((one) => typeof one === 'string')) return []
  const contests = new Map<string, { pair: Pair; games: (Game | undefined)[] }>()
  for (const { trial, verdict } of choicesOf(row, models.length)) {
    const winner = verdict?.winner ?? verdict?.ranking?.[0]
    for (const pair of trial?.pair ? [trial.pair] : pairsDecided(models.length, winner)) {
      const share = winner === 'tie' ? 0.5 : [1, 0][pair.indexOf(winner as number)]
      const { games } = getOrInsert(contests, pair.join(), () => ({ pair, games: [] }))
      games.push(gameWith(share))
    }
  }
  const item = idOf(row, settings.id)
  return [...contests.values()].map(({ pair: [a, b], games }) =>
    battle({ item, a: models[a] as string, b: models[b] as string, row }, games, settings),
  )
}

type Pair = [number, number]

type Choice = Partial<Pick<TrialResult, 'trial' | 'verdict' | 'error'>>

/** The verdicts of a row that jb judged; an empty one if it failed before it had trials. */
function choicesOf(row: Row, models: number): readonly Choice[] {
  const trials = row.get('trials') ?? []
  if (isConflict(row)) return trials.map(({ trial }) => ({ trial }))
  const [one] = trials
  if (isOfJury(row)) {
    const winner = row.get('result')?.winner
    return [
      { trial: one!.trial, ...(winner !== undefined && { verdict: { label: String(winner), winner } }) },
    ]
  }
  const all = trials.length === 0 && row.has('error') ? [{}] : allOf(row, trials)
  if (!one?.trial.pair || all.length === trials.length) return all
  // Of contests it is known which of them lack trials.
  const there = countEach(trials.map(({ trial }) => String(trial.pair)))
  const lacking = pairsDecided(models, undefined).flatMap((pair, _, { length }) => {
    const missing = Math.floor(all.length / length) - (there.get(String(pair)) ?? 0)
    return new Array<Choice>(Math.max(0, missing)).fill({ trial: { ...one.trial, pair } })
  })
  return [...trials, ...lacking]
}

/** Pairs of n answers that were compared at once. Nothing is known of two that both lost to a third. */
function pairsDecided(n: number, winner: number | 'tie' | undefined): Pair[] {
  const pairs = Array.from({ length: n }, (_, a) =>
    Array.from({ length: n - a - 1 }, (_, i): Pair => [a, a + i + 1]),
  ).flat()
  const decided = pairs.filter((pair) => pair.includes(winner as number))
  return decided.length > 0 ? decided : pairs
}
