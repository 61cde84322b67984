/** JSON of a few megabytes that would take gigabytes once it is parsed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foreignJson, isTooMuch } from '../../src/rows/foreign_json.ts'
import { MOST_VALUES } from '../../src/rows/json_text.ts'
import { expect, jb } from '../helpers/run.ts'

const MANY = '['.repeat(MOST_VALUES + 1)

test('a row that holds more values than memory is there for is a bad row', async () => {
  const good = '{"id":"1","question":"q","response_A":"a","response_B":"b"}\n'
  const stdin = `{"x":[${'1,'.repeat(MOST_VALUES)}1]}\n${good}`
  const ran = await jb('render', ['vanilla', '--bad-rows', 'skip'], { stdin })
  expect(ran, { err: /\(stdin\):1: too much in one row: it may hold 2000000 values\n/ })
  assert.equal(ran.stdout.trimEnd().split('\n').length, 1)
})

test('values are counted outside texts, and only where JSON is long', () => {
  assert.equal(isTooMuch(`["${',['.repeat(MOST_VALUES)}\\",["]`), false)
  assert.equal(isTooMuch(`["\\\\",${'[],'.repeat(MOST_VALUES)}`), true)
  assert.equal(isTooMuch(`{"${'x'.repeat(MOST_VALUES)}`), false)
  assert.throws(() => foreignJson(MANY), /more than 2000000 values/)
  assert.deepEqual(foreignJson('[1]'), [1])
})
