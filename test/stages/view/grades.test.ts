/** Figures of grades: scores against labels, and how often a stated confidence is right. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, madeOf } from './_page.ts'

const graded = (i: number, label: number, score: number) => ({
  id: `g${i}`,
  answer: 'x',
  label,
  jb: {
    judge: 'rating',
    item: `g${i}`,
    trial: { n: 0, of: 1 },
    reply: { text: `[[${score}]]`, model: 'm' },
    verdict: { label: `${score}`, score, confidence: i < 6 ? 0.5 : 0.9 },
  },
})

test('whole scores have a confusion matrix in the order of numbers, and calibration', async () => {
  const rows = Array.from({ length: 12 }, (_, i) =>
    graded(i, i % 2 === 0 ? 2 : 10, i < 6 ? 2 : i % 2 === 0 ? 2 : 10),
  )
  const { confusion, calibration, scatter } = (await dataOf(await madeOf(rows, { label: 'label' }))).overview
    .runs[0]!
  assert.deepEqual(confusion, {
    scores: true,
    labels: ['2', '10'],
    judged: ['2', '10'],
    counts: [
      [6, 0],
      [3, 3],
    ],
  })
  assert.deepEqual(
    calibration!.map(({ x, value, n }) => [Number(x.toFixed(6)), value, n]),
    [
      [0.5, 0.5, 6],
      [0.9, 1, 6],
    ],
  )
  assert.equal(scatter!.length, 3)
  const half = await dataOf(await madeOf([...rows, graded(12, 2, 2.5)], { label: 'label' }))
  assert.equal(half.overview.runs[0]!.confusion, undefined)
})
