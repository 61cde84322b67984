/** Numbers of a result that may be halves have a decimal point; rows without it are read as the same. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { fine, jb, pipe, ROOT } from '../../helpers/run.ts'

const pairs = readFileSync(`${ROOT}fixtures/pairs.jsonl`, 'utf8')

/** Results as they were written before: whole numbers. */
const whole = (results: string) => results.replaceAll(/(?<=[[,:])(-?\d+)\.0(?=[\],}])/g, '$1')

test('halves are told apart by their value alone, in reports, comparisons and conflicts', async (t) => {
  const judged = 'jb-render vanilla --order both | jb-call -q -m baseline:random | jb-parse'
  const { stdout: now } = fine(await pipe(`${judged} | jb-score`, { stdin: pairs }))
  const scores = new Set(now.match(/"scores":\[[^\]]*\]/g))
  assert.deepEqual([...scores].sort(), ['"scores":[0.0,1.0]', '"scores":[0.5,0.5]', '"scores":[1.0,0.0]'])
  assert.deepEqual(new Set(now.match(/"credit":[^,}]*/g)), new Set(['"credit":1.0', '"credit":0.0']))
  const before = whole(now)
  assert.notEqual(before, now)
  const report = async (stdin: string) => fine(await jb('aggregate', ['-q'], { stdin })).stdout
  assert.equal(await report(before), await report(now))
  // The same items twice, in both forms: repeats, no conflicts.
  assert.equal(JSON.parse(await report(before + now)).valid, 48)
  const cwd = folder(t, { 'before.ndjson': before, 'now.ndjson': now })
  const flips = await jb('compare', ['-q', '--show', 'flips', 'before.ndjson', 'now.ndjson'], { cwd })
  assert.equal(fine(flips).stdout, '')
})

test('the user’s own numbers and what a judge made stay as they are', async () => {
  const row =
    '{"id":1,"score":7,"jb":{"judge":"x","item":"a","trial":{"n":0,"of":1},"verdict":{"label":"7","score":7}}}\n'
  const { stdout } = fine(await jb('score', [], { stdin: row }))
  assert.match(
    stdout,
    /^\{"id":1,"score":7,"jb":.*"result":\{"kind":"grade","score":7\.0.*"verdict":\{"label":"7","score":7\}/,
  )
  const list = row.replace('"score":7}}', '"items":[{"score":1,"text":"t"}]}}')
  assert.match(fine(await jb('score', [], { stdin: list })).stdout, /"items":\[\{"score":1,"text":"t"\}\]/)
})
