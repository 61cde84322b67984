/**
 * How often intervals of 95 % hold the truth, by simulation: prints the tables of docs/compare.md. By hand, some
 * minutes: `make coverage`.
 */
import { cohenKappa } from '../src/statistics/agreement.ts'
import { clusteredCovariance, components, fitBradleyTerry } from '../src/statistics/bradley_terry.ts'
import { kappaInterval } from '../src/statistics/chance_agreement.ts'
import {
  clusteredInterval,
  clusteredMean,
  clusteredShareInterval,
  clusterSums,
  meanOf,
} from '../src/statistics/clusters.ts'
import { ppiInterval } from '../src/statistics/corrected.ts'
import { wilson } from '../src/statistics/interval.ts'
import { sigmoid } from '../src/statistics/matrix.ts'
import { mcnemarMidP, newcombe } from '../src/statistics/mcnemar.ts'
import { minimalShareDifference } from '../src/statistics/power.ts'

const REPETITIONS = Number(process.argv[2] ?? 2000)

/** Uniform numbers from a seed (mulberry32). */
let state = 20_240_607
function random(): number {
  state = (state + 0x6d2b79f5) | 0
  let x = Math.imul(state ^ (state >>> 15), 1 | state)
  x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x
  return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32
}

/** How often each outcome comes in n draws. */
function draw(n: number, shares: readonly number[]): number[] {
  const counts = shares.map(() => 0)
  for (let i = 0; i < n; i++) {
    let x = random()
    let at = 0
    while (at < shares.length - 1 && x >= shares[at]!) x -= shares[at++]!
    counts[at]!++
  }
  return counts
}

type Interval = [number, number] | null | undefined

const holds = (interval: Interval, truth: number) =>
  !!interval && interval[0] <= truth && truth <= interval[1]

const accuracy = (n: number) => holds(wilson(draw(n, [0.65, 0.35])[0]!, n, 0.95), 0.65)

/** Five items a document, whose outcomes are correlated by 0.2. */
function byCluster(n: number): boolean {
  const [values, clusters]: [number[], string[]] = [[], []]
  for (let i = 0; i < n; i += 5) {
    const common = Number(random() < 0.65)
    for (let k = 0; k < 5; k++) {
      values.push(random() < Math.sqrt(0.2) ? common : Number(random() < 0.65))
      clusters.push(`${i}`)
    }
  }
  return holds(clusteredShareInterval(clusteredMean(clusterSums(values, clusters)), 0.95), 0.65)
}

/** Both right, only a, only b, neither. */
const PAIRED = [0.5, 0.15, 0.1, 0.25]
function difference(n: number): boolean {
  const [both, onlyA, onlyB, neither] = draw(n, PAIRED) as [number, number, number, number]
  return holds(newcombe({ both, onlyA, onlyB, neither }, 0.95), PAIRED[1]! - PAIRED[2]!)
}

const [X, Y] = [
  [1, 1, 0, 0],
  [1, 0, 1, 0],
]
const JOINT = [0.5, 0.1, 0.1, 0.3]
function kappa(n: number): boolean {
  const counts = draw(n, JOINT)
  const truth = cohenKappa(X!, Y!, 'none', { counts: JOINT })!
  const items = { a: X!, b: Y!, counts, of: [] }
  const same = wilson(counts[0]! + counts[3]!, n, 0.95)
  return holds(kappaInterval(items, 'none', 0.95, same), truth)
}

/** Five models with n games; the rating of one, by the sandwich. Undefined where this sample has no solution. */
const STRENGTHS = [0.6, 0.3, 0, -0.3, -0.6]
const strength = (n: number) => strengthOf(n, 1)

/** Sixty games of each of n clusters, which favour a model each. */
const strengthByCluster = (n: number) => strengthOf(n, 60)

