/**
 * How often intervals of 95 % hold the truth, by simulation: prints the table of docs/compare.md. By hand, some
 * minutes: `make coverage`.
 */
import { cohenKappa } from '../src/statistics/agreement.ts'
import { percentileInterval } from '../src/statistics/bootstrap.ts'
import { clusteredCovariance, components, fitBradleyTerry } from '../src/statistics/bradley_terry.ts'
import { clusteredMean, clusteredShareInterval, clusterSums } from '../src/statistics/clusters.ts'
import { normalQuantile, wilson } from '../src/statistics/interval.ts'
import { sigmoid } from '../src/statistics/matrix.ts'
import { newcombe } from '../src/statistics/mcnemar.ts'

const REPETITIONS = Number(process.argv[2] ?? 2000)
const SIZES = [50, 350, 2000]

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

/** A Poisson number: n clusters' weights of mean 1 add up to one of mean n. */
function poisson(mean: number): number {
  if (mean > 60) {
    const z = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * z))
  }
  const limit = Math.exp(-mean)
  let [k, product] = [0, random()]
  while (product > limit) {
    k++
    product *= random()
  }
  return k
}

type Interval = [number, number] | null

const holds = (interval: Interval, truth: number) =>
  interval !== null && interval[0] <= truth && truth <= interval[1]

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
  const drawn = Array.from({ length: 400 }, () => cohenKappa(X!, Y!, 'none', { counts: counts.map(poisson) }))
  const truth = cohenKappa(X!, Y!, 'none', { counts: JOINT })!
  return holds(
    percentileInterval(
      drawn.filter((one) => one !== null),
      0.95,
    ),
    truth,
  )
}

/** Five models; the rating of one, by the sandwich. Undefined where this sample has no solution. */
const STRENGTHS = [0.6, 0.3, 0, -0.3, -0.6]
function strength(n: number): boolean | undefined {
  const [a, b, y]: number[][] = [[], [], []]
  for (let i = 0; i < n; i++) {
    const first = Math.floor(random() * 5)
    const second = (first + 1 + Math.floor(random() * 4)) % 5
    a!.push(first)
    b!.push(second)
    y!.push(random() < 0.1 ? 0.5 : Number(random() < sigmoid(STRENGTHS[first]! - STRENGTHS[second]!)))
  }
  // Ties pull ratings together: what is estimated is where the expected score is met.
  const games = { models: 5, a: a!, b: b!, n: a!.map(() => 1), wins: y! }
  if (components(games).strong.length > 1) return undefined
  const fit = fitBradleyTerry(games)
  if (!fit) return undefined
  const covariance = clusteredCovariance(
    fit.factor,
    5,
    a!.map((first, i) => {
      const more = y![i]! - sigmoid(fit.ratings[first]! - fit.ratings[b![i]!]!)
      return [
        [first, more],
        [b![i]!, -more],
      ] as const
    }),
  )
  const reach = normalQuantile(0.975) * Math.sqrt(covariance[0]!)
  return holds([fit.ratings[0]! - reach, fit.ratings[0]! + reach], TARGET[0]!)
}

/** Ratings of the expected scores, by a fit to them. */
const TARGET = (() => {
  const pairs = STRENGTHS.flatMap((_, i) => STRENGTHS.map((_, j) => [i, j] as const)).filter(
    ([i, j]) => i < j,
  )
  return fitBradleyTerry({
    models: 5,
    a: pairs.map(([i]) => i),
    b: pairs.map(([, j]) => j),
    n: pairs.map(() => 1),
    wins: pairs.map(([i, j]) => 0.05 + 0.9 * sigmoid(STRENGTHS[i]! - STRENGTHS[j]!)),
  })!.ratings
})()

const FIGURES: Record<string, (n: number) => boolean | undefined> = {
  'accuracy (Wilson)': accuracy,
  'difference (Newcombe)': difference,
  'kappa (bootstrap)': kappa,
  'Bradley–Terry rating (sandwich)': strength,
  'accuracy by cluster (Wilson, five items each)': byCluster,
}

process.stdout.write(
  `| interval | ${SIZES.map((n) => `n = ${n}`).join(' | ')} |\n| --- |${' ---: |'.repeat(SIZES.length)}\n`,
)
for (const [name, figure] of Object.entries(FIGURES)) {
  const cells = SIZES.map((n) => {
    const found = Array.from({ length: REPETITIONS }, () => figure(n)).filter((one) => one !== undefined)
    return `${((100 * found.filter(Boolean).length) / found.length).toFixed(1)} %`
  })
  process.stdout.write(`| ${name} | ${cells.join(' | ')} |\n`)
}
