/** Which battles to judge next: those that tell most about who belongs to the top. */
import { byCodePoint } from '../../python/unicode.ts'
import { sha256 } from '../../rows/crypto.ts'
import { getOrInsert } from '../../rows/maps.ts'
import {
  ENOUGH,
  type KnownTop,
  knownTop,
  type Meetings,
  type Strengths,
  strengthsOf,
} from '../../statistics/known_top.ts'

/** A pair's battles by question: the first model's share, null for one that was asked and has none. */
type Asked = ReadonlyMap<string, number | null>

export interface Pairing {
  /** Names, the first by code points first. */
  a: string
  b: string
  asked: Asked
}

interface NextBattle {
  question: string
  /** Who is shown first. */
  a: string
  b: string
}

interface ChoiceOptions {
  /** How many battles. */
  next: number
  /** The statement to reach; without it the order of all models counts. */
  top?: { top: number; margin: number }
  alpha: number
  seed: string
}

/** A model that has no valid battle after so many is not tried on. */
const GIVEN_UP = 40

const hashOf = (...parts: string[]): string => sha256(parts.join('\0'))

export interface Board {
  /** In order of code points. */
  models: string[]
  /** Valid battles of each. */
  battles: number[]
  /** Undefined while there are fewer valid battles than models. */
  strengths: Strengths | undefined
}

/** Who has met whom, and their ratings. @param others models without a battle */
export function boardOf(
  pairs: readonly Pairing[],
  others: Iterable<string>,
  least: number | 'models',
): Board {
  const models = [...new Set([...pairs.flatMap(({ a, b }) => [a, b]), ...others])].sort(byCodePoint)
  const number = new Map(models.map((model, i) => [model, i]))
  const battles = models.map(() => 0)
  const meetings: Meetings[] = []
  for (const pair of pairs) {
    const shares = [...pair.asked.values()].filter((share) => share !== null)
    const [a, b] = [number.get(pair.a)!, number.get(pair.b)!]
    battles[a]! += shares.length
    battles[b]! += shares.length
    const sum = shares.reduce((all, share) => all + share, 0)
    const squares = shares.reduce((all, share) => all + share * share, 0)
    if (shares.length > 0) meetings.push({ a, b, n: shares.length, sum, squares })
  }
  meetings.sort((x, y) => x.a - y.a || x.b - y.b)
  const valid = meetings.reduce((sum, { n }) => sum + n, 0)
  const enough = valid > 0 && valid >= (least === 'models' ? models.length : least)
  return { models, battles, strengths: enough ? strengthsOf(models.length, meetings) : undefined }
}

/** A pair with the questions that it can still be asked. */
interface Candidate {
  a: string
  b: string
  left: Set<string>
  asked: number
}

/**
 * The next battles, in the order in which they are written; empty where the top is known, or nothing is left.
 * @param answers the questions that each model answered
 * @returns the battles, and the board that they were chosen from
 */
export function nextBattles(
  pairs: readonly Pairing[],
  answers: ReadonlyMap<string, ReadonlySet<string>>,
  { next, top, alpha, seed }: ChoiceOptions,
): { chosen: NextBattle[]; board: Board; known: KnownTop | undefined; left: number } {
  const board = boardOf(pairs, answers.keys(), 'models')
  const known = board.strengths && top && knownTop(board.strengths, board.battles, { ...top, alpha })
  const state = new Candidates(pairs, answers, seed)
  const left = state.left
  if (known?.decided) return { chosen: [], board, known, left }
  state.first(next, board)
  state.weighed(next - state.chosen.length, board, known)
  return { chosen: state.sorted(), board, known, left }
}

class Candidates {
  readonly chosen: (NextBattle & { hash: string })[] = []
  private readonly seed: string
  private readonly names: string[]
  private readonly pairs: Candidate[] = []
  /** How often a model was asked a question. */
  private readonly played = new Map<string, Map<string, number>>()
  private readonly total: number
  private readonly tried = new Map<string, number>()

  constructor(pairs: readonly Pairing[], answers: ReadonlyMap<string, ReadonlySet<string>>, seed: string) {
    this.seed = seed
    this.names = [...answers.keys()].sort(byCodePoint)
    for (const { a, b, asked } of pairs)
      for (const model of [a, b]) {
        this.tried.set(model, (this.tried.get(model) ?? 0) + asked.size)
        for (const question of asked.keys()) this.play(model, question)
      }
    this.total = pairs.reduce((sum, { asked }) => sum + asked.size, 0)
    const met = new Map(pairs.map(({ a, b, asked }) => [`${a}\0${b}`, asked]))
    for (const [i, a] of this.names.entries())
      for (const b of this.names.slice(i + 1)) {
        const asked = met.get(`${a}\0${b}`)
        const others = answers.get(b)!
        const left = new Set(
          [...answers.get(a)!].filter((question) => others.has(question) && !asked?.has(question)),
        )
        this.pairs.push({ a, b, left, asked: asked?.size ?? 0 })
      }
  }

  /** Battles that could be asked. */
  get left(): number {
    return this.pairs.reduce((sum, { left }) => sum + left.size, 0)
  }

  sorted(): NextBattle[] {
    return this.chosen.toSorted((x, y) => (x.hash < y.hash ? -1 : 1)).map(({ hash: _, ...choice }) => choice)
  }

