/** Figures of grades: scores against labels, and how often a stated confidence is right. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wordsInOrder } from '../../../src/stages/view/figures.ts'
import { inOrder } from '../../../src/stages/view/in_order.ts'
import { areOfOneScale } from '../../../src/stages/view/model.ts'
import { figureName } from '../../../src/stages/view/page/words_for.ts'
import { ndjson } from '../../helpers/rows.ts'
import { jb } from '../../helpers/run.ts'
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
  assert.equal(scatter!.points.length, 3)
  const half = await dataOf(await madeOf([...rows, graded(12, 2, 2.5)], { label: 'label' }))
  assert.equal(half.overview.runs[0]!.confusion, undefined)
})

test('options stand in the order of their worth, decisions from A to B', async () => {
  const chosen = (i: number, label: string, option: string, score: number) => ({
    id: `c${i}`,
    response: 'x',
    label,
    jb: { judge: 'j', item: `c${i}`, result: { kind: 'choice', option, score, model: 'm' } },
  })
  const options = await dataOf(
    await madeOf(
      [chosen(0, 'Good', 'Good', 1), chosen(1, 'Fair', 'Excellent', 2), chosen(2, 'Poor', 'Fair', 0)],
      { label: 'label' },
    ),
  )
  assert.deepEqual(options.overview.words, ['Excellent', 'Good', 'Fair', 'Poor'])
  assert.deepEqual(options.overview.runs[0]!.confusion?.labels, ['Good', 'Fair', 'Poor'])
  assert.deepEqual(wordsInOrder([], ['B>A', 'A=B', 'A>B']), ['A>B', 'A=B', 'B>A'])
  assert.deepEqual(wordsInOrder([], ['10', '9', 'x']), ['9', '10', 'x'])
})

test('verdicts are in the order of their scale, also those that the display order lacks', () => {
  assert.deepEqual(inOrder(['1', '2', '3', '4', '5'], ['0', '5']), ['1', '2', '3', '4', '5'])
  assert.deepEqual(inOrder(['10', '2', '-1', '-2'], ['2']), ['-2', '-1', '2', '10'])
  assert.deepEqual(inOrder(['3', 'FAIL', 'PASS', '2'], ['PASS', 'FAIL']), ['PASS', 'FAIL', '2', '3'])
  assert.deepEqual(inOrder(['1', '2'], ['2', '1']), ['2', '1'])
})

test('people’s and the judge’s scores have a line where they are equal only if they can be of one scale', async () => {
  const oneScale = async (labels: number[], range?: [number, number]) => {
    const rows = labels.map((label, i) => {
      const row = graded(i, label, 1 + (i % 5))
      return range ? { ...row, jb: { ...row.jb, verdict: { ...row.jb.verdict, range } } } : row
    })
    const { overview } = await dataOf(await madeOf(rows, { label: 'label' }))
    return overview.runs[0]!.scatter!.oneScale
  }
  assert.equal(await oneScale([1, 2, 5, 4, 3], [1, 5]), true)
  assert.equal(await oneScale([0, 1, 0, 1, 1], [1, 5]), false)
  assert.equal(await oneScale([0, 1, 0, 1, 1], [0, 5]), false)
  assert.equal(await oneScale([1, 2, 5, 4, 3]), true)
  assert.equal(await oneScale([0, 1, 0, 1, 1]), false)
})

test('a mean says of what scale, in the page and in the table of jb-aggregate', async () => {
  const of = (model: string, range: [number, number] | undefined) =>
    [2, 5].map((score, i) => {
      const { jb, ...item } = graded(i, 1, score)
      return { ...item, jb: { ...jb, reply: { ...jb.reply, model }, verdict: { score, range } } }
    })
  const named = async (rows: object[]) => {
    const { overview } = await dataOf(await madeOf(rows))
    return overview.runs.map(({ estimate }) => figureName(estimate!))
  }
  const table = async (rows: object[]) =>
    (await jb('aggregate', ['-q', '--format', 'table'], { stdin: ndjson(rows) })).stdout
  const [five, ten, unknown] = [of('m1', [1, 5]), of('m2', [0, 10]), of('m3', undefined)]
  assert.deepEqual(await named([...five, ...ten, ...unknown]), [
    'mean score of 1 to 5',
    'mean score of 0 to 10',
    'mean score',
  ])
  assert.match(await table(five), /items {2}score \(1 to 5\) /)
  assert.match(await table(unknown), /items {2}score /)
  const passed = ['PASS', 'FAIL'].map((option, i) => {
    const { jb, label, ...item } = graded(i, 1, 0)
    return {
      ...item,
      jb: { ...jb, judge: 'pass_fail', verdict: { label: option, option, score: label - i } },
    }
  })
  assert.deepEqual(await named(passed), ['mean score of 0 to 1'])
  assert.match(await table(passed), /items {2}score \(0 to 1\) /)
  const mixed = await table([...five, ...ten])
  assert.match(mixed, /3\.500 \(1 to 5\)(.*\n)+?.*3\.500 \(0 to 10\)/)
})

test('runs whose scores are of different scales have no difference, and share no axis', async () => {
  const of = (model: string, range: [number, number]) =>
    [2, 5, 3].map((score, i) => {
      const { jb, ...item } = graded(i, 1, score)
      return { ...item, jb: { ...jb, reply: { ...jb.reply, model }, verdict: { score, range } } }
    })
  const { overview } = await dataOf(
    await madeOf([...of('m1', [1, 5]), ...of('m2', [1, 10]), ...of('m3', [1, 5])]),
  )
  const [unlike, like] = overview.differences
  assert.deepEqual(unlike, { a: 0, b: 1 })
  assert.deepEqual(
    { ...like, ci: undefined },
    { a: 0, b: 2, value: 0, ci: undefined, n: 3, same: { n: 3, of: 3 } },
  )
  const [one, ten, other] = overview.runs.map(({ estimate }) => estimate)
  assert.equal(areOfOneScale([one, ten]), false)
  assert.equal(areOfOneScale([one, undefined, other]), true)
  assert.equal(areOfOneScale([one, { what: 'accuracy', value: 0.5, ci: null, n: 3 }]), false)
})
