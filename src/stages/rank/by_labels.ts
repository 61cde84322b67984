/** Rankings by people's verdicts on some battles and a judge's on all: prediction-powered means and Bradley–Terry. */
import { EXIT, Fatal } from '../../rows/record.ts'
import { ELO_SCALE } from '../../statistics/bradley_terry.ts'
import { fitByLabels } from '../../statistics/bradley_terry_few.ts'
import { errorsIn, meanOf } from '../../statistics/clusters.ts'
import { areShares, type FewLabels, ppiInterval, ppiPlus } from '../../statistics/corrected.ts'
import type { Ranking, RankSettings, Standing } from './standing.ts'
import { contrastOf, standingBy } from './strength.ts'
import type { JudgedBattle } from './truth.ts'

/** A model's own battles: its shares by people and by the judge. */
export function sampleOf(model: string, battles: readonly JudgedBattle[]): FewLabels & { labels: number } {
  const own = battles
    .filter(({ a, b }) => a === model || b === model)
    .map((one) => (one.a === model ? one : { ...one, judge: 1 - one.judge, people: 1 - one.people }))
  const labelled = own.filter(({ people }) => !Number.isNaN(people))
  const rest = own.filter(({ people }) => Number.isNaN(people))
  const clusters = [...labelled, ...rest].map(({ cluster }, i) => cluster ?? `\0${i}`)
  return {
    y: labelled.map(({ people }) => people),
    f: labelled.map(({ judge }) => judge),
    u: rest.map(({ judge }) => judge),
    labels: labelled.length,
    ...(new Set(clusters).size < clusters.length && { clusters }),
  }
}

/** Each model's mean, by PPI++; where all its battles have labels, these alone. */
export function meansByLabels(
  models: readonly string[],
  all: readonly JudgedBattle[],
  settings: RankSettings,
): Ranking {
  const { baseline, ci: level } = settings
  const battles = baseline === undefined ? all : all.filter(({ a, b }) => a === baseline || b === baseline)
  const standings = models.map((model): Standing => {
    if (model === baseline) return { model, score: 0.5, ci: [0.5, 0.5], se: 0, rating: 1000, component: 1 }
    const { labels, ...own } = sampleOf(model, battles)
    // Without unlabelled battles the judge's mean of the labelled ones stands in, and cancels out.
    const sample = own.u.length > 0 ? own : { ...own, u: own.f, clusters: undefined }
    const plus = ppiPlus(sample as FewLabels)
    const judged = own.f.length + own.u.length > 0 ? meanOf([...own.f, ...own.u]) : null
    const score = plus && Math.max(0, Math.min(1, plus.estimate))
    const areHalves = areShares(own.y, own.f, own.u)
    return {
      model,
      score,
      ci: plus && (ppiInterval(sample as FewLabels, level, areHalves ? 'shares' : 'amounts')?.ci ?? null),
      se: plus?.se ?? null,
      rating:
        baseline !== undefined && score !== null && score > 0 && score < 1
          ? 1000 + ELO_SCALE * Math.log(score / (1 - score))
          : null,
      component: 1,
      labels,
      judged,
    }
  })
  return { standings, against: baseline ?? null, replicatesLeftOut: 0 }
}

/** Bradley–Terry by labels. @throws Fatal (data) without a finite optimum */
export function strengthByLabels(
  models: readonly string[],
  battles: readonly JudgedBattle[],
  settings: RankSettings,
): Ranking {
  const place = new Map(models.map((model, i) => [model, i]))
  const clusters = new Map<string, number>()
  const clusterOf = ({ cluster }: JudgedBattle, i: number) => {
    const name = cluster ?? `\0${i}`
    if (!clusters.has(name)) clusters.set(name, clusters.size)
    return clusters.get(name)!
  }
  const found = fitByLabels({
    models: models.length,
    a: battles.map(({ a }) => place.get(a)!),
    b: battles.map(({ b }) => place.get(b)!),
    judge: battles.map(({ judge }) => judge),
    people: battles.map(({ people }) => people),
    cluster: battles.map(clusterOf),
  })
  if (!found)
    throw new Fatal(
      EXIT.data,
      '--truth: no finite ratings: too few labels, or a model that never lost, never won or is not connected with the others by battles (--method mean needs none)',
    )
  const { ratings, covariance, freedom } = found
  const errors = errorsIn(settings.ci, freedom)
  const base = settings.baseline === undefined ? -1 : models.indexOf(settings.baseline)
  const standings = models.map((model, i): Standing => {
    const { labels, f, u } = sampleOf(model, battles)
    const of = standingBy(ratings, covariance, contrastOf(i, base, models.length), { i, base, errors })
    return { model, ...of, component: 1, labels, judged: meanOf([...f, ...u]) }
  })
  return { standings, against: settings.baseline ?? null, replicatesLeftOut: 0 }
}
