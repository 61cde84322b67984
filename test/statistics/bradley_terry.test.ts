/** Bradley–Terry against recorded values: ratings, errors, rankings. */
import assert from 'node:assert/strict'
import {
  clusteredCovariance,
  components,
  ELO_SCALE,
  fitBradleyTerry,
  type Games,
} from '../../src/statistics/bradley_terry.ts'
import { sigmoid } from '../../src/statistics/matrix.ts'
import { near, vectors } from './_vectors.ts'

vectors(
  'bradley_terry',
  ({ battles }, expected) => {
    const models: string[] = expected.models
    const scores: Record<string, number> = { model_a: 1, model_b: 0, tie: 0.5, 'tie (bothbad)': 0.5 }
    const said = (battles as { model_a: string; model_b: string; winner: string; weight?: number }[])
      .filter(({ model_a, model_b, winner }) => model_a !== model_b && winner in scores)
      .map(({ model_a, model_b, winner, weight = 1 }) => ({
        a: models.indexOf(model_a),
        b: models.indexOf(model_b),
        y: scores[winner]!,
        weight,
      }))
    const games: Games = {
      models: models.length,
      a: said.map(({ a }) => a),
      b: said.map(({ b }) => b),
      n: said.map(({ weight }) => weight),
      wins: said.map(({ y, weight }) => y * weight),
    }
    const named = (values: ArrayLike<number>) =>
      models.map((model, i) => [model, values[i]] as const).sort(([x], [y]) => (x < y ? -1 : 1))
    const elo = (natural: Float64Array) =>
      named(natural.map((one) => 1000 + ELO_SCALE * one)).map(([, x]) => x)
    const { weak, strong } = components(games)
    assert.deepEqual(
      weak.map((of) => of.map((i) => models[i]).sort()).sort(),
      expected.components.map((of: string[]) => [...of].sort()).sort(),
    )
    assert.equal(weak.length === strong.length, expected.mle_exists)
    const sorted = (key: string) =>
      expected[key] &&
      Object.entries(expected[key] as Record<string, number>).sort(([x], [y]) => (x < y ? -1 : 1))
    const check = (key: string, values: unknown) =>
      near(
        values,
        sorted(key).map(([, x]: [string, number]) => x),
        1e-9,
        key,
      )
    for (const ridge of [0.01, 1]) {
      const fit = fitBradleyTerry(games, ridge)!
      if (`ridge_${ridge}` in expected) check(`ridge_${ridge}`, elo(fit.ratings))
    }
    if (!expected.mle_exists || weak.length > 1) return {}
    const fit = fitBradleyTerry(games)!
    check('ratings', elo(fit.ratings))
    const { covariance, freedom } = clusteredCovariance(
      fit.factor,
      models.length,
      said.map(({ a, b, y, weight }) => {
        const more = weight * (y - sigmoid(fit.ratings[a]! - fit.ratings[b]!))
        const score = [
          [a, more],
          [b, -more],
        ] as const
        return { games: 1, score }
      }),
    )
    // Recorded without the factor G/(G−1).
    const factor = freedom === undefined ? 1 : said.length / freedom
    const errors = models.map(
      (_, i) => ELO_SCALE * Math.sqrt(Math.max(0, covariance[i * models.length + i]! / factor)),
    )
    near(
      named(errors).map(([, x]) => x),
      sorted('se_sandwich').map(([, x]: [string, number]) => x),
      1e-6,
      'se_sandwich',
    )
    return {}
  },
  1e-6,
)
