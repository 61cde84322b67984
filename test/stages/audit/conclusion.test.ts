/** What a card comes to, and its warnings. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { game } from '../../helpers/rows.ts'
import { card } from './_audit.ts'

/** Pairs in both orders; the judge takes the first slot in the first `slot` items, else it is right in the first `right` of the rest. */
const judged = (items: number, slot: number, right: number, more: (i: number) => object = () => ({})) =>
  Array.from({ length: items }, (_, i) =>
    ['AB', 'BA'].map((order, n) => {
      const label = i % 2 ? 'A>B' : 'B>A'
      const other = label === 'A>B' ? 'B>A' : 'A>B'
      const said = i < slot ? (order === 'AB' ? 'A>B' : 'B>A') : i - slot < right ? label : other
      return game(`i${i}`, n, 2, said, { label, ...more(i) })
    }),
  ).flat()

const codes = ({ conclusion }: Awaited<ReturnType<typeof card>>) =>
  conclusion.warnings.map(({ code }: { code: string }) => code)

test('a good judge is a measure, a biased one is not, and each line names its threshold', async () => {
  const good = await card([], judged(60, 0, 54))
  assert.match(
    good.conclusion.agreement,
    /^sensitivity \(TPR\) 90 % \(74 to 97 %, 30 labelled A>B\), specificity .*; κ 0\.80 \(0\.65 to 0\.95\), very good \(0\.8 and more\); as people on 90 % of 60 items$/,
  )
  assert.match(good.conclusion.position, /^no bias beyond chance \(50 % first slot, half is none\)/)
  assert.equal(good.conclusion.use, 'as the measure')
  assert.deepEqual(codes(good), [])
  const biased = await card([], judged(80, 50, 30))
  assert.match(biased.conclusion.agreement, /slight \(0\.2 to 0\.4\); .*: do not use it alone$/)
  assert.match(
    biased.conclusion.position,
    /^strong bias \(81 % first slot, half is none\); 63 % of items change .*: count both orders of an item together$/,
  )
  assert.match(biased.conclusion.use, /not as the measure$/)
  assert.deepEqual(codes(biased), ['slot'])
  const opposed = await card([], judged(60, 0, 10))
  assert.match(
    opposed.conclusion.agreement,
    /; κ -0\.67 \(.*\), worse than chance \(below 0\); .*: do not use it alone$/,
  )
  assert.match(opposed.conclusion.use, /^not at all: /)
  const few = await card([], judged(4, 0, 3))
  assert.equal(few.conclusion.use, 'unknown: 4 labelled items are too few to tell (at least 30)')
  const unlabelled = await card(
    [],
    judged(40, 0, 40).map(({ label: _, ...row }) => row),
  )
  assert.match(unlabelled.conclusion.use, /^unknown without people’s labels/)
})

test('warnings of a card: its own family, the longer answer, failures of one label', async () => {
  const models = { model_a: 'm', model_b: 'other' }
  assert.deepEqual(
    codes(
      await card(
        [],
        judged(60, 0, 54, () => models),
      ),
    ),
    ['own_model'],
  )
  // The longer answer is A in every item: people choose it in half, the judge in most.
  const lengths = { response_A: 'long answer', response_B: 'short' }
  const longer = Array.from({ length: 60 }, (_, i) =>
    ['AB', 'BA'].map((order, n) =>
      game(`i${i}`, n, 2, i % 6 ? 'A>B' : 'B>A', { label: i % 2 ? 'A>B' : 'B>A', order, ...lengths }),
    ),
  ).flat()
  const long = await card([], longer)
  assert.deepEqual(codes(long), ['longer_answer'])
  assert.match(
    long.conclusion.length,
    /^chooses the longer answer more often than people \(.* in 83 % of .*, people in 50 %\)$/,
  )
  const failing = (many: number) =>
    judged(60, 0, 54).map((row, i) =>
      row.label === 'A>B' && i / 4 < many
        ? {
            ...row,
            jb: { ...row.jb, verdict: undefined, error: { stage: 'call', code: 'timeout', message: 'x' } },
          }
        : row,
    )
  assert.deepEqual(codes(await card([], failing(3))), [])
  assert.deepEqual(codes(await card([], failing(9))), ['failures_by_group'])
})

test('a preference for length that people share is none of the judge’s own', async () => {
  const lengths = { response_A: 'long answer', response_B: 'short' }
  // The judge chooses the longer answer in 46 of 60, people in 50.
  const rows = Array.from({ length: 60 }, (_, i) =>
    game(`i${i}`, 0, 1, i < 46 ? 'A>B' : 'B>A', { label: i < 50 ? 'A>B' : 'B>A', ...lengths }),
  )
  const { conclusion } = await card([], rows)
  assert.equal(
    conclusion.length,
    'no other preference than people’s beyond chance (the longer answer in 77 % of labelled items, people in 83 %)',
  )
})