function strengthOf(clusters: number, size: number): boolean | undefined {
  const [a, b, y]: number[][] = [[], [], []]
  for (let c = 0; c < clusters; c++) {
    const favoured = Math.floor(random() * 5)
    const strengths = STRENGTHS.map((one, i) => one + (size > 1 && i === favoured ? 0.4 : 0))
    for (let i = 0; i < size; i++) {
      const first = Math.floor(random() * 5)
      const second = (first + 1 + Math.floor(random() * 4)) % 5
      a!.push(first)
      b!.push(second)
      y!.push(random() < 0.1 ? 0.5 : Number(random() < sigmoid(strengths[first]! - strengths[second]!)))
    }
  }
  const games = { models: 5, a: a!, b: b!, n: a!.map(() => 1), wins: y! }
  if (components(games).strong.length > 1) return undefined
  const fit = fitBradleyTerry(games)
  if (!fit) return undefined
  const scores = Array.from({ length: clusters }, (_, c) => {
    const gains = new Map<number, number>()
    for (let i = c * size; i < (c + 1) * size; i++) {
      const more = y![i]! - sigmoid(fit.ratings[a![i]!]! - fit.ratings[b![i]!]!)
      gains.set(a![i]!, (gains.get(a![i]!) ?? 0) + more)
      gains.set(b![i]!, (gains.get(b![i]!) ?? 0) - more)
    }
    return { games: size, score: [...gains] }
  })
  const { covariance, freedom } = clusteredCovariance(fit.factor, 5, scores)
  const interval = clusteredInterval({ mean: fit.ratings[0]!, se: Math.sqrt(covariance[0]!), freedom }, 0.95)
  return holds(interval, (size > 1 ? CLUSTERED_TARGET : TARGET)[0]!)
}

/** Ratings of the expected scores, by a fit to them: ties pull ratings together. @param favour what a cluster adds to one model, each in turn */
function targetOf(favour: number): Float64Array {
  const pairs = STRENGTHS.flatMap((_, i) => STRENGTHS.map((_, j) => [i, j] as const)).filter(
    ([i, j]) => i < j,
  )
  const expected = ([i, j]: readonly [number, number]) =>
    meanOf(
      STRENGTHS.map((_, k) =>
        sigmoid(STRENGTHS[i]! - STRENGTHS[j]! + favour * (Number(k === i) - Number(k === j))),
      ),
    )
  return fitBradleyTerry({
    models: 5,
    a: pairs.map(([i]) => i),
    b: pairs.map(([, j]) => j),
    n: pairs.map(() => 1),
    wins: pairs.map((pair) => 0.05 + 0.9 * expected(pair)),
  })!.ratings
}

const [TARGET, CLUSTERED_TARGET] = [targetOf(0), targetOf(0.4)]

/** n labels and 600 items without, of which people would say yes of 70 %, and what the judge makes of people's answer. */
const YES = 0.7
const few = (judge: (truth: number) => number, size: number) => (n: number) => {
  const [y, f, u, clusters]: [number[], number[], number[], string[]] = [[], [], [], []]
  const draw = (count: number, add: (truth: number, judged: number) => void) => {
    let common = 0
    for (let i = 0; i < count; i++) {
      if (i % size === 0) common = Number(random() < YES)
      const truth = size > 1 && random() < Math.sqrt(0.2) ? common : Number(random() < YES)
      add(truth, judge(truth))
      clusters.push(`${clusters.length - (i % size)}`)
    }
  }
  draw(n, (truth, judged) => {
    y.push(truth)
    f.push(judged)
  })
  draw(600, (_, judged) => u.push(judged))
  const found = ppiInterval({ y, f, u, ...(size > 1 && { clusters }) }, 0.95, 'shares')
  return holds(found?.ci, YES)
}

/** Two runs of the same items, of which people would say yes of 80 and 70 %, the same of most; n labels of both, 600 items without. */
const [BEFORE, AFTER] = [0.8, 0.7]
const differenceByFew = (ofA: (truth: number) => number, ofB: (truth: number) => number) => (n: number) => {
  const draw = (): [people: number, judge: number] => {
    const common = random()
    const a = Number(common < BEFORE)
    const b = Number((random() < 0.6 ? common : random()) < AFTER)
    return [a - b, ofA(a) - ofB(b)]
  }
  const labelled = Array.from({ length: n }, draw)
  const found = ppiInterval(
    {
      y: labelled.map(([people]) => people),
      f: labelled.map(([, judge]) => judge),
      u: Array.from({ length: 600 }, () => draw()[1]),
    },
    0.95,
    'differences',
  )
  return holds(found?.ci, BEFORE - AFTER)
}

