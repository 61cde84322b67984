/** Fast ways of the bootstrap against the plain ones. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seededWeight, seededWeights, seedKeys } from '../../src/statistics/bootstrap.ts'
import { components, reachable } from '../../src/statistics/bradley_terry.ts'

test('weights of many rounds are those of each, rare ones too', () => {
  const out = new Int32Array(20_000)
  const [k1, k2] = seedKeys('seed', 'é')
  seededWeights(k1, k2, 7, out)
  for (const [i, weight] of out.entries()) assert.equal(weight, seededWeight(k1, k2, 7 + i))
  assert.ok(Math.max(...out) > 6, 'some are rare')
})

test('a replicate has a solution where all models are one strong component', () => {
  const game = fc.record({ a: fc.nat(3), b: fc.nat(3), n: fc.nat(2), wins: fc.constantFrom(0, 0.5, 1) })
  fc.assert(
    fc.property(fc.array(game, { maxLength: 8 }), (all) => {
      const games = {
        models: 4,
        a: all.map(({ a }) => a),
        b: all.map(({ b }) => b),
        n: all.map(({ n }) => n),
        wins: all.map(({ n, wins }) => n * wins),
      }
      assert.equal(reachable(games)(games), components(games).strong.length === 1)
    }),
  )
})
