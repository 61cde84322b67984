/** Each statistic against recorded values of SciPy, statsmodels, scikit-learn and others (../shared/data). */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { cohenKappa, krippendorffAlpha } from '../../src/statistics/agreement.ts'
import {
  bcaInterval,
  percentileInterval,
  seededWeight,
  seededWeights,
  seedKeys,
} from '../../src/statistics/bootstrap.ts'
import {
  clusteredCovariance,
  components,
  ELO_SCALE,
  fitBradleyTerry,
  type Games,
} from '../../src/statistics/bradley_terry.ts'
import { calibration } from '../../src/statistics/calibration.ts'
import { gwet, kappaError, manyRaters, scottPi } from '../../src/statistics/chance_agreement.ts'
import { clusteredInterval, clusteredMean, clusterSums, resamples } from '../../src/statistics/clusters.ts'
import { ppiPlus, roganGladen } from '../../src/statistics/corrected.ts'
import { binomialTest } from '../../src/statistics/distributions.ts'
import { onlineElo } from '../../src/statistics/elo.ts'
import { wilson } from '../../src/statistics/interval.ts'
import { lengthBias } from '../../src/statistics/length_bias.ts'
import { sigmoid } from '../../src/statistics/matrix.ts'
import {
  clopperPearson,
  cohensH,
  matchedOdds,
  mcnemarExact,
  mcnemarMidP,
  newcombe,
} from '../../src/statistics/mcnemar.ts'
import { benjaminiHochberg, holm } from '../../src/statistics/multiple.ts'
import { pairedT, signFlips, signTest, wilcoxon } from '../../src/statistics/paired.ts'
import { itemsNeeded, minimalDifference } from '../../src/statistics/power.ts'
import { rankIntervals } from '../../src/statistics/ranks.ts'
import { transitivity } from '../../src/statistics/transitivity.ts'

const folder = new URL('../../../shared/data/leaderboards/vectors/', import.meta.url)
const skip = existsSync(folder) ? false : 'SKIPPED: ../shared/data/leaderboards/vectors is not here'

// biome-ignore lint/suspicious/noExplicitAny: each file has cases of its own shape
type Case = { name: string; input: any; expect: any }

/** Every case of a file; `figures` are compared with what is expected of the same name. */
function vectors(
  name: string,
  figures: (input: Case['input'], expected: Case['expect']) => Record<string, unknown>,
  tolerance = 1e-9,
) {
  test(`vectors: ${name}`, { skip }, () => {
    const { cases } = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as { cases: Case[] }
    for (const { name: which, input, expect } of cases)
      for (const [key, value] of Object.entries(figures(input, expect)))
        if (key in expect) near(value, expect[key], tolerance, `${name} ${which} ${key}`)
  })
}

function near(actual: unknown, expected: unknown, tolerance: number, place: string): void {
  if (Array.isArray(expected)) {
    assert.ok(
      Array.isArray(actual) && actual.length === expected.length,
      `${place}: ${JSON.stringify(actual)}`,
    )
    for (const [i, one] of expected.entries()) near(actual[i], one, tolerance, `${place}[${i}]`)
  } else if (typeof expected === 'number') {
    assert.equal(typeof actual, 'number', `${place}: ${actual}, expected ${expected}`)
    const apart = Math.abs((actual as number) - expected)
    assert.ok(
      apart <= tolerance * Math.max(1e-3, Math.abs(expected)),
      `${place}: ${actual}, expected ${expected}`,
    )
  } else assert.equal(actual ?? null, expected, place)
}

vectors('mcnemar', ({ both, only_a: onlyA, only_b: onlyB, neither }) => {
  const counts = { both, onlyA, onlyB, neither }
  const n = both + onlyA + onlyB + neither
  const odds = matchedOdds(counts, 0.95)
  return {
    exact_p: mcnemarExact(counts),
    mid_p: mcnemarMidP(counts),
    newcombe_ci: newcombe(counts, 0.95),
    cohens_h: cohensH((both + onlyA) / n, (both + onlyB) / n),
    odds_ratio: odds.ratio,
    odds_ratio_exact_ci: odds.ci,
  }
})