  private play(model: string, question: string): void {
    const questions = getOrInsert(this.played, model, () => new Map<string, number>())
    questions.set(question, (questions.get(question) ?? 0) + 1)
  }

  /** The pair's question on which its models were asked least. */
  private take(pair: Candidate): void {
    const { a, b, left } = pair
    const times = (question: string) =>
      (this.played.get(a)?.get(question) ?? 0) + (this.played.get(b)?.get(question) ?? 0)
    let [chosen, fewest, hash] = ['', Number.POSITIVE_INFINITY, '']
    for (const question of left) {
      const n = times(question)
      if (n > fewest) continue
      const own = hashOf(this.seed, a, b, question)
      if (n === fewest && own > hash) continue
      ;[chosen, fewest, hash] = [question, n, own]
    }
    left.delete(chosen)
    pair.asked++
    this.play(a, chosen)
    this.play(b, chosen)
    const [first, second] = Number.parseInt(hash[0]!, 16) % 2 === 0 ? [a, b] : [b, a]
    this.chosen.push({ question: chosen, a: first, b: second, hash })
  }

  /** Battles of models that have too few. */
  first(most: number, { models, battles }: Board): void {
    const count = new Map(models.map((model, i) => [model, battles[i]!]))
    const isNew = (model: string) => count.get(model)! < ENOUGH && (this.tried.get(model) ?? 0) < GIVEN_UP
    const met = ({ a, b }: Candidate) => count.get(a)! + count.get(b)!
    const hash = ({ a, b }: Candidate) => hashOf(this.seed, a, b)
    const order = (x: Candidate, y: Candidate) =>
      met(x) - met(y) || x.asked - y.asked || (hash(x) < hash(y) ? -1 : 1)
    while (this.chosen.length < most) {
      const pair = least(this.pairs, ({ a, b, left }) => left.size > 0 && (isNew(a) || isNew(b)), order)
      if (!pair) return
      this.take(pair)
      for (const model of [pair.a, pair.b]) {
        count.set(model, count.get(model)! + 1)
        this.tried.set(model, (this.tried.get(model) ?? 0) + 1)
      }
    }
  }

  /** Systematic sampling of the pairs by how little is known of them. */
  weighed(points: number, board: Board, known: KnownTop | undefined): void {
    if (points <= 0 || this.left === 0) return
    const { strengths, models } = board
    const number = new Map(models.map((model, i) => [model, i]))
    const gap = ({ a, b }: Candidate) =>
      strengths ? Math.abs(strengths.ratings[number.get(a)!]! - strengths.ratings[number.get(b)!]!) : 0
    const weighed = this.errorsApart(board, known)
    const closest = weighed.reduce((most, [, z]) => Math.min(most, z), Number.POSITIVE_INFINITY)
    const weights = weighed.map(([, z]) => Math.exp((closest * closest - z * z) / 2))
    const all = weights.reduce((sum, weight) => sum + weight, 0)
    const start = Number.parseInt(hashOf(this.seed, 'next', String(this.total)).slice(0, 13), 16) / 16 ** 13
    let [reached, k] = [0, 0]
    for (const [at, [pair]] of weighed.entries()) {
      reached += weights[at]!
      const last = at === weighed.length - 1
      while (k < points && (((start + k) * all) / points < reached || last)) {
        k++
        const chosen = pair.left.size > 0 ? pair : this.nearest(pair, gap)
        if (!chosen) return
        this.take(chosen)
      }
    }
  }

  /** The pairs that count, in order, and how many errors apart they are. */
  private errorsApart({ models, strengths }: Board, known: KnownTop | undefined): [Candidate, number][] {
    if (!strengths) return this.pairs.map((pair) => [pair, 0])
    const number = new Map(models.map((model, i) => [model, i]))
    if (!known)
      return this.pairs.map((pair) => {
        const [i, j] = [number.get(pair.a)!, number.get(pair.b)!]
        return [
          pair,
          Math.abs(strengths.ratings[i]! - strengths.ratings[j]!) / Math.sqrt(strengths.between(i, j)),
        ]
      })
    const across = new Map<string, number>()
    for (const { in: i, out: j, z } of known.apart) across.set(`${Math.min(i, j)} ${Math.max(i, j)}`, z)
    const found: [Candidate, number][] = []
    for (const pair of this.pairs) {
      const z = across.get(`${number.get(pair.a)!} ${number.get(pair.b)!}`)
      if (z !== undefined) found.push([pair, z])
    }
    return found.length > 0 ? found : this.pairs.map((pair) => [pair, 0])
  }

  /** For a pair that has met on every question: another of its models' pairs, else any, with the nearest ratings. */
  private nearest({ a, b }: Candidate, gap: (pair: Candidate) => number): Candidate | undefined {
    const isOther = (pair: Candidate) => Number(![pair.a, pair.b].some((model) => model === a || model === b))
    const order = (x: Candidate, y: Candidate) => isOther(x) - isOther(y) || gap(x) - gap(y)
    return least(this.pairs, ({ left }) => left.size > 0, order)
  }
}

/** The first of the pairs that may be taken, by an order. */
function least(
  pairs: readonly Candidate[],
  may: (pair: Candidate) => boolean,
  order: (x: Candidate, y: Candidate) => number,
): Candidate | undefined {
  let best: Candidate | undefined
  for (const pair of pairs) if (may(pair) && (!best || order(pair, best) < 0)) best = pair
  return best
}
