/** Choices without criteria: options of a judge file's own, nuggets, trials in any order. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeFolder } from '../helpers/folder.ts'
import { ndjson, replied, rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'

const JUDGE = `kind: choice
messages: [{ role: user, content: 'Rate {{ text }}: low, mid or high' }]
verdict: { rule: label, pattern: '(low|mid|high)' }
`

test('a judge file with options of its own', async (t) => {
  const dir = judgeFolder(t, { 'level.yaml': JUDGE })
  const rows = [
    replied(`${dir}/level.yaml`, 'it is high', { item: 'a' }, { label: 'high' }),
    replied(`${dir}/level.yaml`, 'it is low', { item: 'b' }, { label: 'mid' }),
    replied(`${dir}/level.yaml`, 'it is what it is', { item: 'c' }, { label: 'mid' }),
  ]
  const ran = await pipe('jb-parse | jb-aggregate', { stdin: ndjson(rows) })
  const report = JSON.parse(ran.stdout)
  assert.deepEqual(
    [report.items, report.valid, report.accuracy, report.failures],
    [3, 2, 0.5, { no_verdict: 1 }],
  )
  assert.deepEqual(report.options, { high: 1, low: 1 })
})

const trial = (n: number, of: number, option: string, more: object = {}, score: number | null = null) => ({
  jb: { judge: 'direct', item: 'a', trial: { n, of, ...more }, verdict: { label: option, option, score } },
})

test('nuggets are not samples: each has its option, and the item the mean of their scores', async () => {
  const rows = [
    trial(0, 3, 'support', { nugget: 'n1' }, 1),
    trial(1, 3, 'not_support', { nugget: 'n2' }, 0),
    trial(2, 3, 'support', { nugget: 'n3' }, 1),
  ]
  const { result } = rowOf(fine(await jb('score', [], { stdin: ndjson(rows) }))).jb
  assert.equal(result!.score, 2 / 3)
  assert.equal(result!.option, undefined)
  assert.deepEqual(result!.votes, { support: 2, not_support: 1 })
  assert.deepEqual(
    (result!.items as { nugget: string; option: string }[]).map(({ nugget, option }) => [nugget, option]),
    [
      ['n1', 'support'],
      ['n2', 'not_support'],
      ['n3', 'support'],
    ],
  )
  const report = JSON.parse((await jb('aggregate', [], { stdin: ndjson(rows) })).stdout)
  assert.deepEqual(report.options, { not_support: 1, support: 2 })
})

test('two scores have a deviation and, without labels, an interval; one has neither', async () => {
  const [a, b] = [trial(0, 1, 'yes', {}, 1), trial(0, 1, 'no', {}, 0)]
  b.jb.item = 'b'
  const report = async (...rows: object[]) =>
    JSON.parse((await jb('aggregate', [], { stdin: ndjson(rows) })).stdout)
  const two = await report(a, b)
  assert.equal(two.score, 0.5)
  assert.equal(two.std, 0.5)
  assert.equal(two.ci.length, 2)
  const one = await report(a)
  assert.deepEqual([one.score, one.std, one.ci], [1, undefined, undefined])
})

test('trials come in any order; one that failed fails its item, one that is missing too', async () => {
  const three = [trial(2, 3, 'b'), trial(0, 3, 'a'), trial(1, 3, 'b')]
  assert.deepEqual(rowOf(fine(await jb('score', [], { stdin: ndjson(three) }))).jb.result!.samples, [
    'a',
    'b',
    'b',
  ])
  const missing = await jb('score', [], { stdin: ndjson(three.slice(1)) })
  assert.equal(rowOf(expect(missing, { err: /incomplete/ })).jb.error!.code, 'incomplete')
  const failed = {
    jb: {
      judge: 'direct',
      item: 'a',
      trial: { n: 1, of: 3 },
      error: { stage: 'parse', code: 'no_verdict', message: 'm' },
    },
  }
  const ran = await jb('score', [], { stdin: ndjson([three[0], three[1], failed]) })
  assert.equal(rowOf(fine(ran)).jb.error!.code, 'no_verdict')
})

test('of options with equally many votes the first counts; a mean needs all scores', async () => {
  const rows = [
    trial(0, 4, 'b', {}, 1),
    trial(1, 4, 'a', {}, 0),
    trial(2, 4, 'a', {}, 0),
    trial(3, 4, 'b', {}, 1),
  ]
  assert.deepEqual(
    rowsOf(await jb('score', [], { stdin: ndjson(rows) })).map(({ jb: { result } }) => [
      result!.option,
      result!.score,
    ]),
    [['b', 0.5]],
  )
  const some = [trial(0, 3, 'b', {}, 1), trial(1, 3, 'c'), trial(2, 3, 'b', {}, 1)]
  const { result } = rowOf(await jb('score', [], { stdin: ndjson(some) })).jb
  assert.deepEqual([result!.score, result!.mean], [1, null])
})

test('what is for grades is refused', async () => {
  expect(await jb('score', ['--combine', 'trimmed'], { stdin: ndjson([trial(0, 1, 'a')]) }), {
    code: 2,
    err: /for grades/,
  })
})
