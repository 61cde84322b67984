/** Statistics against values SciPy, scikit-learn and krippendorff gave: `make oracles` records them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  accuracy,
  cohenKappa,
  krippendorffAlpha,
  type Label,
  macroF1,
  positionalBiasRate,
} from '../../src/statistics/agreement.ts'
import { kendall, pearson, ranks, spearman } from '../../src/statistics/correlation.ts'
import { normalQuantile } from '../../src/statistics/interval.ts'

const reference = JSON.parse(
  readFileSync(new URL('../../fixtures/statistics/reference.json', import.meta.url), 'utf8'),
)

/** Equal to 12 digits, null to null. */
function near(actual: number | null, expected: number | null, what: string): void {
  if (actual === null || expected === null) assert.equal(actual, expected, what)
  else assert.ok(Math.abs(actual - expected) < 1e-12, `${what}: ${actual}, expected ${expected}`)
}

/** Distinct pairs with how often each stands: what the functions also take. */
function folded<T>(...lists: T[][]): { lists: T[][]; counts: number[] } {
  const seen = new Map<string, { row: T[]; n: number }>()
  for (const i of lists[0]!.keys()) {
    const row = lists.map((list) => list[i]!)
    const one = seen.get(JSON.stringify(row)) ?? { row, n: 0 }
    one.n++
    seen.set(JSON.stringify(row), one)
  }
  const rows = [...seen.values()]
  return { lists: lists.map((_, at) => rows.map(({ row }) => row[at]!)), counts: rows.map(({ n }) => n) }
}

for (const { case: name, x, y, ...expected } of reference.correlation) {
  test(`correlation: ${name}`, () => {
    const {
      lists: [u, v],
      counts,
    } = folded<number>(x, y)
    for (const [what, measure] of Object.entries({ pearson, spearman, kendall })) {
      near(measure(x, y), expected[what], what)
      near(measure(u!, v!, counts), expected[what], `${what}, counted`)
    }
  })
}

for (const { case: name, truth, judged, ...expected } of reference.agreement) {
  test(`agreement: ${name}`, () => {
    const {
      lists: [t, j],
      counts,
    } = folded<Label>(truth, judged)
    near(accuracy(truth, judged), expected.accuracy, 'accuracy')
    near(accuracy(t!, j!, counts), expected.accuracy, 'accuracy, counted')
    near(macroF1(truth, judged), expected.macro_f1, 'macro F1')
    near(macroF1(t!, j!, counts), expected.macro_f1, 'macro F1, counted')
    for (const [key, weights] of [
      ['kappa', 'none'],
      ['linear', 'linear'],
      ['quadratic', 'quadratic'],
    ] as const) {
      near(cohenKappa(truth, judged, weights), expected[key], key)
      near(cohenKappa(t!, j!, weights, { counts }), expected[key], `${key}, counted`)
    }
  })
}

for (const { case: name, units, ...expected } of reference.alpha) {
  for (const level of ['nominal', 'ordinal', 'interval'] as const) {
    test(`alpha: ${name}, ${level}`, () => {
      near(krippendorffAlpha(units, level), expected[level], level)
      const {
        lists: [distinct],
        counts,
      } = folded<(Label | null)[]>(units)
      near(krippendorffAlpha(distinct!, level, { counts }), expected[level], `${level}, counted`)
    })
  }
}

test('kappa and alpha of 20,000 items whose 40,000 labels are all different', () => {
  const n = 20_000
  // A label's place among all is the label itself, so that sums have closed forms.
  const truth = Array.from({ length: n }, (_, i) => 2 * i)
  const said = truth.map((_, i) => 2 * ((i * 7919 + 3) % n) + 1)
  const units = truth.map((one, i) => [one, said[i]!])
  const sum = (values: readonly number[], power: number) => values.reduce((of, one) => of + one ** power, 0)
  const apart = sum(
    units.map(([one, other]) => one! - other!),
    2,
  )
  near(cohenKappa(truth, said), 0, 'kappa')
  const crossed = n * (sum(truth, 2) + sum(said, 2)) - 2 * sum(truth, 1) * sum(said, 1)
  near(cohenKappa(truth, said, 'quadratic'), 1 - (n * apart) / crossed, 'quadratic kappa')
  near(krippendorffAlpha(units), 0, 'alpha')
  const drawn = 2 * (2 * n * sum(units.flat(), 2) - sum(units.flat(), 1) ** 2)
  near(krippendorffAlpha(units, 'interval'), 1 - ((2 * n - 1) * 2 * apart) / drawn, 'alpha of numbers')
})

test('nothing to measure is null, never 0', () => {
  for (const measure of [pearson, spearman, kendall]) assert.equal(measure([], []), null)
  assert.equal(accuracy([], []), null)
  assert.equal(macroF1([], []), null)
  assert.equal(cohenKappa([], []), null)
  assert.equal(krippendorffAlpha([]), null)
  assert.equal(krippendorffAlpha([[1], [null, 2]]), null)
  assert.equal(positionalBiasRate(0, 0), null)
  assert.equal(positionalBiasRate(1, 4), 0.25)
})

test('equal values share the mean of their ranks', () => {
  assert.deepEqual(ranks([10, 20, 10, 5]), [2.5, 4, 2.5, 1])
  assert.deepEqual(ranks([10, 20], [3, 1]), [2, 4])
})

test('quantiles of the normal distribution, as scipy.stats.norm.ppf has them', () => {
  near(normalQuantile(0.975), 1.959963984540054, '0.975')
  near(normalQuantile(0.999), 3.090232306167813, '0.999')
  near(normalQuantile(0.4), -0.2533471031357997, '0.4')
  assert.deepEqual([0, 0.5, 1].map(normalQuantile), [Number.NEGATIVE_INFINITY, 0, Number.POSITIVE_INFINITY])
})
