import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Row } from '../../src/rows/row.ts'
import { atRow } from '../../src/rows/stage.ts'

test('an error that many rows wait for names the first', () => {
  const error = new Error('no memory')
  for (const place of ['a:1', 'a:2', 'a:3']) atRow(error, { place } as Row)
  assert.equal(error.message, 'a:1: no memory')
})
