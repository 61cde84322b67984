/** jb-view of the reports of `jb-compare --choose` and `jb-rank --top`. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { expect, jb } from '../../helpers/run.ts'

const choice = {
  ...{ choose: 'balanced', best: 'b<1>', threshold: null, verdict: 'better', choice: 'b<1>', against: 'now' },
  ...{ sentence: 'take b<1>: about 80 %', sensitivity: 0.75, sensitivity_ci: [0.5, 0.875] },
  ...{ specificity: 0.85, specificity_ci: [0.6, 0.95] },
  warnings: [{ code: 'unsteady', sentence: 'another sample', do: 'label more' }],
  runs: [
    {
      ...{ run: 'now', threshold: null, value: 0.5, ci: [0.25, 0.75], sensitivity: 0.4, specificity: 0.6 },
      ...{ failed: 2, missing: 3, picked: 0.125 },
    },
    {
      ...{ run: 'b<1>', threshold: null, value: 0.8, ci: [0.7, 0.9], sensitivity: 0.75, specificity: 0.85 },
      ...{ failed: 0, missing: 0, picked: 0.875 },
    },
  ],
}

const linesOf = (page: string) => page.split('\n').filter((line) => line.startsWith('<tr'))

test('a choice: what it says with its warnings, a line a run with its interval, the best marked', async (t) => {
  const cwd = folder(t)
  writeFileSync(`${cwd}/choice.json`, JSON.stringify(choice))
  const { stdout } = await jb('view', ['choice.json'], { cwd })
  assert.match(stdout, /Content-Security-Policy" content="default-src 'none'; style-src 'sha256-/)
  assert.doesNotMatch(stdout, /<script/)
  assert.match(stdout, /<p class="answer">take b&lt;1&gt;: about 80 %<\/p>/)
  assert.match(stdout, /<p>sensitivity 75 % \(50 to 88\), specificity 85 % \(60 to 95\)<\/p>/)
  assert.match(stdout, /<p>warning: another sample \(unsteady\): label more<\/p>/)
  const [, now, best] = linesOf(stdout.replace('<thead><tr>', '<tr>'))
  assert.match(now!, /<line x1="18\.0" x2="54\.0".*<circle cx="36\.0".*<small>25\.0 to 75\.0<\/small>/)
  assert.match(now!, /<td>40\.0 %<\/td><td>60\.0 %<\/td><td>2<\/td><td>3<\/td><td>12\.5 %<\/td><\/tr>$/)
  assert.match(best!, /^<tr class="marked"><th scope="row">b&lt;1&gt;<\/th><td><span>80\.0 %<\/span>/)
  writeFileSync(`${cwd}/choice.json`, JSON.stringify({ ...choice, runs: [{ run: 'now' }] }))
  expect(await jb('view', ['choice.json', '-o', 'page.html'], { cwd }), {
    code: 65,
    err: /choice\.json:1: not a whole line of jb-compare --choose/,
  })
})

test('the best models: the sentence of the table, a line a model; of two leaderboards none', async (t) => {
  const cwd = folder(t)
  const battles = (n: number) =>
    Array.from({ length: n }, (_, i) =>
      [
        ['a', 'b', 10],
        ['b', 'c', 2],
        ['a', 'c', 20],
      ].map(([model_a, model_b, lost]) => ({
        ...{ question_id: `q${i}`, model_a, model_b },
        winner: i % Number(lost) === 0 ? 'model_b' : 'model_a',
      })),
    )
      .flat()
      .map((row) => `${JSON.stringify(row)}\n`)
      .join('')
  const board = await jb('rank', ['--top', '1'], { stdin: battles(60) })
  const table = await jb('rank', ['--top', '1', '--format', 'table'], { stdin: battles(60) })
  writeFileSync(`${cwd}/top.ndjson`, board.stdout)
  const { stdout } = await jb('view', ['top.ndjson'], { cwd })
  const sentence = 'top 1 known after 180 battles: a (no other would win more than 55 % against one of them'
  assert.ok(table.stdout.includes(sentence))
  assert.ok(stdout.includes(`<p class="answer">${sentence}`))
  const rows = linesOf(stdout)
  assert.deepEqual(
    rows.map((line) => /<th scope="row">(.)<\/th><td>(\w+)<\/td>/.exec(line)!.slice(1).join(' ')),
    ['a in', 'b out', 'c out'],
  )
  const [first] = board.stdout.split('\n').map((line) => line && JSON.parse(line))
  const ends = first.rating_ci.map((one: number) => one.toFixed(0)).join(' to ')
  assert.match(rows[0]!, /^<tr class="marked">/)
  assert.ok(rows[0]!.includes(`<span>${first.rating.toFixed(0)}</span>`))
  assert.ok(rows[0]!.includes(`<small>${ends}</small></td><td>120</td><td>0</td>`))
  const other = await jb('rank', ['--top', '1'], { stdin: battles(30) })
  writeFileSync(`${cwd}/top.ndjson`, board.stdout + other.stdout)
  expect(await jb('view', ['top.ndjson', '-o', 'page.html'], { cwd }), {
    code: 65,
    err: /top\.ndjson: lines of several leaderboards/,
  })
})