vectors('paired_scores', ({ a, b }) => {
  const d = a.map((x: number, i: number) => x - b[i])
  const t = pairedT(d, 0.95)
  const [normal, exact] = [wilcoxon(d, false), wilcoxon(d)]
  const wins = d.filter((x: number) => x > 1e-12).length
  const losses = d.filter((x: number) => x < -1e-12).length
  return {
    ...(t && { difference: t.mean, se: t.se, t: t.t, t_p: t.p, t_ci: t.ci, d_z: t.dz }),
    sign_p: signTest(wins, losses),
    wilcoxon_approx_p: normal.p,
    w_plus: normal.plus,
    w_minus: normal.minus,
    rank_biserial: normal.rankBiserial,
    ...(exact.exact && { wilcoxon_exact_p: exact.p }),
    ...(d.length <= 12 && { sign_flip_exact_p: signFlips(d) }),
  }
})

vectors('multiple', ({ p }) => ({ holm: holm(p), bh: benjaminiHochberg(p) }))

vectors('proportion', ({ k, n }) => ({
  wilson: wilson(k, n, 0.95),
  clopper_pearson: clopperPearson(k, n, 0.95),
}))

vectors('clustered_se', ({ scores, groups }) => {
  const sums = clusterSums(scores, groups)
  const mean = clusteredMean(sums)
  return {
    mean: mean.mean,
    clusters: mean.clusters,
    clustered_se_small_sample: mean.se,
    ...(mean.clusters < 50 && { t_ci_df_clusters_minus_1: clusteredInterval(mean, 0.95) }),
  }
})

vectors('resamples', ({ samples }) => {
  const all = resamples(samples)
  return {
    mean: all.mean,
    se: all.se,
    within: all.within,
    between: all.between,
    se_if_one_sample: all.seOneSample,
    se_if_infinite_samples: all.seManySamples,
  }
})

vectors('bootstrap_interval', ({ estimate, replicates, jackknife }) => ({
  percentile: percentileInterval(replicates, 0.95),
  bca: bcaInterval(estimate, replicates, jackknife, 0.95),
}))

vectors('seeded_weights', ({ seed, id }) => {
  const [k1, k2] = seedKeys(seed, id)
  const weights = new Int32Array(32)
  seededWeights(k1, k2, 0, weights)
  return {
    k1,
    k2,
    weights: [...weights],
    weight_999: seededWeight(k1, k2, 999),
  }
})

vectors('power', ({ omega2, sigma2_a, sigma2_b, k_a, k_b, delta, alpha, power, n }) => {
  const variance = omega2 + sigma2_a / k_a + sigma2_b / k_b
  return {
    n_for_delta: itemsNeeded(variance, delta, alpha, power),
    mde_at_n: minimalDifference(Math.sqrt(variance / n), alpha, power),
  }
})

vectors('rank_overlap', ({ lower, upper }) => {
  const ranks = rankIntervals(lower.map((low: number, i: number) => [low, upper[i]]))
  return { best_rank: ranks.map(([best]) => best), worst_rank: ranks.map(([, worst]) => worst) }
})

vectors('agreement_two', ({ a, b }, expected) => {
  const units = a.map((one: string, i: number) => [one, b[i]])
  return {
    kappa: cohenKappa(a, b),
    kappa_linear: cohenKappa(a, b, 'linear'),
    kappa_quadratic: cohenKappa(a, b, 'quadratic'),
    kappa_se: kappaError(a, b),
    scott_pi: scottPi(a, b),
    gwet_ac1: gwet(a, b),
    alpha_nominal: krippendorffAlpha(units),
    ...('gwet_ac2_quadratic' in expected && { gwet_ac2_quadratic: gwet(a, b, 'quadratic') }),
  }
})

vectors('agreement_many', ({ rows }) => {
  const all = manyRaters(rows)
  return {
    gwet_pa: all.po,
    gwet_ac1: all.ac1,
    ...(all.fleiss !== null && { fleiss_kappa: all.fleiss }),
    alpha_nominal: krippendorffAlpha(rows),
  }
})