/** n labels of 600 items, taken the more often the less sure the judge is (of a tenth, which it gets wrong half the time). */
const byChance = (n: number) => {
  const items = Array.from({ length: 600 }, () => {
    const unsure = random() < 0.1
    const truth = Number(random() < YES)
    return { truth, judged: random() < (unsure ? 0.5 : 0.05) ? 1 - truth : truth, size: unsure ? 4 : 1 }
  })
  const total = items.reduce((sum, { size }) => sum + size, 0)
  const taken = items.map((one) => ({ ...one, p: Math.min(1, (n * one.size) / total) }))
  const labelled = taken.map(({ p }) => random() < p)
  const [of, rest] = [taken.filter((_, i) => labelled[i]), taken.filter((_, i) => !labelled[i])]
  const found = ppiInterval(
    {
      y: of.map(({ truth }) => truth),
      f: of.map(({ judged }) => judged),
      u: rest.map(({ judged }) => judged),
      weights: of.map(({ p }) => 1 / p),
    },
    0.95,
    'shares',
  )
  return holds(found?.ci, YES)
}

const lenient = (truth: number) => truth || Number(random() < 0.2)
const harsh = (truth: number) => truth && Number(random() < 0.8)
const symmetric = (truth: number) => (random() < 0.1 ? 1 - truth : truth)

/** Whether the mid-p test of n items finds the smallest difference that it should find in four of five cases, where the runs differed on a tenth. */
const found = (n: number) => {
  const delta = minimalShareDifference(n, 0.1, { alpha: 0.05, power: 0.8 })!
  const share = Math.max(0.1, delta)
  const [onlyA, onlyB, both] = draw(n, [(share + delta) / 2, (share - delta) / 2, 1 - share])
  return mcnemarMidP({ onlyA: onlyA!, onlyB: onlyB!, both: both!, neither: 0 }) <= 0.05
}

type Figures = Record<string, (n: number) => boolean | undefined>

/** Tables whose heading has this word; all by default. */
const WANTED = process.argv[3] ?? ''

function print(what: string, sizes: readonly number[], unit: string, figures: Figures): void {
  if (!what.includes(WANTED)) return
  process.stdout.write(
    `| ${what} | ${sizes.map((n) => `${n} ${unit}`).join(' | ')} |\n| --- |${' ---: |'.repeat(sizes.length)}\n`,
  )
  for (const [name, figure] of Object.entries(figures)) {
    const cells = sizes.map((n) => {
      const of = Array.from({ length: REPETITIONS }, () => figure(n)).filter((one) => one !== undefined)
      return `${((100 * of.filter(Boolean).length) / of.length).toFixed(1)} %`
    })
    process.stdout.write(`| ${name} | ${cells.join(' | ')} |\n`)
  }
  process.stdout.write('\n')
}

print('interval', [50, 350, 2000], 'items', {
  'accuracy (Wilson)': accuracy,
  'difference (Newcombe)': difference,
  'kappa (standard error)': kappa,
  'Bradley–Terry rating (sandwich)': strength,
  'accuracy by cluster (Wilson, five items each)': byCluster,
})
print('interval', [4, 6, 10, 15], 'clusters', {
  'Bradley–Terry rating (sandwich, t)': strengthByCluster,
})
print('people’s share by few labels (PPI++)', [30, 50, 100], 'labels', {
  'a lenient judge (a fifth of what people reject passes)': few(lenient, 1),
  'a harsh judge (a fifth of what people accept fails)': few(harsh, 1),
  'a judge with a tenth of errors each way': few(symmetric, 1),
  'a lenient judge, in clusters of five': few(lenient, 5),
  'a judge with a tenth of errors each way, in clusters of five': few(symmetric, 5),
  'items taken by chance of the judge’s doubt (Hájek)': byChance,
})
print('difference of two runs by few labels (PPI++)', [30, 50, 100], 'labels', {
  'a lenient judge': differenceByFew(lenient, lenient),
  'a harsh judge': differenceByFew(harsh, harsh),
  'a judge with a tenth of errors each way': differenceByFew(symmetric, symmetric),
  'a judge lenient with one run and harsh with the other': differenceByFew(lenient, harsh),
})
print('share of runs in which `mde` was significant', [6, 20, 50, 350], 'items', {
  'McNemar’s mid-p test': found,
})
