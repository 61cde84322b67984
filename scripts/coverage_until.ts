/**
 * How often --until decided decides otherwise than all items do, and how often its interval holds their mean, over random
 * orders of items whose mean lies at the gate: prints a table. By hand, some minutes: `make coverage`.
 */
import { type Conclusion, type Hypotheses, Sequence, type Weighted } from '../src/statistics/evidence.ts'

const ORDERS = Number(process.argv[2] ?? 4000)
/** Of each case, the interval is looked at in so many orders: bisection takes long. */
const INTERVALS = ORDERS / 10

let state = 20_260_401
function random(): number {
  state = (state + 0x6d2b79f5) | 0
  let x = Math.imul(state ^ (state >>> 15), 1 | state)
  x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x
  return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32
}

function shuffle<T>(values: T[]): void {
  for (let i = values.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[values[i], values[j]] = [values[j]!, values[i]!]
  }
}

const repeated = (...parts: [value: number, times: number][]): Weighted[] =>
  parts.flatMap(([value, times]) => Array.from({ length: times }, (): Weighted => [value, 1]))

/** All units, what is asked, and which decisions are wrong. */
interface Case {
  units: Weighted[]
  hypotheses: Hypotheses
  wrong: Conclusion[]
}

const gate = (units: Weighted[], at: number, wrong: Conclusion): Case => ({
  units,
  hypotheses: { gate: at },
  wrong: [wrong],
})
/** Of differences a − b. */
const margin = (units: Weighted[], at: number, ...wrong: Conclusion[]): Case => ({
  units: units.map(([d, weight]) => [(d + 1) / 2, weight]),
  hypotheses: { margin: [(1 - at) / 2, (1 + at) / 2] },
  wrong,
})

const failing = (units: Weighted[], share: (x: number) => number): Weighted[] =>
  units.map(([x, weight], i) => [x, (i * 0.618) % 1 < share(x) ? 0 : weight])

const CASES: Record<string, Case> = {}
for (const n of [50, 100, 350, 500]) {
  CASES[`binary, ${n}, one below the gate`] = gate(repeated([1, n / 2 - 1], [0, n / 2 + 1]), 0.5, 'pass')
  CASES[`binary, ${n}, at the gate`] = gate(repeated([1, n / 2], [0, n / 2]), 0.5, 'fail')
}
Object.assign(CASES, {
  'ties, 200, one below': gate(repeated([1, 69], [0.5, 61], [0, 70]), 0.5, 'pass'),
  'grades, 200, below 0.75': gate(repeated([1, 95], [0.75, 40], [0.5, 30], [0.25, 35]), 0.75, 'pass'),
  'skewed, 200, 179 of them right, gate 0.9': gate(repeated([1, 179], [0, 21]), 0.9, 'pass'),
  'skewed, 200, 20 of them right, gate 0.1': gate(repeated([1, 20], [0, 180]), 0.1, 'fail'),
  'wrong items fail more often, 300': gate(
    failing(repeated([1, 140], [0, 160]), (x) => (x === 1 ? 0.05 : 0.2)),
    0.507,
    'pass',
  ),
  'clusters, 100 of up to 5': gate(
    Array.from({ length: 100 }, (_, i): Weighted => [i % 2 === 0 ? 0.9 : 0.09, ((i % 5) + 1) / 5]),
    0.5,
    'pass',
  ),
  'differences, 400, level': margin(repeated([1, 40], [0, 320], [-1, 40]), 0, 'above', 'below'),
  'differences, 400, just level within 0.05': margin(
    repeated([1, 58], [0, 303], [-1, 39]),
    0.05,
    'above',
    'below',
  ),
  'differences, 400, at 0.05': margin(repeated([1, 59], [0, 302], [-1, 39]), 0.05, 'between', 'below'),
} satisfies Record<string, Case>)

/** Over all units, as a decision at the last one is made. */
function mean(units: readonly Weighted[]): number {
  const weight = units.reduce((sum, [, weight]) => sum + weight, 0)
  return units.reduce((sum, [x, weight]) => sum + x * weight, 0) / weight
}

process.stdout.write(
  '| items | mean | wrong decisions | intervals that hold the mean |\n| --- | ---: | ---: | ---: |\n',
)
let worst = 0
for (const [name, { units, hypotheses, wrong }] of Object.entries(CASES)) {
  const truth = mean(units)
  let [errors, held] = [0, 0]
  for (let order = 0; order < ORDERS; order++) {
    shuffle(units)
    const sequence = new Sequence(hypotheses, { of: units.length, ci: 0.95 })
    for (const unit of units) if (sequence.add(unit) !== 'undecided') break
    if (wrong.includes(sequence.decision)) errors++
    if (order >= INTERVALS) continue
    const [low, high] = sequence.interval()
    if (low - 1e-9 <= truth && truth <= high + 1e-9) held++
  }
  worst = Math.max(worst, errors / ORDERS)
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`
  process.stdout.write(
    `| ${name} | ${truth.toFixed(4)} | ${percent(errors / ORDERS)} | ${percent(held / INTERVALS)} |\n`,
  )
}
const limit = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / ORDERS)
if (worst > limit)
  throw new Error(
    `${(100 * worst).toFixed(2)} % of decisions are wrong, more than ${(100 * limit).toFixed(2)} %`,
  )
