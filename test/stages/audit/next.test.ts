/** Which items to label next, and estimates from items that were taken by chance. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inclusionProbabilities, systematicSample } from '../../../src/statistics/sampling.ts'
import { folder } from '../../helpers/folder.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { objects } from '../../helpers/stage.ts'
import { card, run } from './_audit.ts'

/** 200 pairs in both orders: of every fifth the games differ, and there people say B>A. */
const pairs = Array.from({ length: 200 }, (_, i) =>
  ['AB', 'BA'].map((_, n) => game(`i${i}`, n, 2, i % 5 === 0 && n === 1 ? 'B>A' : 'A>B', { label: null })),
).flat()
const label = (item: string) => (Number(item.slice(1)) % 5 === 0 ? 'B>A' : 'A>B')

const next = async (args: string[], rows = pairs) =>
  objects((await run(args, rows)).text) as { item: string; p: number }[]

test('--next takes N items, doubtful ones more often, the same in any order of the rows', async () => {
  const taken = await next(['--next', '40'])
  assert.equal(taken.length, 40)
  const of = (doubtful: boolean) => taken.filter(({ item }) => (label(item) === 'B>A') === doubtful)
  // Half of the chance is the same for all 200, half is that of the 40 in doubt: 40 · (½/200 + ½/40), 40 · ½/200.
  assert.deepEqual([...new Set(of(true).map(({ p }) => p.toFixed(6)))], ['0.600000'])
  assert.deepEqual([...new Set(of(false).map(({ p }) => p.toFixed(6)))], ['0.100000'])
  assert.ok(of(true).length > 15)
  assert.deepEqual(await next(['--next', '40'], [...pairs].reverse()), taken)
  assert.notDeepEqual(await next(['--next', '40', '--seed', '1']), taken)
})

test('--next leaves out what has a label, and says so where nothing or too little is left', async (t) => {
  const labelled = pairs.map((row, i) => ({ ...row, human: i < 380 ? 'A>B' : null }))
  const { text, notes } = await run(['--truth', 'human', '--next', '40'], labelled)
  assert.deepEqual(
    objects(text).map(({ p }) => p),
    new Array(10).fill(1),
  )
  assert.match(notes.join(), /--next 40: only 10 items have a verdict and no label/)
  const all = folder(t, {
    'l.ndjson': ndjson(pairs.map((row) => ({ item: row.jb.item, label: 'A>B' }))),
  })
  const { ending } = await run(['--truth', `${all}/l.ndjson`, '--next', '5'], pairs)
  assert.deepEqual(
    [ending?.code, ending?.message],
    [1, '--next: there is nothing to label: every item with a verdict has a label'],
  )
})

test('--weight: by Hájek’s weights the estimate of items taken by chance is that of all, without them it is not', async (t) => {
  const found = { weighted: 0, plain: 0, agreement: 0 }
  const rounds = 30
  for (let seed = 0; seed < rounds; seed++) {
    const taken = await next(['--next', '60', '--seed', String(seed)])
    const dir = folder(t, {
      'next.ndjson': ndjson(taken),
      'labels.ndjson': ndjson(taken.map(({ item }) => ({ item, label: label(item) }))),
      'both.ndjson': ndjson(taken.map(({ item, p }) => ({ item, p, label: label(item) }))),
    })
    const args = ['--truth']
    const weighted = await card([...args, `${dir}/labels.ndjson`, '--weight', `${dir}/next.ndjson`], pairs)
    const inLabels = await card([...args, `${dir}/both.ndjson`, '--weight', 'p'], pairs)
    assert.deepEqual(inLabels.corrected, weighted.corrected)
    found.weighted += weighted.corrected.human_only / rounds
    found.agreement += weighted.agreement.po / rounds
    found.plain += (await card([...args, `${dir}/labels.ndjson`], pairs)).corrected.human_only / rounds
  }
  // People say A>B of 80 %, and so does the judge where it says anything: a tie in the others.
  assert.ok(Math.abs(found.weighted - 0.8) < 0.02, `${found.weighted}`)
  assert.ok(Math.abs(found.agreement - 0.8) < 0.02, `${found.agreement}`)
  assert.ok(found.plain < 0.6, `${found.plain}`)
})

test('--weight refuses what is no probability', async () => {
  const rows = [{ id: 'a', said: 1, human: 1, p: 2 }]
  await assert.rejects(
    run(['--value', 'said', '--truth', 'human', '--weight', 'p'], rows),
    /1: p is 2, expected the probability with which the item was taken, above 0 and at most 1/,
  )
})

test('probabilities add up to n and are at most 1; each item is taken as often as its own says', () => {
  const sizes = [100, 1, 2, 3, 4, 5, 5, 1]
  const probabilities = inclusionProbabilities(sizes, 4)
  assert.equal(probabilities[0], 1)
  assert.ok(Math.abs(probabilities.reduce((sum, one) => sum + one, 0) - 4) < 1e-12)
  assert.ok(Math.abs(probabilities[5]! / probabilities[1]! - 5) < 1e-12)
  assert.deepEqual(inclusionProbabilities([1, 1], 5), [1, 1])
  const times = sizes.map(() => 0)
  for (let start = 0; start < 1000; start++) {
    const taken = systematicSample(probabilities, (start + 0.5) / 1000)
    assert.equal(taken.length, 4)
    for (const i of taken) times[i]!++
  }
  for (const [i, one] of times.entries()) assert.ok(Math.abs(one / 1000 - probabilities[i]!) < 0.002)
})
