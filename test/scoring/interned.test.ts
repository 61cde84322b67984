/** Equal values as one object. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { interned } from '../../src/scoring/_interned.ts'

test('equal values of one origin are one frozen object; another order of keys is another value', () => {
  const origin = {}
  const first = interned(origin, { a: 1, list: [{ b: null }] })
  assert.ok(Object.isFrozen(first))
  assert.equal(interned(origin, { a: 1, list: [{ b: null }] }), first)
  for (const other of [
    { list: [{ b: null }], a: 1 },
    { a: 1, list: { 0: { b: null } } },
    { a: 1, list: [{ b: 0 }] },
  ])
    assert.notEqual(interned<object>(origin, other), first)
  assert.notEqual(interned({}, { a: 1, list: [{ b: null }] }), first)
})
