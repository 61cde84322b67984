/**
 * alpaca_eval's length-controlled win rate: the win rate that a model would have if its answers were as long as the
 * baseline's. Dubois, Galambosi, Liang and Hashimoto, "Length-controlled AlpacaEval" (2404.04475), and the code of
 * metrics/glm_winrate. The optimum is exact; the original's solver stops early.
 */
import { fileSource } from '../../files/files.ts'
import { utf8Text } from '../../files/text.ts'
import { codePoints } from '../../python/unicode.ts'
import { EXIT, Fatal } from '../../rows/record.ts'
import { percentileInterval, seededWeight, seedKeys } from '../../statistics/bootstrap.ts'
import { meanOf, varianceOf } from '../../statistics/clusters.ts'
import { lassoLogistic, logitOf, type SoftRows } from '../../statistics/lasso_logistic.ts'
import { sigmoid } from '../../statistics/matrix.ts'
import { alpacaPreference, type Battle, judgedByJb } from './battles.ts'
import type { ResolvedOptions } from './resolve_options.ts'

/** An annotation. */
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
    instruction: String(row.field('instruction') ?? ''),
    index: typeof index === 'number' ? index : undefined,
    preference: judgedByJb(row) ? shareOf(games) : (alpacaPreference(row.field('preference')) ?? null),
    lengths: lengths as [number, number],
  }
}

/** The second answer's mean share of the win; null without games. */
const shareOf = (games: Battle['games']) =>
  games.length === 0 ? null : games.reduce((sum, { share }) => sum + (1 - share), 0) / games.length

/** A row of df_gamed.csv: an answer whose length was gamed, and the difficulty of its instruction. */
interface GamedAnswer {
  preference: number
  index: number
  instruction: string | undefined
  stdDeltaLength: number
  difficulty: number
}

/** Those of a file, df_gamed.csv or one with the same columns. @throws Fatal (no input) for a missing file, (data) for a wrong column */
export async function readGamedAnswers(path: string): Promise<GamedAnswer[]> {
  const text = await utf8Text(fileSource(path))
  const { parse } = await import('csv-parse/sync')
  const records: Record<string, string>[] = parse(text, { columns: true, skip_empty_lines: true, bom: true })
  return records.map((record, i) => {
    const number = (column: string): number => {
      const value = Number(record[column] || Number.NaN)
      if (Number.isFinite(value)) return value
      throw new Fatal(
        EXIT.data,
        `${path}:${i + 2}: column ${column} is ${JSON.stringify(record[column])}, expected a number (length_controlled_v1=FILE takes alpaca_eval’s df_gamed.csv)`,
      )
    }
    return {
      preference: number('preference'),
      index: number('index'),
      instruction: record.instruction,
      stdDeltaLength: number('std_delta_len'),
      difficulty: number('instruction_difficulty'),
    }
  })
}

export interface LengthControlled {
  winrate: number
  /** alpaca_eval's lc_standard_error: the spread of predicted win rates over instructions, not a sampling error. */
  spread: number
  /** Standard error and interval from resampled rows, each fitted again. */
  se: number | null
  ci: [number, number] | null
  C: number
  coefficients: number[]
}

/** The weight of the gamed rows, shared by the models that gamed. */
const LAMBDA = 0.2
const GAMED_MODELS = 2
/** Inverse penalties to choose from. */
const CS = Array.from({ length: 10 }, (_, k) => 10 ** (-4 + (8 * k) / 9))
const FOLDS = 5

interface Design {
  rows: SoftRows
  /** The index of each row among the model's own; -1 for gamed rows. */
  own: number[]
  difficulty: number[]
}

/** @param rows one model's, in the order of its file */
export function lengthControlled(
  rows: readonly LengthRow[],
  gamed: readonly GamedAnswer[],
  settings: Pick<ResolvedOptions, 'ci' | 'bootstrap' | 'seed'> & { byRowNumber: boolean },
): LengthControlled | null {
  const design = designOf(rows, gamed, settings.byRowNumber)
  if (!design || design.rows.y.length < FOLDS) return null
  const C = chooseC(design.rows)
  const coefficients = lassoLogistic(design.rows, 1 / C)
  const predict = (beta: Float64Array) => predictions(beta, design.difficulty)
  const at = predict(coefficients)
  const drawn = replicates(rows, design, C, coefficients, predict, settings)
  return {
    winrate: meanOf(at),
    spread: at.length < 2 ? 0 : Math.sqrt(varianceOf(at) / at.length),
    se: drawn.length < 2 ? null : Math.sqrt(varianceOf(drawn)),
    ci: percentileInterval(drawn, settings.ci),
    C,
    coefficients: [...coefficients],
  }
}

