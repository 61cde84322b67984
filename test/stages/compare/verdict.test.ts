/** What a comparison comes to: better, worse, level or undecided, and the sentence. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conclude } from '../../../src/scoring/difference_verdict.ts'
import { folder } from '../../helpers/folder.ts'
import { ndjson } from '../../helpers/rows.ts'
import { objects } from '../../helpers/stage.ts'
import { figures, values } from './_compare.ts'

const options = { ci: 0.95 } as Parameters<typeof conclude>[1]
const pair = { a: 'old', b: 'new', value: 'correct', items: 100 }

test('better and worse are what test and interval both tell; else it is undecided', () => {
  const gain = { ...pair, difference: 0.173, ci: [0.109, 0.236], p: 1e-6 }
  assert.deepEqual(conclude(gain, options), {
    verdict: 'better',
    sentence: 'new is better than old: +17.3 points (10.9 to 23.6)',
  })
  assert.deepEqual(conclude({ ...gain, difference: -0.173, ci: [-0.236, -0.109] }, options), {
    verdict: 'worse',
    sentence: 'new is worse than old: −17.3 points (−23.6 to −10.9)',
  })
  const close = { ...pair, difference: 0.021, ci: [-0.03, 0.072], p: 0.4, items_needed: 450 }
  assert.deepEqual(conclude(close, options), {
    verdict: 'undecided',
    sentence: 'undecided: new against old +2.1 points (−3.0 to 7.2); about 450 items would decide it',
  })
  // Several pairs: p is adjusted. Test and interval may differ by a hair.
  assert.equal(conclude({ ...gain, p: 0.02, p_holm: 0.06 }, options).verdict, 'undecided')
  assert.equal(conclude({ ...close, p: 0.049 }, options).verdict, 'undecided')
  assert.equal(conclude({ ...gain, p: 0.051 }, options).verdict, 'undecided')
})

test('only of right and wrong is more better', () => {
  const of = (value: string) =>
    conclude({ ...pair, value, difference: -0.25, ci: [-0.4, -0.1], p: 0.001 }, options).sentence
  assert.equal(of('score'), 'new scores lower than old: −0.250 (−0.400 to −0.100)')
  assert.equal(
    of('share'),
    'the first answer’s share is lower in new than in old: −25.0 points (−40.0 to −10.0)',
  )
  assert.equal(of('seconds'), 'seconds is lower in new than in old: −0.250 (−0.400 to −0.100)')
})

test('--margin: level where two one-sided tests exclude it, a near miss is undecided', async (t) => {
  // 200 items; b differs from a on six and loses five of them.
  const right = Array.from({ length: 200 }, (_, i) => Number(i % 3 > 0))
  const flipped = right.map((one, i) => ([1, 2, 4, 5, 7].includes(i) ? 0 : i === 0 ? 1 : one))
  const correct = (numbers: number[]) => values(numbers).replaceAll('value', 'correct')
  const dir = folder(t, { old: correct(right), new: correct(flipped) })
  const of = async (margin: string) =>
    (await figures([`old=${dir}/old`, `new=${dir}/new`, '--value', 'correct', '--margin', margin]))[0]
  const level = await of('0.05')
  assert.equal(level.verdict, 'level')
  assert.equal(
    level.sentence,
    `new and old are level within 5.0 points: −2.0 points (90 % interval −${(-level.margin_ci[0] * 100).toFixed(1)} to ${(level.margin_ci[1] * 100).toFixed(1)})`,
  )
  const bound = -level.margin_ci[0]
  assert.equal((await of(String(bound + 1e-6))).verdict, 'level')
  assert.equal((await of(String(bound - 1e-6))).verdict, 'undecided')
})

test('a comparison warns where the items that failed in one run are not like the others', async (t) => {
  const old = Array.from({ length: 80 }, (_, i) => Number(i >= 14))
  const dir = folder(t, {
    old: values(old),
    hard: values(old.map((one, i) => (i < 7 ? null : one))),
    short: ndjson(objects(values(old)).slice(7)),
    near: values(old.map((one, i) => (i % 12 ? one : null))),
  })
  const codes = async (name: string) =>
    (await figures([`old=${dir}/old`, `new=${dir}/${name}`, '--value', 'value']))[0].warnings.map(
      ({ code }: { code: string }) => code,
    )
  assert.deepEqual(await codes('hard'), ['failures_harder'])
  assert.deepEqual(await codes('near'), [])
  assert.deepEqual(await codes('short'), ['missing_harder'])
})
