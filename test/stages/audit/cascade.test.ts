/** --cascade: what a small judge may be trusted with, by a big one's verdicts on the same items. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { expect, jb } from '../../helpers/run.ts'

const judged = (model: string, id: string, decision: string, confidence?: number) =>
  game(id, 0, 1, decision, {
    jb: {
      reply: { text: 't', model, cost: model === 'small' ? 0.1 : 1 },
      verdict: { label: '', decision, ...(confidence !== undefined && { confidence }) },
    },
  })
const ids = Array.from({ length: 40 }, (_, i) => `i${i}`)

test('the least confidence that may be trusted, and what each choice comes to', async (t) => {
  // The more confident half is right; of the other half every second.
  const small = ids.map((id, i) => judged('small', id, i < 20 || i % 2 === 0 ? 'A>B' : 'B>A', 1 - i / 100))
  const big = ids.map((id) => judged('big', id, 'A>B'))
  const place = folder(t, { 'small.ndjson': ndjson(small), 'big.ndjson': ndjson(big) })
  const run = (...args: string[]) =>
    jb('audit', ['--cascade', 'small.ndjson', 'big.ndjson', ...args], { cwd: place })
  const found = JSON.parse(expect(await run('--agree', '0.9'), { code: 0 }).stdout)
  // Three errors of 41 are less than a tenth, with one more for luck.
  assert.deepEqual([found.threshold, found.items, found.warning], [0.74, 40, undefined])
  const { escalated, agreement, accuracy, random, cost } = found.chosen
  assert.deepEqual([escalated, agreement, accuracy], [0.325, 0.925, 0.925])
  assert.ok(random < accuracy && Math.abs(cost - 0.425) < 1e-9, JSON.stringify(found.chosen))
  assert.equal(found.points.length, 41)
  const table = await run('--format', 'table', '--agree', '0.9')
  assert.match(
    table.stdout,
    /small > big, 40 items: trust confidence from 0\.74 on, and on average at most 10 % of all/,
  )
  expect(await jb('audit', ['--cascade', 'small.ndjson'], { cwd: place }), { code: 2, err: /two files/ })
  expect(await jb('audit', ['--agree', '0.9', 'small.ndjson'], { cwd: place }), {
    code: 2,
    err: /it goes with --cascade/,
  })
  const same = await jb('audit', ['--cascade', 'small.ndjson', 'big.ndjson', '--agree', '0.1'], {
    cwd: place,
  })
  assert.deepEqual(
    [JSON.parse(same.stdout).chosen.escalated, JSON.parse(same.stdout).warning],
    [0, undefined],
  )
})

test('where being unsure is not being wrong: a warning; without confidences consistent verdicts are trusted', async (t) => {
  // Both orders: of inconsistent items the big judge is wrong, too.
  const both = (model: string, id: string, one: string, two: string) =>
    [one, two].map((decision, n) =>
      game(id, n, 2, decision, { jb: { reply: { text: 't', model }, verdict: { label: '', decision } } }),
    )
  const small = ids.flatMap((id, i) => both('small', id, 'B>A', i < 20 ? 'B>A' : 'A>B'))
  const big = ids.flatMap((id, i) => (i < 20 ? both('big', id, 'A>B', 'A>B') : both('big', id, 'B>A', 'B>A')))
  const place = folder(t, { 'small.ndjson': ndjson(small), 'big.ndjson': ndjson(big) })
  const ran = await jb('audit', ['--cascade', 'small.ndjson', 'big.ndjson'], { cwd: place })
  const found = JSON.parse(expect(ran, { code: 0 }).stdout)
  assert.deepEqual([found.threshold, found.points.length], [null, 2])
  assert.match(found.warning, /being unsure is not being wrong here/)
})
