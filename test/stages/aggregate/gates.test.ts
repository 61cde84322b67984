/** Gates: --fail-under and --max-error-rate, in every format. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { ndjson } from '../../helpers/rows.ts'
import { expect, jb } from '../../helpers/run.ts'
import { pairs } from './_report.ts'

test('gates: exit 1 below --fail-under or with more failures than --max-error-rate, the report all the same', async () => {
  const failed = {
    jb: { judge: 'arena_hard', item: 'f', error: { stage: 'call', code: 'timeout', message: 'x' } },
  }
  const rows = ndjson([...pairs({ x: [6, 4] }), failed])
  const gate = async (args: string[], code: number, err: RegExp | string) => {
    const ran = expect(await jb('aggregate', ['-q', ...args], { stdin: rows }), { code, err })
    assert.equal(JSON.parse(ran.stdout).items, 11)
  }
  await gate(['--fail-under', '0.6', '--max-error-rate', '0.1'], 0, '')
  await gate(
    ['--fail-under', '0.61'],
    1,
    /^jb-aggregate: arena_hard m: accuracy 0\.6 is below --fail-under 0\.61\n$/,
  )
  const third = await jb('aggregate', ['-q', '--fail-under', '0.3334'], {
    stdin: ndjson(pairs({ x: [1, 2] })),
  })
  expect(third, { code: 1, err: /accuracy 0\.3333 is below --fail-under 0\.3334/ })
  const near = await jb('aggregate', ['-q', '--fail-under', '0.33334'], {
    stdin: ndjson(pairs({ x: [1, 2] })),
  })
  expect(near, { code: 1, err: /accuracy 0\.3333 is below/ })
  const nearer = await jb('aggregate', ['-q', '--fail-under', '0.66667'], {
    stdin: ndjson(pairs({ x: [2, 1] })),
  })
  expect(nearer, { code: 1, err: /accuracy 0\.6666666666666666 is below --fail-under 0\.66667/ })
  await gate(['--max-error-rate', '0.05'], 1, /1 of 11 items failed, more than --max-error-rate 0\.05/)
  // A run without a valid item has missed every gate.
  const none = await jb('aggregate', ['-q', '--fail-under', '0'], { stdin: ndjson([failed]) })
  expect(none, { code: 1, err: /nothing was measured: no item of 1 is valid: timeout: x/ })
  expect(await jb('aggregate', ['-q', '--fail-under', '0'], { stdin: '' }), { code: 1 })
})

test('a gate holds for every judge of the run', async () => {
  const other = { jb: { judge: 'vanilla', reply: { text: 't', model: 'm' } } }
  const rows = [...pairs({ x: [9, 1] }), ...pairs({ x: [1, 9] }, other)]
  const ran = await jb('aggregate', ['-q', '--fail-under', '0.5'], { stdin: ndjson(rows) })
  expect(ran, { code: 1, err: /^jb-aggregate: vanilla m: accuracy 0\.1 is below/ })
})

test('a gate is for the whole: a shard has none', async () => {
  const judged = ndjson(pairs({ x: [6, 3] }))
  for (const option of ['--fail-under', '--max-error-rate'])
    expect(await jb('aggregate', ['--partial', option, '0.5'], { stdin: judged }), {
      code: 2,
      err: /a gate is for the whole: give it to --merge/,
    })
})

test('a gate that no score of the judge can miss, or meet, is refused', async () => {
  const graded = ndjson(
    [2, 4].map((score, i) => ({
      id: i,
      jb: {
        judge: 'rating',
        item: `${i}`,
        reply: { text: 't', model: 'm' },
        verdict: { score, range: [1, 5] },
      },
    })),
  )
  const gate = async (limit: string, expected: object) =>
    expect(await jb('aggregate', ['-q', '--fail-under', limit], { stdin: graded }), expected)
  for (const limit of ['0.6', '60'])
    await gate(limit, { code: 2, err: /--fail-under [\d.]+: the scores of this judge are from 1 to 5\n$/ })
  await gate('3', {})
  await gate('3.1', { code: 1, err: /score 3 is below --fail-under 3\.1/ })
  expect(await jb('write', ['junit', '--pass', '60'], { stdin: graded }), {
    code: 2,
    err: /--pass 60: the scores of this judge are from 1 to 5/,
  })
})

test('a report among the rows is no item that failed: it is refused, in whichever file it is', async (t) => {
  const judged = ndjson(pairs({ x: [2, 1] }))
  const report = (await jb('aggregate', [], { stdin: judged })).stdout
  const dir = folder(t, { 'a.ndjson': judged, 'report.json': report })
  expect(await jb('aggregate', [`${dir}/a.ndjson`, `${dir}/report.json`]), {
    code: 65,
    err: /report\.json is a report of jb-aggregate/,
  })
})
