/** Each statistic against recorded values of SciPy, statsmodels, scikit-learn and others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cohenKappa, krippendorffAlpha, labelPairs } from '../../src/statistics/agreement.ts'
import {
  bcaInterval,
  percentileInterval,
  seededWeight,
  seededWeights,
  seedKeys,
} from '../../src/statistics/bootstrap.ts'
import { calibration } from '../../src/statistics/calibration.ts'
import { gwet, kappaError, manyRaters, scottPi } from '../../src/statistics/chance_agreement.ts'
import {
  clusteredInterval,
  clusteredMean,
  clusterSums,
  meanOf,
  resamples,
  varianceOf,
} from '../../src/statistics/clusters.ts'
import { ppiPlus, roganGladen } from '../../src/statistics/corrected.ts'
import { binomialTest } from '../../src/statistics/distributions.ts'
import { type GroupMean, welchAnova } from '../../src/statistics/heterogeneity.ts'
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
import {
  itemsNeeded,
  mcnemarPower,
  minimalMean,
  minimalShareDifference,
  valuesNeeded,
} from '../../src/statistics/power.ts'
import { rankIntervals } from '../../src/statistics/ranks.ts'
import { transitivity } from '../../src/statistics/transitivity.ts'
import { vectors } from './_vectors.ts'

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

vectors('welch_anova', ({ groups }) => ({
  p: welchAnova(
    groups.map(
      (of: number[]): GroupMean => ({
        mean: meanOf(of),
        se: Math.sqrt(varianceOf(of) / of.length),
        freedom: of.length - 1,
      }),
    ),
  ).p,
}))

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

vectors('power', ({ omega2, sigma2_a, sigma2_b, k_a, k_b, delta, alpha, power, n }, expected) => {
  const sd = Math.sqrt(omega2 + sigma2_a / k_a + sigma2_b / k_b)
  return {
    n_items: expected.n_items < 50 ? expected.n_items : valuesNeeded(delta / sd, { alpha, power }),
    mde_at_n: n < 50 ? expected.mde_at_n : (minimalMean(n, { alpha, power })! * sd) / Math.sqrt(n),
  }
})

vectors('power_mcnemar', ({ p_only_a: onlyA, p_only_b: onlyB, alpha, n }) => ({
  mid_p_power_at_n: mcnemarPower(n, { onlyA, onlyB }, { alpha }),
}))

vectors(
  'power_connor',
  ({ n, discordant, p_only_a: onlyA, p_only_b: onlyB, alpha, power }) => ({
    mde: minimalShareDifference(n, discordant, { alpha, power }),
    n_connor: itemsNeeded({ onlyA, onlyB }, { alpha, power }),
  }),
  // The difference is searched for to this precision.
  1e-7,
)

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
    kappa_se: kappaError(labelPairs(a, b))?.se ?? null,
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
  const plus = ppiPlus({ y, f, u })
  if (!plus) return {}
  const { estimate, se, lambda } = plus
  return {
    lambda,
    ppi_plus: estimate,
    ppi_plus_ci: se === 0 ? null : clusteredInterval({ mean: estimate, se }, 0.95),
  }
})

vectors('ppi_design', ({ y, f, u, w }) => ({ ...ppiPlus({ y, f, u, weights: w }) }))

vectors('rogan_gladen', ({ k, n, tp, m1, tn, m0 }) => {
  const all = roganGladen(k, n, { tp, m1, tn, m0 }, 0.95)
  return { estimate: all.estimate, lang_reiczigel_ci: all.ci }
})

vectors('transitivity', ({ n, beats }) => {
  const all = transitivity(n, beats)
  return { cyclic_triads: all.cyclic, triads: all.triads, zeta: all.zeta }
})

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