function designOf(
  rows: readonly LengthRow[],
  gamed: readonly GamedAnswer[],
  byRowNumber: boolean,
): Design | null {
  const difficulty = difficultiesOf(rows, gamed, byRowNumber)
  if (difficulty.some((one) => one === undefined)) return null
  const deltas = rows.map(({ lengths }) => lengths[0] - lengths[1])
  const sd = Math.sqrt(varianceOf(deltas))
  const [x, y, weight, own]: [number[], number[], number[], number[]] = [[], [], [], []]
  for (const one of gamed) {
    x.push(Math.tanh(one.stdDeltaLength), one.difficulty, 0)
    y.push(one.preference)
    weight.push(LAMBDA / GAMED_MODELS)
    own.push(-1)
  }
  for (const [i, { preference }] of rows.entries()) {
    if (preference === null) continue
    x.push(Math.tanh(sd > 0 ? deltas[i]! / sd : 0), difficulty[i]!, 1)
    y.push(preference)
    weight.push(1)
    own.push(i)
  }
  return {
    rows: {
      features: 3,
      x: Float64Array.from(x),
      y: Float64Array.from(y),
      weight: Float64Array.from(weight),
    },
    own,
    difficulty: difficulty as number[],
  }
}

function difficultiesOf(rows: readonly LengthRow[], gamed: readonly GamedAnswer[], byRowNumber: boolean) {
  const byIndex = new Map(gamed.map(({ index, difficulty }) => [index, difficulty]))
  const byInstruction = new Map(gamed.map(({ instruction, difficulty }) => [instruction, difficulty]))
  return rows.map(({ instruction }, i) => (byRowNumber ? byIndex.get(i) : byInstruction.get(instruction)))
}

/** Predicted win rates at a length difference of 0. */
const predictions = (beta: Float64Array, difficulty: readonly number[]): number[] =>
  difficulty.map((one) => sigmoid(beta[1]! * one + beta[2]!))

/** The C with the best mean score of five folds; row i of n is in fold (n − 1 − i) mod 5. */
function chooseC(rows: SoftRows): number {
  const n = rows.y.length
  const fold = (i: number) => (n - 1 - i) % FOLDS
  const parts = Array.from({ length: FOLDS }, (_, f) => ({
    train: subset(rows, (i) => fold(i) !== f),
    test: subset(rows, (i) => fold(i) === f),
    beta: undefined as Float64Array | undefined,
  }))
  let [best, bestC] = [Number.NEGATIVE_INFINITY, CS[0]!]
  for (const C of CS) {
    let score = 0
    for (const part of parts) {
      part.beta = lassoLogistic(part.train, 1 / C, part.beta)
      score += scoreOf(part.test, part.beta) / FOLDS
    }
    if (score > best) {
      best = score
      bestC = C
    }
  }
  return bestC
}

function subset({ features: k, x, y, weight }: SoftRows, wanted: (i: number) => boolean): SoftRows {
  const places = [...y.keys()].filter(wanted)
  return {
    features: k,
    x: Float64Array.from(places.flatMap((i) => [...x.subarray(i * k, (i + 1) * k)])),
    y: Float64Array.from(places, (i) => y[i]!),
    weight: Float64Array.from(places, (i) => weight[i]!),
  }
}

/** Mean over the rows of weight × log-likelihood. */
function scoreOf(rows: SoftRows, beta: Float64Array): number {
  const { y, weight } = rows
  let sum = 0
  for (let i = 0; i < y.length; i++) {
    const p = Math.min(1 - 1e-15, Math.max(1e-15, sigmoid(logitOf(rows, beta, i))))
    sum += weight[i]! * (y[i]! * Math.log(p) + (1 - y[i]!) * Math.log(1 - p))
  }
  return sum / y.length
}

/** Resamples without --bootstrap. */
const ROUNDS = 200

function replicates(
  rows: readonly LengthRow[],
  { rows: all, own }: Design,
  C: number,
  start: Float64Array,
  predict: (beta: Float64Array) => number[],
  { bootstrap, seed }: Pick<ResolvedOptions, 'bootstrap' | 'seed'>,
): number[] {
  if (rows.length < 2) return []
  const keys = rows.map(({ instruction }) => seedKeys(seed, instruction))
  const out: number[] = []
  for (let round = 0; round < (bootstrap || ROUNDS); round++) {
    const times = keys.map(([k1, k2]) => seededWeight(k1, k2, round))
    // Gamed rows are not part of the sample.
    const weight = all.weight.map((one, i) => (own[i]! < 0 ? one : one * times[own[i]!]!))
    const beta = lassoLogistic({ ...all, weight }, 1 / C, start)
    const at = predict(beta)
    const n = times.reduce((sum, one) => sum + one, 0)
    if (n > 0) out.push(at.reduce((sum, one, i) => sum + one * times[i]!, 0) / n)
  }
  return out
}
