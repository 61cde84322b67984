/** pass^k and pass@k. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { countEach } from '../../src/rows/maps.ts'
import { passK } from '../../src/statistics/pass_k.ts'
import { folder } from '../helpers/folder.ts'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { fine, jb, pipe, ROOT } from '../helpers/run.ts'

interface Case {
  n: number
  passed: number[]
  all_any: [number, number][]
}

test('as Python counts the draws, for each k', () => {
  const { cases } = JSON.parse(readFileSync(`${ROOT}fixtures/statistics/pass_k.json`, 'utf8')) as {
    cases: Case[]
  }
  for (const { n, passed, all_any } of cases) {
    const items = [...countEach(passed.map(String))].map(
      ([c, times]) => [Number(c), n, times] as [number, number, number],
    )
    const { all, any } = passK(items, 0.95)
    for (const [i, [every, some]] of all_any.entries()) {
      assert.equal(all[i]!.k, i + 1)
      assert.ok(
        Math.abs(all[i]!.value - every) < 1e-12 && Math.abs(any[i]!.value - some) < 1e-12,
        `${n} ${i}`,
      )
    }
  }
})

test('of many trials k is 1 to 10 and their number; of unequal ones their least', () => {
  const ks = (items: [number, number, number][]) => passK(items, 0.95).all.map(({ k }) => k)
  assert.deepEqual(ks([[3, 200, 1]]), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 200])
  assert.deepEqual(
    ks([
      [1, 4, 1],
      [2, 3, 2],
    ]),
    [1, 2, 3],
  )
})

test('the interval is Wilson’s where each item has 0 or 1, else within 0 and 1', () => {
  const { all } = passK(
    [
      [2, 2, 3],
      [1, 2, 1],
    ],
    0.95,
  )
  assert.deepEqual(
    all[1]!.ci!.map((end) => Math.round(end * 1e6) / 1e6),
    [0.300642, 0.954413],
  )
  assert.equal(all[0]!.value, 0.875)
  assert.equal(all[0]!.ci![1], 1)
})

const trials = (item: string, options: string[], scores: unknown[]) =>
  options.map((option, n) => ({
    id: item,
    jb: {
      judge: 'p',
      item,
      trial: { n, of: options.length, sample: n },
      verdict: { label: option, option, score: scores[n] },
    },
  }))

test('a report has both of samples that pass or fail, the same of trials, of results and of shards', async () => {
  const rows = [...trials('a', ['PASS', 'PASS'], [1, 1]), ...trials('b', ['PASS', 'FAIL'], [1, 0])]
  const report = JSON.parse(fine(await jb('aggregate', [], { stdin: ndjson(rows) })).stdout)
  const values = (of: { value: number }[]) => of.map(({ value }) => value)
  assert.deepEqual(values(report.pass_hat_k), [0.75, 0.5])
  assert.deepEqual(values(report.pass_at_k), [0.75, 1])
  const scored = fine(await jb('score', [], { stdin: ndjson(rows) }))
  assert.deepEqual(
    rowsOf(scored).map(({ jb: { result } }) => result!.passed),
    [2, 1],
  )
  const again = JSON.parse(fine(await jb('aggregate', [], { stdin: scored.stdout })).stdout)
  assert.deepEqual(again.pass_hat_k, report.pass_hat_k)
  const table = fine(await jb('aggregate', ['--format', 'table'], { stdin: ndjson(rows) })).stdout
  assert.match(table, /all of k samples pass \(pass\^k\): k 1 75\.00 %.*, k 2 50\.00 % \(9\.5–90\.5\)/)
})

test('where a sample neither passes nor fails, or has no number, there is neither', async () => {
  const rows = [...trials('a', ['PASS', 'PASS'], [1, 1]), ...trials('b', ['PASS', 'maybe'], [1, null])]
  const report = JSON.parse(fine(await jb('aggregate', [], { stdin: ndjson(rows) })).stdout)
  assert.deepEqual([report.pass_hat_k, report.pass_at_k], [undefined, undefined])
})

/** Attempts at tasks as programs write them, and how their reader's rows say what came of them. */
const RECORDED = {
  'tau-bench': {
    // Two of three pass at one task, three at another, one at the last.
    file: JSON.stringify(
      [
        [1, 1, 0],
        [1, 1, 1],
        [0, 1, 0],
      ].flatMap((rewards, task_id) =>
        rewards.map((reward, trial) => ({
          ...{ task_id, reward, info: {}, trial },
          traj: [{ role: 'assistant', content: `${task_id} ${trial}` }],
        })),
      ),
    ),
    name: 'results.json',
    read: 'jb-read json results.json',
    said: ({ reward }: Record<string, unknown>) => reward === 1,
    task: 'task_id',
  },
  inspect: {
    file: JSON.stringify({
      version: 2,
      eval: { task: 'shop', model: 'm', task_id: 't' },
      samples: [
        ['C', 'C', 'I'],
        ['C', 'C', 'C'],
        ['I', 'C', 'I'],
      ].flatMap((values, id) =>
        values.map((value, at) => ({
          ...{ id, epoch: at + 1, input: 'buy', target: 'x', messages: [] },
          output: { completion: 'done' },
          scores: { includes: { value } },
        })),
      ),
    }),
    name: 'log.json',
    read: 'jb-read inspect log.json',
    said: ({ scores }: Record<string, unknown>) => (scores as { includes: string }).includes === 'C',
    task: 'sample',
  },
}

