/** Confidences against what happened: figures and p values of a program in Python (scripts/oracles/calibration.py). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  calibration,
  calibrationSays,
  calibrationTest,
  confidenceScale,
} from '../../src/statistics/calibration.ts'
import { wilson } from '../../src/statistics/interval.ts'

const { cases } = JSON.parse(
  readFileSync(new URL('../../fixtures/statistics/calibration.json', import.meta.url), 'utf8'),
)

const near = (actual: number, expected: number, by: number, what: string) =>
  assert.ok(Math.abs(actual - expected) <= by, `${what}: ${actual}, expected ${expected}`)

for (const { name, p, y, ...expected } of cases)
  test(`calibration: ${name}`, () => {
    const found = calibration(p, y)!
    near(found.eceByChance, expected.ece_by_chance, 1e-12, 'ECE by chance')
    near(found.eceEqualMass, expected.ece_equal_mass, 1e-12, 'ECE of equal bins')
    const [low, high] = wilson(y.filter(Boolean).length, y.length, 0.95)!
    const mean = p.reduce((sum: number, one: number) => sum + one, 0) / p.length
    near(mean - high, expected.overconfidence_ci[0], 1e-12, 'low')
    near(mean - low, expected.overconfidence_ci[1], 1e-12, 'high')
    // 1,999 draws: four standard errors, and their step.
    const error = expected.simulated
      ? 4 * Math.sqrt((expected.test * (1 - expected.test)) / 1999) + 5e-4
      : 1e-9
    near(calibrationTest(p, y, '1'), expected.test, error, 'p')
    const turned = [...p.keys()].reverse()
    assert.equal(
      calibrationTest(
        turned.map((i) => p[i]),
        turned.map((i) => y[i]),
        '1',
      ),
      calibrationTest(p, y, '1'),
    )
  })

test('equal confidences stay in one bin, whatever the order of the items', () => {
  const p = Array<number>(200).fill(0.8)
  const y = p.map((_, i) => Number(i < 160))
  for (const of of [y, y.toReversed()]) near(calibration(p, of)!.eceEqualMass, 0, 1e-12, 'ECE')
  near(
    calibration(
      Array(15).fill(0.9),
      p.slice(0, 15).map((_, i) => Number(i < 12)),
    )!.eceEqualMass,
    0.1,
    1e-12,
    '15',
  )
})

test('probabilities of 0 and 1 alone: one wrong item is enough', () => {
  assert.equal(calibrationTest([1, 1, 0], [1, 1, 0], '1'), 1)
  assert.equal(calibrationTest([1, 1, 0], [1, 0, 0], '1'), 0.0005)
})

test('confidences are probabilities, percent, or neither', () => {
  assert.equal(confidenceScale([0.9, 0.8, 1]), 'probability')
  assert.equal(confidenceScale([90, 85, 100, 1]), 'percent')
  assert.equal(confidenceScale([7, 8, 9, 10]), undefined)
  assert.equal(confidenceScale([0.8, 0.9, 95]), 'probability')
})

test('what confidences are by p and by the interval', () => {
  assert.equal(calibrationSays(0.05, [0.1, 0.2]), 'fits')
  assert.equal(calibrationSays(0.01, [0.1, 0.2]), 'too sure')
  assert.equal(calibrationSays(0.01, [-0.2, -0.1]), 'not sure enough')
  assert.equal(calibrationSays(0.01, [-0.1, 0.1]), 'off')
  assert.equal(calibrationSays(null, [-0.1, 0.1]), 'fits')
  assert.equal(calibrationSays(null, [0.01, 0.1]), 'too sure')
})

test('bins of equal size: seven values in three bins are 3, 2 and 2, as by numpy.array_split', () => {
  const found = calibration([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], [0, 1, 0, 1, 1, 0, 1], 3)!
  // |0.6 − 1| + |0.9 − 2| + |1.3 − 1|
  near(found.eceEqualMass, 1.8 / 7, 1e-12, 'ECE of equal bins')
})
