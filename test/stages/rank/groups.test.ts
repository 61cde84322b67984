/** Models that cannot be told apart. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { battlesToTell, differenceIn, groupsOf, isApart } from '../../../src/stages/rank/groups.ts'
import { clusteredCovariance } from '../../../src/statistics/bradley_terry.ts'
import { effectiveClusters } from '../../../src/statistics/clusters.ts'
import { board, fight, run } from './_rank.ts'

const near = (actual: number, expected: number, what: string) =>
  assert.ok(Math.abs(actual - expected) <= 1e-9 * Math.abs(expected), `${what}: ${actual}, not ${expected}`)

test('groups overlap where neighbours are alike and the ends are not; none is a part of another', () => {
  const names = (ratings: Record<string, number>) =>
    groupsOf(Object.keys(ratings), (one, other) => Math.abs(ratings[one]! - ratings[other]!) > 27.7).map(
      (group) => group.join(' '),
    )
  assert.deepEqual(names({ a: 1040, b: 1020, c: 1000 }), ['a b', 'b c'])
  assert.deepEqual(names({ a: 1027, b: 1020, c: 1000 }), ['a b c'])
  assert.deepEqual(names({ a: 1028, b: 1000 }), ['a', 'b'])
  assert.deepEqual(names({ a: 1000 }), ['a'])
  assert.deepEqual(names({}), [])
})

test('two models have a group in common if, and only if, they are not told apart', () => {
  // Little is known of b.
  const apart = new Set(['a c', 'c d'])
  const groups = groupsOf(['a', 'b', 'c', 'd'], (one, other) => apart.has([one, other].sort().join(' ')))
  assert.deepEqual(groups, [
    ['a', 'b', 'd'],
    ['b', 'c'],
  ])
})

test('the error of a difference has the covariance in it: ratings that add up to 0 move against each other', () => {
  // Of two models the ratings are ± half the difference: its error is twice that of a rating, not √2 times.
  const covariance = Float64Array.of(0.04, -0.04, -0.04, 0.04)
  const two = differenceIn(Float64Array.of(0.3, -0.3), { covariance, clusters: 100 }, 0, 1)
  near(two.value, 0.6, 'difference')
  near(two.se, 0.4, 'error')
  assert.equal(isApart(two, 0.95), false)
  const beyond = { ...two, value: 0.79 }
  assert.equal(isApart(beyond, 0.95), true)
  // 2.26 errors are needed with 9 degrees of freedom.
  assert.equal(isApart({ ...beyond, freedom: 9 }, 0.95), false)
  assert.equal(isApart({ ...beyond, value: 0.91, freedom: 9 }, 0.95), true)
})

test('battles that would tell two models', () => {
  // 2.80 errors are needed, and half of one is seen: 31.4 times the battles.
  assert.equal(battlesToTell({ value: 0.2, se: 0.4, clusters: 100 }, 100, 0.95), 3140)
  // Ten battles a cluster.
  assert.equal(battlesToTell({ value: 0.2, se: 0.4, clusters: 100 }, 1000, 0.95), 31400)
  assert.equal(battlesToTell({ value: 0, se: 0.4, clusters: 100 }, 100, 0.95), null)
  // As few as 12 clusters take t of 11.
  assert.equal(battlesToTell({ value: 0.9, se: 0.3, clusters: 12, freedom: 11 }, 12, 0.95), 13)
})

test('a leaderboard names them, and how many battles would tell them', async () => {
  const rows = [...fight('x', 'y', 'model_a', 22), ...fight('x', 'y', 'model_b', 18)]
  const all = await board(['--method', 'bt'], rows)
  assert.deepEqual([all.get('x').groups, all.get('y').groups], [[1], [1]])
  const { text } = await run(['--method', 'bt', '--format', 'table'], rows)
  // ln(22/18) is 0.2007, its error √(40/39 · 40/(22 · 18)) = 0.3219: (2.8016 · 0.3219 / 0.2007)² · 40 battles.
  assert.match(text, /^cannot be told apart: x, y: about 808 battles of each would tell x from y$/m)
  const clear = await board(
    ['--method', 'bt'],
    [...fight('x', 'y', 'model_a', 36), ...fight('x', 'y', 'model_b', 4)],
  )
  assert.deepEqual([clear.get('x').groups, clear.get('y').groups], [[1], [2]])
})

test('a model is told from the baseline where its interval does not hold 50 %', async () => {
  for (const won of [57, 58, 59, 60, 61, 62]) {
    const rows = [...fight('base', 'm', 'model_b', won), ...fight('base', 'm', 'model_a', 100 - won)]
    const all = await board(['--baseline', 'base'], rows)
    const { ci, groups } = all.get('m')
    assert.equal(groups[0] === all.get('base').groups[0], ci[0] <= 50, `${won} of 100: ${ci}`)
  }
  const none = await board(['--baseline', 'base'], fight('base', 'm', 'model_b', 12))
  assert.deepEqual([none.get('m').groups, none.get('base').groups], [[1], [2]])
})

test('means of models on the same items: what items have in common is no difference', async () => {
  // On each item both win, or both lose; but on five of 60 m alone does.
  const rows = Array.from({ length: 60 }, (_, id) =>
    ['m', 'n'].map((model) => ({
      id,
      model_a: 'base',
      model_b: model,
      winner: id % 2 === 0 || (model === 'm' && id % 12 === 1) ? 'model_b' : 'model_a',
    })),
  ).flat()
  const all = await board(['--baseline', 'base'], rows)
  assert.deepEqual([all.get('m').groups, all.get('n').groups, all.get('base').groups], [[1], [2], [1, 2]])
})

test('uneven clusters count as fewer, for the factor and for t', () => {
  assert.equal(effectiveClusters(60, 6 * 10 ** 2), 6)
  near(effectiveClusters(60, 30 ** 2 + 5 * 6 ** 2), 10 / 3, 'half of all in one')
  assert.equal(effectiveClusters(60, 59 ** 2 + 1), 2)
  const scores = [30, 6, 6, 6, 6, 6].map((games, i) => ({ games, score: [[0, i % 2 ? 2 : -2]] as const }))
  const { covariance, clusters, freedom } = clusteredCovariance(Float64Array.of(2), 1, scores)
  near(clusters, 10 / 3, 'clusters')
  near(freedom!, 7 / 3, 'freedom')
  // The information is 2² and V is 6 · 2².
  near(covariance[0]!, (24 / 16) * (10 / 7), 'variance')
})
