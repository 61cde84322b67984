/** What a judge is good for: whatever rules it out has its own sentence. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Measured, useOf } from '../../../src/stages/audit/use.ts'
import { labelDifference } from '../../../src/statistics/label_sample.ts'
import { objects } from '../../helpers/stage.ts'
import { card, run } from './_audit.ts'

const GOOD: Measured = {
  items: 300,
  all: 300,
  failed: 0,
  people: { label: 1, items: 200 },
  judge: { label: 1, items: 210 },
  kappa: 0.8,
  interval: [0.72, 0.87],
  unlike: false,
  corrected: false,
  replaces: false,
  slot: false,
}

test('as the measure only where nothing speaks against it', () => {
  const cases: [of: Partial<Measured>, use: RegExp][] = [
    [{}, /^as the measure$/],
    [{ slot: true }, /^as the measure, with both orders/],
    [{ failed: 30 }, /^as the measure$/],
    [{ failed: 31 }, /^not as the measure: 31 of 300 items failed/],
    [{ judge: { label: 1, items: 300 } }, /^not at all: its verdict is 1 on all 300 labelled items/],
    [{ people: { label: 1, items: 300 } }, /^unknown: people said 1 of all 300 labelled items/],
    [{ people: { label: 1, items: 291 } }, /^unknown: people said 1 of 291 of 300/],
    [{ items: 29, people: { label: 1, items: 15 } }, /^unknown: 29 labelled items are too few/],
    [{ interval: [-0.1, 0.2], kappa: 0.05 }, /^not at all: it is not better than chance/],
    [{ interval: [-0.1, 0.7], kappa: 0.3 }, /^unknown: 300 labelled items are too few/],
    [{ interval: [-0.6, -0.3], kappa: -0.4 }, /^not at all: .* less often than chance/],
    [{ interval: [0.09, 0.3], kappa: 0.2 }, /^as a filter before people, not as the measure$/],
    [{ interval: [0.05, 0.2], kappa: 0.1 }, /^not alone: it is better than chance/],
    [{ interval: null }, /^unknown: there is no interval/],
    [{ unlike: true }, /^unknown: the labelled items are not like the others$/],
    [{ replaces: true }, /^as one annotator among people$/],
    [{ replaces: true, failed: 200 }, /^not as the measure/],
  ]
  for (const [of, use] of cases) assert.match(useOf({ ...GOOD, ...of }), use, JSON.stringify(of))
})

/** Verdicts of items by their number, with people's labels. */
const rows = (n: number, human: (i: number) => unknown, said: (i: number) => unknown) =>
  Array.from({ length: n }, (_, i) => ({
    id: `i${String(i).padStart(3, '0')}`,
    human: human(i),
    said: said(i),
  }))

const ARGS = ['--truth', 'human', '--value', 'said']

test('a binary judge: sensitivity and specificity come first, then kappa with its interval', async () => {
  // 40 of 50 and 27 of 30, by hand: po 67/80, pe (50·43 + 30·37)/6400.
  const seen = await card(
    ARGS,
    rows(
      80,
      (i) => (i < 50 ? 'yes' : 'no'),
      (i) => (i < 40 || (i >= 50 && i < 53) ? 'yes' : 'no'),
    ),
  )
  assert.match(
    seen.conclusion.agreement,
    /^sensitivity \(TPR\) 80 % \(67 to 89 %, 50 labelled yes\), specificity \(TNR\) 90 % \(74 to 97 %, 30 labelled no\); κ 0\.67 \(0\.51 to 0\.83\), good/,
  )
  const { positive, sensitivity, positives, negative, specificity, negatives } = seen.agreement
  assert.deepEqual(
    [positive, sensitivity, positives, negative, specificity, negatives],
    ['yes', 0.8, 50, 'no', 0.9, 30],
  )
  assert.equal(Object.keys(seen.agreement)[0], 'positive')
  // AC1 takes the place of kappa nowhere: here it is 0.91 of a judge that says yes to all.
  const constant = await card(
    ARGS,
    rows(
      300,
      (i) => Number(i < 276),
      () => 1,
    ),
  )
  assert.match(constant.conclusion.agreement, /specificity \(TNR\) 0 % \(0 to 14 %, 24 labelled 0\); κ 0\.00/)
  assert.match(constant.conclusion.use, /^not at all: its verdict is 1 on all 300/)
  const oneSided = await card(
    ARGS,
    rows(
      300,
      () => 1,
      (i) => Number(i % 10 > 0),
    ),
  )
  assert.match(oneSided.conclusion.agreement, /specificity \(TNR\) unknown: no item is labelled 0;/)
  assert.match(oneSided.conclusion.use, /^unknown: people said 1 of all 300/)
})

test('of grades weighted kappa has an interval; failed items are no reason to believe the others', async () => {
  const grade = (i: number) => (i % 5) + 1
  const grades = await card(
    ARGS,
    rows(100, grade, (i) => Math.min(5, grade(i) + Number(i % 3 === 0))),
  )
  assert.match(grades.conclusion.agreement, /^weighted κ 0\.9\d \(0\.\d\d to 0\.9\d\), very good/)
  assert.equal(grades.conclusion.use, 'as the measure')
  const failed = await card(ARGS, [
    ...rows(
      40,
      (i) => i % 2,
      (i) => i % 2,
    ),
    ...rows(
      60,
      (i) => i % 2,
      () => undefined,
    ).map((row) => ({ ...row, id: `f${row.id}` })),
  ])
  assert.match(failed.conclusion.agreement, /κ 1\.00 \(0\.82 to 1\.00\)/)
  assert.match(failed.conclusion.use, /^not as the measure: 60 of 100 items failed/)
})

