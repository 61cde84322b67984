import { test } from 'node:test'
import { byCodePoint } from '../../../src/python/unicode.ts'
import { boardOf, nextBattles, type Pairing } from '../../../src/stages/rank/next_battles.ts'
import { knownTop } from '../../../src/statistics/known_top.ts'
import { casesOf, close } from '../../statistics/_cases.ts'

interface RankingCase {
  battles: [question: string, a: string, b: string, winner: string | null][]
  answers: Record<string, string[]>
  seed: string
  top?: number
  margin: number
  next?: number
  expect: { next?: unknown[]; report?: object }
}

const SHARES: Record<string, number> = { model_a: 1, model_b: 0, tie: 0.5 }

/** A battle's share is the mean of its games; one that failed takes it away. */
function pairsOf(battles: RankingCase['battles']): Pairing[] {
  const games = new Map<string, Map<string, (number | null)[]>>()
  for (const [question, first, second, winner] of battles) {
    const share = SHARES[String(winner)] ?? null
    const turned = byCodePoint(first, second) > 0
    const key = turned ? `${second}\0${first}` : `${first}\0${second}`
    const of = games.get(key) ?? new Map<string, (number | null)[]>()
    games.set(key, of)
    of.set(question, [...(of.get(question) ?? []), turned && share !== null ? 1 - share : share])
  }
  return [...games].map(([key, of]) => {
    const [a, b] = key.split('\0') as [string, string]
    const shares = [...of].map(([question, all]): [string, number | null] => [
      question,
      all.includes(null) ? null : all.reduce((sum: number, one) => sum + one!, 0) / all.length,
    ])
    return { a, b, asked: new Map(shares) }
  })
}

for (const { name, battles, answers, seed, top, margin, next, expect } of casesOf<RankingCase>('ranking'))
  test(`as the independent program has it: ${name}`, () => {
    const pairs = pairsOf(battles)
    const alpha = 0.05
    if (next !== undefined) {
      const of = new Map(Object.entries(answers).map(([model, questions]) => [model, new Set(questions)]))
      const wanted = top === undefined ? {} : { top: { top, margin } }
      const { chosen } = nextBattles(pairs, of, { next, ...wanted, alpha, seed })
      close(
        chosen.map(({ question, a, b }) => [question, a, b]),
        expect.next,
      )
    }
    if (!expect.report) return
    const { models, battles: counts, strengths } = boardOf(pairs, [], 1)
    const known = knownTop(strengths!, counts, { top: top!, margin, alpha })
    close(
      {
        decided: known.decided,
        battles: counts.reduce((sum, n) => sum + n, 0) / 2,
        dispersion: strengths!.dispersion,
        pair_effect: strengths!.pairEffect,
        models: known.places.map((place, i) => ({
          model: models[place.model],
          rank: i + 1,
          rating: place.rating,
          rating_ci: place.ratingCi,
          battles: counts[place.model],
          in: place.in,
          settled: place.settled,
        })),
      },
      expect.report,
    )
  })
