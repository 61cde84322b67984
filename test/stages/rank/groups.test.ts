/** Models that cannot be told apart. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { battlesToTell, groupsOf } from '../../../src/stages/rank/groups.ts'
import type { RankedModel } from '../../../src/stages/rank/standing.ts'
import { board, fight, run } from './_rank.ts'

const model = (name: string, rating: number | null, se: number, more: object = {}) =>
  ({ model: name, rating, ratingSe: se, n: 100, component: 1, ...more }) as RankedModel
const names = (models: RankedModel[]) =>
  groupsOf(models, 0.95).map((group) => group.map(({ model }) => model).join(' '))

test('groups overlap where neighbours are alike and the ends are not; none is a part of another', () => {
  // Two errors of 10 are one of 14.1: 27.7 is the least difference beyond chance.
  assert.deepEqual(names([model('a', 1040, 10), model('b', 1020, 10), model('c', 1000, 10)]), ['a b', 'b c'])
  assert.deepEqual(names([model('a', 1027, 10), model('b', 1020, 10), model('c', 1000, 10)]), ['a b c'])
  assert.deepEqual(names([model('a', 1028, 10), model('b', 1000, 10)]), ['a', 'b'])
  // Ratings of different components are not compared, and no rating is in no group.
  assert.deepEqual(
    names([model('a', 1000, 10), model('b', 1000, 10, { component: 2 }), model('c', null, 10)]),
    ['a', 'b'],
  )
})

test('battles that would tell two models', () => {
  // 2.80 errors of 14.1 are needed, and 10 are seen: 15.7 times the battles.
  assert.equal(battlesToTell(model('a', 1010, 10), model('b', 1000, 10), 0.95), 1570)
  assert.equal(battlesToTell(model('a', 1000, 10), model('b', 1000, 10), 0.95), null)
})

test('a leaderboard names them', async () => {
  const rows = [...fight('x', 'y', 'model_a', 22), ...fight('x', 'y', 'model_b', 18)]
  const all = await board(['--method', 'bt'], rows)
  assert.deepEqual([all.get('x').groups, all.get('y').groups], [[1], [1]])
  const { text } = await run(['--method', 'bt', '--format', 'table'], rows)
  assert.match(text, /^cannot be told apart: x, y: about [\d,]+ battles of each would tell x from y$/m)
  const clear = await board(
    ['--method', 'bt'],
    [...fight('x', 'y', 'model_a', 36), ...fight('x', 'y', 'model_b', 4)],
  )
  assert.deepEqual([clear.get('x').groups, clear.get('y').groups], [[1], [2]])
})
