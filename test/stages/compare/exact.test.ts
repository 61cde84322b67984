/** jb-compare --exact, and what stands beside intervals of few items. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compare } from '../../../src/stages/compare/compare.ts'
import { spec } from '../../../src/stages/compare/options.ts'
import { ndjson } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'

const run = (args: string[], stdin: string) =>
  staged(spec, compare, ['--value', 'v', '--run', 'run', ...args], stdin)
const scores = (n: number, of: (i: number) => number) =>
  ndjson(
    [...Array(n).keys()].flatMap((id) => [
      { id, run: 'a', v: of(id) },
      { id, run: 'b', v: 0 },
    ]),
  )

test('--exact: McNemar’s of outcomes, all sign flips of up to 20 scores, refused for more', async () => {
  const outcomes = scores(8, (i) => Number(i > 1))
  assert.deepEqual(
    objects((await run(['--exact'], outcomes)).text).map(({ p, test }) => [p, test]),
    [[2 / 64, 'mcnemar exact']],
  )
  // Of the 2⁵ sign patterns two have a sum as far from 0 as 15: all plus, all minus.
  const five = await run(
    ['--exact'],
    scores(5, (i) => i + 1),
  )
  assert.deepEqual(
    objects(five.text).map(({ p, test, p_sign }) => [p, test, p_sign]),
    [[2 / 32, 'sign-flip exact', 2 / 32]],
  )
  await assert.rejects(
    run(
      ['--exact'],
      scores(21, (i) => i + 1),
    ),
    /--exact: the exact test takes up to 20 scores, not 21/,
  )
  await assert.rejects(
    run(['--exact', '--bootstrap', '100'], outcomes),
    /--exact: --bootstrap has its own p values/,
  )
})

test('items_needed takes the difference seen from its error; few resampled items have a corrected interval', async () => {
  const [seen] = objects(
    (
      await run(
        [],
        scores(30, (i) => i % 3),
      )
    ).text,
  )
  const se = (seen!.ci[1] - seen!.ci[0]) / 2 / 2.045229642
  // d_z is 1.2: t needs eight, the normal distribution six (statsmodels’ TTestPower: 7.55).
  assert.ok(Math.abs(1 / se / Math.sqrt(30) - 1.2) < 0.05)
  assert.equal(seen!.items_needed, 8)
  const [drawn] = objects(
    (
      await run(
        ['--bootstrap', '2000'],
        scores(30, (i) => i ** 3),
      )
    ).text,
  )
  assert.ok(drawn!.ci_bca[0] < drawn!.ci[0] && drawn!.ci_bca[1] < drawn!.ci[1], 'to the longer tail')
  assert.equal(
    objects(
      (
        await run(
          ['--bootstrap', '20'],
          scores(100, (i) => i),
        )
      ).text,
    )[0]!.ci_bca,
    undefined,
  )
})

test('the same verdict under different labels is right under one of them', async () => {
  const row = (item: number, model: string, decision: string) => ({
    label: item % 2 === 0 ? 'A>B' : 'B>A',
    jb: {
      judge: 'vanilla',
      item: `i${item}`,
      trial: { n: 0, of: 1 },
      reply: { text: 'x', model },
      verdict: { label: 'a', decision },
    },
  })
  const items = [...Array(40).keys()]
  const rows = [
    ...items.map((i) => row(i, 'always A', 'A>B')),
    ...items.map((i) => row(i, 'right', i % 2 === 0 ? 'A>B' : 'B>A')),
  ]
  const { text } = await staged(spec, compare, [], ndjson(rows))
  const [pair] = objects(text)
  assert.deepEqual(
    [pair!.value, pair!.mean_a, pair!.mean_b, pair!.wins, pair!.losses],
    ['correct', 0.5, 1, 20, 0],
  )
})
