import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { adjustedRandIndex, agreementByTopic } from '../../src/trec/agreement.ts'
import { blandAltman, CORRELATIONS, tauApB, tauGap, tenDecimals, topOf } from '../../src/trec/correlation.ts'
import type { Qrel } from '../../src/trec/qrels.ts'

const VECTORS = 'fixtures/vectors/autojudge.json'

const near = (actual: number | null, expected: number | null, what: string) =>
  assert.ok(
    actual === expected || Math.abs((actual ?? NaN) - (expected ?? NaN)) < 1e-10,
    `${what}: ${actual} is not ${expected}`,
  )

describe('correlations of rankings', () => {
  it('are the reference’s to ten decimals', () => {
    for (const { truth, judge, ...expected } of JSON.parse(readFileSync(VECTORS, 'utf8')).correlation) {
      if (String(expected.kendall).startsWith('ERR')) continue // fewer than three runs: refused before
      // tau_gap is the later one of evaluate.test.ts.
      for (const [name, value] of Object.entries(expected).filter(([name]) => name !== 'tau_gap'))
        near(CORRELATIONS[name]!(truth, judge), value as number, `${name} of ${truth} and ${judge}`)
    }
  })
  it('a swap at the top costs more than one at the bottom, but not for Kendall', () => {
    const truth = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    const top = [9, 10, 8, 7, 6, 5, 4, 3, 2, 1]
    const bottom = [10, 9, 8, 7, 6, 5, 4, 3, 1, 2]
    near(tauApB(truth, top), 7 / 9, 'top')
    near(tauApB(truth, bottom), 0.9753086419753085, 'bottom')
    near(CORRELATIONS.kendall!(truth, top), CORRELATIONS.kendall!(truth, bottom), 'kendall')
    assert.ok(tauGap(truth, top)! < tauGap(truth, bottom)!)
  })
  it('of runs that tie in the judge, tau_gap takes the first before the others, as autojudge-evaluate 1.1.0 does', () => {
    assert.equal(tauGap([4, 3, 2, 1], [1, 1, 1, 1]), 1)
    assert.equal(tauGap([1, 2, 3, 4], [1, 1, 1, 1]), -1)
    near(tauGap([4, 3, 2, 1], [2, 2, 1, 3]), -0.2777777778, 'ties of two')
  })
  it('the top k are by value, equal ones as they come', () => {
    assert.deepEqual(topOf([1, 3, 3, 2], 2), [1, 2])
    assert.deepEqual(topOf([5, 5, 5], 2), [0, 1])
  })
  it('NaN is where Python sorts it, whatever the engine', () => {
    // sorted() of CPython 3.11 by (value, place), largest first.
    assert.deepEqual(topOf([4, NaN, 1, NaN, 3, 2, 6, NaN, 0], 9), [0, 1, 3, 6, 4, 5, 2, 7, 8])
  })
  it('ten decimals, ties to an even one as in Python', () => {
    assert.deepEqual([1 / 2048, -3 / 2048, Number.NaN].map(tenDecimals), [0.0004882812, -0.0014648438, null])
  })
  it('limits of agreement', () => {
    assert.deepEqual(blandAltman([1, 3]), {
      bias: 2,
      low: 2 - 1.96 * Math.SQRT2,
      high: 2 + 1.96 * Math.SQRT2,
    })
    assert.equal(blandAltman([1]), null)
  })
})

const qrels = (topic: string, grades: Record<string, number>): Qrel[] =>
  Object.entries(grades).map(([doc, grade]) => ({ topic, doc, grade }))

const SETTINGS = {
  truthMin: 1,
  judgeMin: 1,
  truthMax: 1,
  judgeMax: 1,
  defaultGrade: 0,
  sharedTopics: false,
}

describe('agreement of qrels', () => {
  const truth = qrels('t', { d1: 3, d2: 0, d3: 1, d4: 2, d5: 1 })
  const judge = qrels('t', { d1: 2, d2: 1, d3: 1 })
  it('the worked example', () => {
    const [row, mean] = agreementByTopic(truth, judge, { ...SETTINGS, truthMax: 3, judgeMax: 3 })
    const kappas = Object.entries(row!.values).filter(([name]) => name.startsWith('Kappa@'))
    assert.equal(kappas.length, 9)
    assert.deepEqual(row!.values, {
      ...Object.fromEntries(kappas),
      Precision: 0.6667,
      Recall: 0.5,
      F1: 0.5714,
      TP: 2,
      FP: 1,
      FN: 2,
      Jaccard: 0.4,
      'Kappa@1v1': -0.3636,
      Kappa_w: 0.0741,
      Kripp_a: row!.values.Kripp_a,
      ARI: -0.1538,
    })
    assert.equal(mean!.topic, 'MEAN')
    assert.ok(!('TP' in mean!.values))
  })
  it('a mean is rounded as NumPy rounds, and the order of figures is the same where the scales differ', () => {
    const judged = [...qrels('t', { x: 1, y: 1, z: 1 }), ...qrels('u', { q: 1 })]
    const rows = agreementByTopic([...qrels('t', { x: 1, y: 1 }), ...qrels('u', { p: 1 })], judged, SETTINGS)
    // (0.6667 + 0) / 2, which Python rounds to 0.3333.
    assert.equal(rows.at(-1)!.values.Precision, 0.3334)
    const [other] = agreementByTopic(truth, judged, { ...SETTINGS, judgeMax: SETTINGS.truthMax + 1 })
    assert.deepEqual(Object.keys(other!.values).slice(-3), ['Kappa_w', 'Kripp_a', 'ARI'])
  })
  it('two thresholds stand in kappa’s name; a topic of one side counts', () => {
    const rows = agreementByTopic(truth, qrels('u', { d1: 1 }), {
      ...SETTINGS,
      truthMin: 2,
      truthMax: 2,
    })
    assert.deepEqual(
      rows.map(({ topic }) => topic),
      ['t', 'u', 'MEAN'],
    )
    assert.ok('Kappa@2v1' in rows[0]!.values)
    assert.equal(rows[0]!.values.Recall, 0)
  })
  it('no relevant document on one side: no precision, recall and F1, which is told', () => {
    const settings = { ...SETTINGS, sharedTopics: true }
    const [row] = agreementByTopic(qrels('t', { d1: 1 }), qrels('t', { d1: 0 }), settings)
    assert.deepEqual([row!.values.Precision, row!.values.Recall], [null, null])
    assert.match(row!.why.Precision!, /only one side has a relevant document/)
  })
  it('the index is of relevant and not, by the thresholds', () => {
    const of = (...grades: number[]) => qrels('t', Object.fromEntries(grades.map((one, i) => [`d${i}`, one])))
    const settings = { ...SETTINGS, truthMax: 2, judgeMax: 2 }
    const [row] = agreementByTopic(of(2, 1, 0, 2), of(2, 1, 1, 0), settings)
    assert.equal(row!.values.ARI, -0.3333)
  })
  it('the index of the same partition under other names is 1', () => {
    assert.equal(adjustedRandIndex([0, 0, 1, 1], [5, 5, 2, 2]), 1)
    assert.equal(adjustedRandIndex([0, 0, 0], [1, 1, 1]), 1)
    assert.equal(adjustedRandIndex([0], [1]), 1)
    assert.equal(adjustedRandIndex([], []), null)
  })
})