test('labels of easy items say nothing of the others: a warning, and no conclusion', async () => {
  const easy = await card(
    ARGS,
    rows(
      200,
      (i) => (i < 60 ? Number(i > 0) : undefined),
      (i) => Number(i < 60 ? i > 0 : i % 2),
    ),
  )
  assert.match(
    easy.conclusion.corrected,
    /^what people would say of all items is not known: the labelled items are not like the others: the judge’s mean is 0\.98 on them and 0\.50 on the others/,
  )
  assert.equal(easy.conclusion.use, 'unknown: the labelled items are not like the others')
  assert.ok(easy.conclusion.warnings.some(({ code }: { code: string }) => code === 'labels_unlike'))
  assert.deepEqual([easy.corrected.unlike.labelled, easy.corrected.unlike.others], [0.9833333333, 0.5])
  // The judge's mean is the same, but all labels are of one group.
  const oneGroup = rows(
    200,
    (i) => (i < 60 ? i % 2 : undefined),
    (i) => i % 2,
  ).map((row, i) => ({ ...row, subset: i < 60 ? 'chat' : 'code' }))
  const [whole] = objects((await run([...ARGS, '--by', 'subset'], oneGroup)).text)
  assert.match(
    String(whole!.corrected),
    /not like the others: 100 % of them have the subset chat, of the others 0 %/,
  )
  assert.equal(whole!.use, 'unknown: the labelled items are not like the others')
})

test('the difference of items with labels and without: by mean, by group, by cluster', () => {
  const ones = (n: number, yes: number) => Array.from({ length: n }, (_, i) => Number(i < yes))
  const mean = { name: 'mean', labelled: ones(30, 15), others: ones(90, 46) }
  assert.ok(labelDifference([mean])!.p > 0.5)
  const names = (n: number, chat: number) => ones(n, chat).map((one) => (one ? 'chat' : 'code'))
  const found = labelDifference([mean], [{ name: 'subset', labelled: names(30, 28), others: names(90, 45) }])
  assert.deepEqual(
    { ...found, p: found!.p < 1e-3 },
    { name: 'subset', group: 'chat', labelled: 28 / 30, others: 0.5, p: true },
  )
  // Two values other than 0 and 1, without spread within.
  const [fives, threes] = [Array(10).fill(5), Array(20).fill(3)]
  assert.ok(labelDifference([{ name: 'mean', labelled: fives, others: threes }])!.p < 1e-6)
  assert.equal(labelDifference([{ name: 'mean', labelled: fives, others: fives }])?.p ?? 1, 1)
  // Three clusters a side: twenty items of one tell no more than it does.
  const clusters = [...Array(60).keys()]
    .map((i) => `a${i % 3}`)
    .concat([...Array(60).keys()].map((i) => `b${i % 3}`))
  const values = {
    name: 'mean',
    labelled: ones(60, 0).map((_, i) => Number(i % 3 < 2)),
    others: ones(60, 0).map((_, i) => Number(i % 3 < 1)),
  }
  assert.ok(labelDifference([values])!.p < 0.001)
  assert.ok(labelDifference([values], [], clusters)!.p > 0.2)
})

test('--weight: labels that are too uneven have no interval, and a warning says what they come to', async () => {
  const rows = Array.from({ length: 400 }, (_, i) => {
    const isTaken = i < 20 || (i >= 200 && i < 220)
    return { id: `i${i}`, said: Number(i % 3 > 0), p: i < 200 ? 0.5 : 0.02, ...(isTaken && { human: i % 2 }) }
  })
  const { conclusion, agreement, corrected } = await card([...ARGS, '--weight', 'p'], rows)
  // 20 of weight 2 and 20 of weight 50: (40 + 1000)² / (80 + 50,000).
  assert.equal(agreement.sample.effective.toFixed(2), '21.60')
  assert.deepEqual([agreement.ci, agreement.kappa_ci, corrected.ci], [null, null, null])
  assert.match(
    conclusion.warnings.find(({ code }: { code: string }) => code === 'uneven_weights').sentence,
    /^40 labelled items that count 1\/p come to 21\.6 of equal weight: below 30, no interval holds$/,
  )
  assert.equal(conclusion.use, 'unknown: there is no interval of its agreement with people')
})

test('--weight: labels that stand for fewer items than there are have no interval', async () => {
  const rows = Array.from({ length: 400 }, (_, i) => ({
    id: `i${i}`,
    said: Number(i % 3 > 0),
    p: 0.5,
    ...(i < 40 && { human: i % 2 }),
  }))
  const { conclusion, agreement } = await card([...ARGS, '--weight', 'p'], rows)
  assert.equal(agreement.kappa_ci, null)
  assert.match(
    JSON.stringify(conclusion.warnings),
    /stand for 80 of 400 items: those with a small p are missing/,
  )
})