vectors('calibration', ({ p, y, bins }) => {
  const all = calibration(p, y, bins)!
  return {
    brier: all.brier,
    bins: all.bins,
    ece: all.ece,
    mce: all.mce,
    reliability: all.reliability,
    resolution: all.resolution,
    uncertainty: all.uncertainty,
    ece_equal_mass: all.eceEqualMass,
    overconfidence: all.overconfidence,
  }
})

vectors(
  'length_bias',
  ({ length_difference, outcome }) => {
    const all = lengthBias(length_difference, outcome, 0.95)
    return {
      longer_won: all.longerWon,
      decisive_unequal: all.decisiveUnequal,
      slope: all.fit?.slope ?? null,
      ...(all.fit && {
        intercept: all.fit.intercept,
        se: all.fit.se,
        p: all.fit.p,
        slope_ci: all.fit.ci,
        odds_ratio: Math.exp(all.fit.slope),
        win_rate_at_equal_length: sigmoid(all.fit.intercept),
      }),
    }
  },
  1e-7,
)

vectors('position', ({ items }) => {
  let [decisive, first, same, sameFirst] = [0, 0, 0, 0]
  for (const games of items as [string, string][][]) {
    const slots = games.map(([order, said]) =>
      said === 'A=B' ? 0 : (said === 'A>B') === (order === 'AB') ? 1 : 2,
    )
    decisive += slots.filter((one) => one > 0).length
    first += slots.filter((one) => one === 1).length
    if (slots.length === 2 && slots[0] === slots[1] && slots[0]! > 0) {
      same++
      if (slots[0] === 1) sameFirst++
    }
  }
  return {
    first_share_wilson: wilson(first, decisive, 0.95),
    first_binomial_p: binomialTest(first, decisive),
    same_slot_p: binomialTest(sameFirst, same),
  }
})

vectors('ppi', ({ y, f, u }) => {
  const plus = ppiPlus(y, f, u, 0.95)
  return plus ? { lambda: plus.lambda, ppi_plus: plus.estimate, ppi_plus_ci: plus.ci } : {}
})

vectors('rogan_gladen', ({ k, n, tp, m1, tn, m0 }) => {
  const all = roganGladen(k, n, { tp, m1, tn, m0 }, 0.95)
  return { estimate: all.estimate, lang_reiczigel_ci: all.ci }
})

vectors('transitivity', ({ n, beats }) => {
  const all = transitivity(n, beats)
  return { cyclic_triads: all.cyclic, triads: all.triads, zeta: all.zeta }
})

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
    const online = onlineElo(
      battles
        .filter(({ model_a, model_b, winner }: never) => model_a !== model_b && winner in scores)
        .map(({ model_a, model_b, winner }: never) => ({ a: model_a, b: model_b, score: scores[winner] })),
      4,
    )
    if ('elo_k4' in expected)
      check(
        'elo_k4',
        named(models.map((model) => online.get(model) ?? 1000)).map(([, x]) => x),
      )
    if (!expected.mle_exists || weak.length > 1) return {}
    const fit = fitBradleyTerry(games)!
    check('ratings', elo(fit.ratings))
    const covariance = clusteredCovariance(
      fit.factor,
      models.length,
      said.map(({ a, b, y, weight }) => {
        const more = weight * (y - sigmoid(fit.ratings[a]! - fit.ratings[b]!))
        return [
          [a, more],
          [b, -more],
        ]
      }),
    )
    const errors = models.map(
      (_, i) => ELO_SCALE * Math.sqrt(Math.max(0, covariance[i * models.length + i]!)),
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

test('length bias of 100,000 pairs is where the likelihood is highest', () => {
  let seed = 1
  const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32
  const differences = Array.from({ length: 99_999 }, () => Math.round(random() * 191 - random() * 191))
  const outcomes = differences.map(() => Number(random() < 0.5))
  const { sd, fit } = lengthBias(differences, outcomes, 0.95)
  const gradient = [0, 0]
  for (const [i, difference] of differences.entries()) {
    const z = difference / sd!
    const rest = outcomes[i]! - sigmoid(fit!.intercept + fit!.slope * z)
    gradient[0]! += rest
    gradient[1]! += rest * z
  }
  for (const one of gradient) assert.ok(Math.abs(one) < 1e-8, `${gradient}`)
})
