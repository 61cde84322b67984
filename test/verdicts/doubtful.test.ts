/** What a rule finds but cannot be a verdict is a failure that says so, never a verdict of its own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb } from '../helpers/run.ts'

const judge = (kind: string, verdict: object) =>
  JSON.stringify({ kind, fields: { q: 'q' }, prompt: '{{ q }}', verdict })

const read = async (path: string, replies: [string, object?][], args: string[] = []) => {
  const rows = replies.map(([text, trial], i) => ({
    q: 'q',
    jb: { judge: `${path}/j.json`, item: `i${i}`, trial: { n: 0, of: 1, ...trial }, reply: { text } },
  }))
  const ran = fine(await jb('parse', ['-q', '--judge', `${path}/j.json`, ...args], { stdin: ndjson(rows) }))
  return rowsOf(ran).map(
    ({ jb }) => jb.error?.code ?? jb.verdict?.decision ?? jb.verdict?.winner ?? jb.verdict?.score,
  )
}

test('pair: groups that are no numbers are no scores', async (t) => {
  const path = folder(t, { 'j.json': judge('pairwise', { rule: 'pair', pattern: 'A: (\\S+) B: (\\S+)' }) })
  assert.deepEqual(
    await read(path, [['A: 8/10 B: 7/10'], ['A: 8 B: 7.5'], ['A: nan B: 7'], ['A: B: '], ['A: 1e1 B: 10']]),
    ['no_verdict', 'A>B', 'no_verdict', 'no_verdict', 'A=B'],
  )
})

test('pair: the last statement counts, and --pick chooses another', async (t) => {
  const replies = ['[[2,9]], no: [[9,2]]', '[[9,2]] and again [[9.0,2]]'].map((text) => [text] as [string])
  const cases: [config: object, args: string[], said: string[]][] = [
    [{ pattern: '\\[\\[(\\d+),\\s?(\\d+)\\]\\]' }, [], ['A>B', 'A>B']],
    [{ pattern: '\\[\\[(\\d+),(\\d+)' }, ['--pick', 'first'], ['B>A', 'A>B']],
    [{ pattern: '\\[\\[(\\S+),(\\d+)', pick: 'first' }, [], ['B>A', 'A>B']],
    [{ pattern: '\\[\\[([\\d.]+),(\\d+)' }, ['--pick', 'only'], ['conflict', 'A>B']],
    [{ patterns: ['Scores: (\\d) (\\d)', '([\\d.]+),(\\d)'] }, [], ['A>B', 'A>B']],
  ]
  for (const [config, args, said] of cases) {
    const path = folder(t, { 'j.json': judge('pairwise', { rule: 'pair', ...config }) })
    assert.deepEqual(await read(path, replies, args), said, JSON.stringify([config, args]))
  }
})

test('pair: a first line of one score is read with the next', async (t) => {
  const path = folder(t, { 'j.json': judge('pairwise', { rule: 'pair', line: 'first' }) })
  assert.deepEqual(
    await read(path, [
      ['Assistant 1: 9\n\nAssistant 2: 3'],
      ['9 3\n1 9'],
      ['Assistant 1: 9\nThe other is worse.\nAssistant 2: 3'],
    ]),
    ['A>B', 'A>B', 'no_verdict'],
  )
})

test('pair: without a pattern the last line of two scores counts, whatever is said around it', async (t) => {
  const path = folder(t, { 'j.json': judge('pairwise', { rule: 'pair' }) })
  assert.deepEqual(
    await read(path, [
      ['9 3\nAssistant 1 gave 3 reasons, 2 of them good.'],
      ['There are 2 answers of 10 lines.\nScores: 9 3'],
      ['1 9\nno, rather:\n9 1'],
      ['Assistant 1: 9/10\nAssistant 2: 3/10'],
      ['Assistant 1: 9\nThe other is worse.\nAssistant 2: 3'],
      ['1. 9\n2. 3'],
    ]),
    ['A>B', 'A>B', 'A>B', 'A>B', 'no_verdict', 'no_verdict'],
  )
})

test('pair: a pattern in a file of the user is RE2, and one that is wrong a wrong judge file', async (t) => {
  for (const pattern of ['(', '(?=8) (7)']) {
    const path = folder(t, { 'j.json': judge('pairwise', { rule: 'pair', pattern }) })
    const stdin = ndjson([{ jb: { judge: `${path}/j.json`, reply: { text: '8 7' } } }])
    expect(await jb('parse', ['--judge', `${path}/j.json`], { stdin }), {
      code: 78,
      err: /j\.json: verdict\.pattern .*RE2/,
    })
  }
  const path = folder(t, { 'j.json': judge('pairwise', { rule: 'pair', range: [10, 1] }) })
  const stdin = ndjson([{ jb: { judge: `${path}/j.json`, reply: { text: '8 7' } } }])
  expect(await jb('parse', ['--judge', `${path}/j.json`], { stdin }), {
    code: 78,
    err: /verdict\.range must be \[lowest, highest\]/,
  })
})

test('listwise: a winner is the index of an answer that was shown', async (t) => {
  const path = folder(t, { 'j.json': judge('listwise', { rule: 'json', winner: 'winner' }) })
  assert.deepEqual(
    await read(path, [
      ['{"winner": 2}', { answers: 3 }],
      ['{"winner": "1"}', { answers: 3 }],
      ['{"winner": "tie"}', { answers: 3 }],
      ['{"winner": "answer 2"}', { answers: 3 }],
      ['{"winner": 3}', { answers: 3 }],
      ['{"winner": -1}', { answers: 3 }],
      ['{"winner": 0.5}', { answers: 3 }],
      ['{"winner": 2}', { answers: 3, pair: [0, 2] }],
      ['{"winner": 1}', { answers: 3, pair: [0, 2] }],
    ]),
    [2, 1, 'tie', 'no_verdict', 'out_of_range', 'out_of_range', 'out_of_range', 'out_of_range', 2],
  )
})

test('label: words that stand for no number are no score', async (t) => {
  const labels = { good: '5', poor: 'bad', '*': '' }
  const path = folder(t, { 'j.json': judge('grade', { rule: 'label', pattern: '\\w+', labels }) })
  assert.deepEqual(await read(path, [['good'], ['poor'], ['3'], ['three']]), [
    5,
    'no_verdict',
    3,
    'no_verdict',
  ])
})
