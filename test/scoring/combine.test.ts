/** --combine, --label and --criteria for every kind of judge. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { game, ndjson, rowOf } from '../helpers/rows.ts'
import { expect, fine, jb } from '../helpers/run.ts'

const trial = (verdict: object, n = 0, of = 1, more: object = {}) => ({
  id: 1,
  jb: { judge: 'j', item: '1', trial: { n, of, ...more }, verdict },
})

const score = async (rows: object[], ...args: string[]) =>
  rowOf(await jb('score', ['-q', ...args], { stdin: ndjson(rows) })).jb

test('pairs: majority and median let ties count, what is for grades alone is refused', async () => {
  const rows = ['A>B', 'A=B', 'A=B'].map((decision, n) => trial({ label: decision, decision }, n, 3))
  const decided = async (how: string) => (await score(rows, '--combine', how)).result!.decision
  assert.deepEqual(await Promise.all(['vote', 'mean', 'majority', 'median', 'agree', 'first'].map(decided)), [
    'A>B',
    'A>B',
    'A=B',
    'A=B',
    'A=B',
    'A>B',
  ])
  const stdin = ndjson(rows)
  expect(await jb('score', ['--combine', 'trimmed'], { stdin }), { code: 2, err: /trimmed is for grades/ })
  const listed = ndjson([trial({ label: '0', winner: 0 })])
  for (const how of ['mean', 'median', 'trimmed'])
    expect(await jb('score', ['--combine', how], { stdin: listed }), { code: 2, err: /is for scores/ })
})

test('pairs: a word that every object knows is no label', async () => {
  for (const label of ['toString', 'constructor', '__proto__'])
    assert.equal(
      (await score([{ ...trial({ label: 'A>B', decision: 'A>B' }), label }])).error!.code,
      'missing_field',
    )
})

test('one place in both orders is counted whatever the number of samples, and told only where both were asked', async () => {
  const games = (orders: string[]) =>
    orders.map((order, n) =>
      trial({ label: '', decision: order === 'AB' ? 'A>B' : 'B>A' }, n, orders.length, { order }),
    )
  const same = async (orders: string[]) =>
    JSON.parse(fine(await jb('aggregate', ['-q'], { stdin: ndjson(games(orders)) })).stdout).same_slot
  assert.equal(await same(['AB', 'BA']), 1)
  assert.equal(await same(['AB', 'AB', 'BA', 'BA']), 1)
  assert.equal(await same(['AB', 'AB', 'AB']), undefined)
})

test('choice: of a vote over both orders, what was chosen is held against the other order', async () => {
  const said = (option: string, n: number, order: string, sample: number) =>
    trial({ label: option, option, score: 0 }, n, 4, { order, sample })
  const rows = [said('a', 0, 'AB', 0), said('b', 1, 'BA', 0), said('c', 2, 'AB', 1), said('b', 3, 'BA', 1)]
  const { option, positional_bias } = (await score(rows, '--combine', 'vote')).result!
  assert.deepEqual([option, (positional_bias as { detected: boolean }).detected], ['b', true])
})

test('choice: saved verdicts are worth what the options of --criteria are worth', async (t) => {
  const criteria = (...scores: number[]) => ({
    items: ['tone', 'fit'].map((name) => ({
      criterion: {
        name,
        description: 'd',
        to_evaluate_field: 'response',
        options: ['Good', 'Mid', 'Bad'].map((name, i) => ({ name, score: scores[i], description: '' })),
      },
      weight: 0.5,
    })),
  })
  const place = folder(t, {
    'old.json': JSON.stringify(criteria(1, 0.5, 0)),
    'new.json': JSON.stringify(criteria(5, 3, 1)),
    'other.json': JSON.stringify(criteria(4, 1, 0)),
  })
  const [tone, fit] = criteria(1, 0.5, 0).items.map(({ criterion }) => criterion)
  const rows = [
    { ...trial({ label: 'Mid', option: 'Mid', score: 0.5 }, 0, 2, { criterion: 'tone' }) },
    { ...trial({ label: 'Good', option: 'Good', score: 1 }, 1, 2, { criterion: 'fit' }) },
  ]
  Object.assign(rows[0]!.jb, { criterion: tone })
  Object.assign(rows[1]!.jb, { criterion: fit })
  const worth = async (file: string) => (await score(rows, '--criteria', `${place}/${file}`)).result!.score
  assert.equal(await worth('old.json'), 0.75)
  assert.equal(await worth('new.json'), 0.75, 'the same rubric on another scale')
  assert.equal(await worth('other.json'), 0.625)
})

test('grades: --label is what people scored, beside which the judge is put', async () => {
  const rows = [
    [1, 2],
    [2, '3'],
    [5, 4],
  ].map(([given, human], i) => ({
    id: i,
    human,
    jb: { judge: 'j', item: `${i}`, verdict: { score: given } },
  }))
  const report = async (more: object[] = []) =>
    JSON.parse(
      (await jb('aggregate', ['-q', '--label', 'human'], { stdin: ndjson([...rows, ...more]) })).stdout,
    )
  const { pearson, spearman } = await report()
  assert.ok(Math.abs(pearson - 0.9607689228305228) < 1e-12, `${pearson}`)
  assert.ok(Math.abs(spearman - 1) < 1e-12, `${spearman}`)
  const odd = { id: 9, human: 'good', jb: { judge: 'j', item: '9', verdict: { score: 1 } } }
  assert.deepEqual((await report([odd])).failures, { missing_field: 1 })
})

test('several answers: a label is one of them, and a ranking has a winner', async () => {
  const winner = (label: unknown, verdict: object, ...args: string[]) =>
    score([{ ...trial(verdict, 0, 1, { answers: 3 }), label }], ...args)
  assert.equal((await winner(2, { label: '2', winner: 2 }, '--label', 'label')).result!.correct, true)
  for (const label of ['best', 7]) {
    const { error } = await winner(label, { label: '0', winner: 0 }, '--label', 'label')
    assert.match(error!.message, /expected the index of an answer from 0 to 2, or "tie"/)
    assert.equal((await winner(label, { label: '0', winner: 0 })).result!.correct, null, 'not one of ours')
  }
  const { result } = await winner(0, { label: '', ranking: [0, 2, 1] })
  assert.deepEqual([result!.winner, result!.correct], [0, true])
})

test('several answers by several criteria: each has a winner and a label of its own', async () => {
  const rows = [1, 2, 1].map((winner, n) => {
    const criterion = n === 1 ? 'depth' : 'tone'
    return { ...trial({ label: '', winner }, n, 3, { answers: 3, criterion }), label: { tone: 1, depth: 0 } }
  })
  const { items } = (await score(rows, '--label', 'label')).result as unknown as { items: object[] }
  assert.deepEqual(
    items.map((item) => ['criterion', 'winner', 'correct'].map((key) => item[key as keyof typeof item])),
    [
      ['tone', 1, true],
      ['depth', 2, false],
    ],
  )
})

test('gates look at shares and means as they are, and at nothing at all', async () => {
  const rows = Array.from({ length: 100 }, (_, i) => game(`p${i}`, 0, 1, 'A>B', { label: 'A>B' }))
  for (const row of rows.slice(0, 29))
    Object.assign(row.jb, { error: { stage: 'call', code: 'timeout', message: 'm' } })
  const gate = (args: string[], stdin: string) => jb('aggregate', ['-q', ...args], { stdin })
  expect(await gate(['--max-error-rate', '0.29'], ndjson(rows)), { code: 0 })
  expect(await gate(['--max-error-rate', '0.28'], ndjson(rows)), { code: 1 })
  const grades = [0.1, 0.2, 0.3].map((score, i) => ({
    id: i,
    jb: { judge: 'j', item: `${i}`, verdict: { score } },
  }))
  expect(await gate(['--fail-under', '0.2'], ndjson(grades)), { code: 0 })
  expect(await gate(['--max-error-rate', '0.5'], ''), { code: 1, err: /there is no item/ })
})
