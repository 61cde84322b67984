/** Reports: groups, intervals, failures, tokens and cost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wilson } from '../../../src/statistics/interval.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { expect, jb } from '../../helpers/run.ts'
import { pairs, report, run } from './_report.ts'

test('--by a field that no row has is told, once; one that some rows have is not', async () => {
  const rows = ndjson([...pairs({ x: [1, 1] }), ...pairs({ y: [1, 0] }, { part: 'p' })])
  const ran = await jb('aggregate', ['--by', 'nope', '--by', 'part'], { stdin: rows })
  expect(ran, { err: /^jb-aggregate: --by nope: no row has this field \(there are .*\)\n$/ })
  assert.deepEqual(Object.keys(JSON.parse(ran.stdout).by), ['part'])
  const empty = await jb('aggregate', ['--by', 'nope'], { stdin: '' })
  expect(empty, { code: 1, err: 'jb-aggregate: nothing was measured: there is no item in the input\n' })
})

test('--by with a slip of the pen: the field that is meant, and those there are', async () => {
  const stdin = ndjson([...pairs({ x: [1, 1] }), ...pairs({ y: [1, 0] })])
  const words = /--by sorce: no row has this field \(did you mean "source"\? there are .*\bsource\b.*\)\n$/
  expect(await jb('aggregate', ['--by', 'sorce'], { stdin }), { err: words })
  const both = await jb('aggregate', ['--by', 'source,label'], { stdin: ndjson(pairs({ x: [1, 0] })) })
  expect(both, { err: /did you mean --by source --by label\?/ })
})

test('rows that no judge has seen are no success in any format', async () => {
  const stdin = '{"id":1,"question":"q"}\n'
  for (const name of ['lm-eval', 'lm-eval-details', 'mt-bench-csv', 'evalassist', 'judgebench'])
    expect(await jb('write', [name], { stdin }), {
      code: 1,
      err: /nothing was measured: none of 1 has a verdict: .*run jb-.*parse.*\n$/,
    })
  const failed = '{"run_id":"r","topic_id":"t","jb":{"judge":"rating","error":{"code":"timeout"}}}\n'
  expect(await jb('write', ['qrels'], { stdin: failed }), {
    code: 1,
    err: /1 grades missing: left out\n.*there are no grades\n$/s,
  })
})

test('Wilson’s interval, against values computed elsewhere', () => {
  const cases: [count: number, total: number, level: number, low: number, high: number][] = [
    [8, 10, 0.95, 0.49016247153664183, 0.9433178485456247],
    [8, 10, 0.99, 0.4008186965216716, 0.9598688474953836],
    [0, 10, 0.95, 0, 0.2775327998628892],
    [10, 10, 0.95, 0.7224672001371107, 1],
    [1, 1, 0.95, 0.20654931437723745, 1],
    [230, 350, 0.95, 0.6059501494572328, 0.7049235406033247],
    [0.5, 1, 0.95, 0.05462075552885198, 0.945379244471148],
  ]
  for (const [count, total, level, low, high] of cases) {
    const found = wilson(count, total, level)!
    assert.ok(
      Math.abs(found[0] - low) < 1e-12 && Math.abs(found[1] - high) < 1e-12,
      `${count}/${total}: ${found}`,
    )
  }
  assert.equal(wilson(0, 0, 0.95), null)
})

test('each accuracy has its interval, at the level asked for', async () => {
  const rows = pairs({ x: [8, 2], y: [0, 10] })
  const { ci, by } = await report(rows)
  const near = (found: number[], wanted: number[]) =>
    assert.ok(
      found.every((bound, i) => Math.abs(bound - wanted[i]!) < 1e-12),
      `${found} for ${wanted}`,
    )
  near(ci, wilson(8, 20, 0.95)!)
  near(by.source.x.ci, [0.49016247153664183, 0.9433178485456247])
  near(by.source.y.ci, [0, 0.2775327998628892])
  near((await report(rows, '--ci', '0.99')).by.source.x.ci, [0.4008186965216716, 0.9598688474953836])
})

test('--by: the field that is there by default, one or several, deep ones, values that are no texts', async () => {
  const rows = [
    game('a', 0, 1, 'A>B', { source: 'x', category: 'c', meta: { level: 1 } }),
    game('b', 0, 1, 'B>A', { source: 'y', category: 'c', meta: { level: 2 } }),
    game('c', 0, 1, 'A>B', { source: 'y', category: 'd' }),
  ]
  const groups = async (...args: string[]) => {
    const { by = {} } = (await report(rows, ...args)) as {
      by?: Record<string, Record<string, { items: number }>>
    }
    return Object.fromEntries(
      Object.entries(by).map(([field, values]) => [
        field,
        Object.fromEntries(Object.entries(values).map(([value, { items }]) => [value, items])),
      ]),
    )
  }
  assert.deepEqual(await groups(), { source: { x: 1, y: 2 } })
  assert.deepEqual(await groups('--by', 'category'), { category: { c: 2, d: 1 } })
  assert.deepEqual(await groups('--by', 'meta.level', '--by', 'source'), {
    'meta.level': { '1': 1, '2': 1, '(none)': 1 },
    source: { x: 1, y: 2 },
  })
  assert.deepEqual(await groups('--by', 'nothing'), {})
  const plain = rows.map(({ source: _, category: __, ...rest }: Record<string, unknown>) => rest)
  for (const field of ['category', 'subset', 'task']) {
    const { by } = await report(plain.map((row) => ({ [field]: 'v', ...row })))
    assert.deepEqual(Object.keys(by), [field])
  }
})

test('failed items belong to the judge whose they are, and stand in their groups', async () => {
  const failed = {
    source: 'y',
    jb: {
      judge: 'arena_hard',
      item: 'f',
      trial: { n: 0, of: 1 },
      error: { stage: 'call', code: 'timeout', message: 'x' },
    },
  }
  const found = await report([...pairs({ x: [1, 0] }), failed])
  assert.deepEqual([found.model, found.items, found.failures], ['m', 2, { timeout: 1 }])
  assert.deepEqual([found.by.source.y.items, found.by.source.y.valid, found.by.source.y.failed], [1, 0, 1])
  const ran = expect(await jb('aggregate', ['-q'], { stdin: ndjson([failed]) }), {
    code: 1,
    err: /timeout: x/,
  })
  const alone = JSON.parse(ran.stdout)
  assert.deepEqual([alone.items, alone.valid, alone.accuracy], [1, 0, undefined])
})

test('tokens and cost of every trial are added up', async () => {
  const reply = { text: 't', model: 'm', usage: { prompt_tokens: 10, completion_tokens: 2 }, cost: 0.25 }
  const found = await report([0, 1].map((n) => game('p', n, 2, 'A>B', { jb: { reply } })))
  assert.deepEqual([found.usage, found.cost], [{ prompt_tokens: 20, completion_tokens: 4 }, 0.5])
})

test('numbers that no sum can hold fail their row, and counts of tokens are left out', async () => {
  const row = (id: string, score: number, tokens: number) => ({
    id,
    jb: {
      judge: 'rating',
      item: id,
      result: { kind: 'grade', score, model: 'm' },
      trials: [
        { trial: { n: 0, of: 1 }, verdict: { label: '', score: 5 }, usage: { prompt_tokens: tokens } },
      ],
    },
  })
  const stdin = ndjson([row('1', 5, 10), row('2', 1e308, 10), row('3', 7, 1e308)])
  const whole = await jb('aggregate', [], { stdin })
  const { score, valid, failures, usage } = JSON.parse(whole.stdout)
  assert.deepEqual([score, valid, failures, usage], [6, 2, { bad_record: 1 }, { prompt_tokens: 10 }])
  const { stdout: state } = await jb('aggregate', ['--partial'], { stdin })
  assert.deepEqual(JSON.parse((await jb('aggregate', ['--merge'], { stdin: state })).stdout).usage, usage)
})

test('a run with several judges: one report a line, one after the other in a table', async () => {
  const rows = [
    ...pairs({ x: [1, 0] }),
    ...pairs({ x: [0, 1] }, { jb: { judge: 'vanilla', reply: { text: 't', model: 'm' } } }),
  ]
  const lines = (await run(rows))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    lines.map(({ judge, accuracy }) => [judge, accuracy]),
    [
      ['arena_hard', 1],
      ['vanilla', 0],
    ],
  )
  const table = await run(rows, '--format', 'table')
  // First all of them side by side, then each by its groups.
  assert.match(table, /^judge .*\n[- ]+\narena_hard · m .* 100\.00 %.*\nvanilla · m .* 0\.00 %/)
  assert.match(table, /[^\n]\n\narena_hard · m\n1 item, all valid\n[\s\S]*\n\nvanilla · m\n/)
})