for (const [program, { file, name, read, said, task }] of Object.entries(RECORDED))
  test(`${program}: several attempts at a task, of the rows that jb-read makes, by --cluster ${task}`, async (t) => {
    const cwd = folder(t, { [name]: file })
    const rows = rowsOf(fine(await pipe(read, { cwd })))
    assert.equal(rows.length, 9)
    const stdin = ndjson(rows.map((row) => ({ ...row, said: said(row) ? 'PASS' : 'FAIL' })))
    const judged = fine(await pipe('jb-parse --judge pass_fail --text said', { stdin })).stdout
    const of = async (args: string[]) => {
      const { pass_hat_k, pass_at_k } = JSON.parse((await jb('aggregate', args, { stdin: judged })).stdout)
      const values = (one?: { k: number; value: number }[]) =>
        one?.map(({ k, value }) => [k, Number(value.toFixed(9))])
      return [values(pass_hat_k), values(pass_at_k)]
    }
    // By the definitions, of 2, 3 and 1 of 3: C(c, k) / C(3, k), and 1 − C(3 − c, k) / C(3, k).
    assert.deepEqual(await of(['--cluster', task]), [
      [
        [1, 0.666666667],
        [2, 0.444444444],
        [3, 0.333333333],
      ],
      [
        [1, 0.666666667],
        [2, 0.888888889],
        [3, 1],
      ],
    ])
    assert.deepEqual(await of([]), [undefined, undefined])
    const table = await jb('aggregate', ['--format', 'table', '--cluster', task], { stdin: judged })
    assert.match(
      table.stdout,
      /all of k attempts pass \(pass\^k\): k 1 66\.67 % \(.*k 3 33\.33 % \(6\.1–79\.2\)/,
    )
    // Shards add up by task.
    const lines = judged.trimEnd().split('\n')
    const states = await Promise.all(
      [lines.slice(0, 4), lines.slice(4)].map(async (part) => {
        const shard = await jb('aggregate', ['--partial', '--cluster', task], {
          stdin: `${part.join('\n')}\n`,
        })
        return shard.stdout
      }),
    )
    const merged = JSON.parse((await jb('aggregate', ['--merge'], { stdin: states.join('') })).stdout)
    assert.deepEqual(
      merged.pass_hat_k.map(({ value }: { value: number }) => value.toFixed(9)),
      ['0.666666667', '0.444444444', '0.333333333'],
    )
  })
