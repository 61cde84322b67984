/** `jb-write lm-eval --save DIR`: rows name models, and no model a place outside of the folder. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { ndjson } from '../helpers/rows.ts'
import { expect, fine, jb } from '../helpers/run.ts'
import { timeless } from '../helpers/timeless.ts'

const judged = (model: string, i = 0) => ({
  ...{ id: `${i}`, model, task: 't' },
  jb: {
    ...{ judge: 'rating', item: `${i}`, trial: { n: 0, of: 1 } },
    reply: { text: 'Rating: [[1]]', finish_reason: 'stop', model: 'm' },
    verdict: { label: '1', score: 1, range: [1, 5] },
  },
})
async function save(cwd: string, rows: object[]) {
  const ran = await jb('write', ['lm-eval', '--save', 'out'], { cwd, stdin: ndjson(rows) })
  timeless(join(cwd, 'out'))
  return ran
}

test('a model called .. has a folder below DIR', async (t) => {
  const cwd = folder(t)
  const models = ['..', '.', '../..', '/etc', 'a/b', 'a__b', 'x'.repeat(300)]
  fine(await save(cwd, models.map(judged)))
  assert.deepEqual(readdirSync(cwd), ['out'])
  assert.equal(readdirSync(join(cwd, 'out')).length, models.length)
  for (const name of readdirSync(join(cwd, 'out')))
    assert.deepEqual(readdirSync(join(cwd, 'out', name)), ['llm_judge_t_m_now.jsonl', 'results_now.json'])
})

test('more models than files may be open, their rows in any order: none is lost', async (t) => {
  const cwd = folder(t)
  const rows = Array.from({ length: 400 }, (_, i) => judged(`m${i % 200}`, i))
  fine(await save(cwd, rows))
  for (const name of readdirSync(join(cwd, 'out')))
    assert.equal(
      readFileSync(join(cwd, 'out', name, 'llm_judge_t_m_now.jsonl'), 'utf8').split('\n').length,
      3,
    )
})

test('a file that cannot be made is told, the others are, and the run ends as one that could not write all', async (t) => {
  const cwd = folder(t, { 'out/taken': '' })
  writeFileSync(join(cwd, 'out/taken'), 'a file')
  const ran = await save(cwd, [judged('taken'), judged('free', 1)])
  expect(ran, {
    code: 74,
    err: /cannot write out\/taken\/llm_judge_t_m_[^_]+\.jsonl: [\s\S]*2 files could not be written/,
  })
  assert.match(ran.stdout, /"llm_judge": 1/)
  assert.ok(existsSync(join(cwd, 'out/free/results_now.json')))
})
