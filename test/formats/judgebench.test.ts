/** Recorded JudgeBench outputs: games, games that failed, reward models, judges that are no more. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { game, ndjson, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'

type Game = object | null
const said = (response: string, decision: string | null): Game => ({
  judgment: { judge_model: 'o1', prompt: 'p', response },
  decision,
})
const output = (pair_id: string, judgments: Game[], more: object = {}) => ({
  pair_id,
  original_id: 7,
  source: 'mmlu-pro-law',
  question: 'q',
  response_model: 'x',
  response_A: 'a',
  response_B: 'b',
  label: 'A>B',
  judge_name: 'arena_hard',
  judgments,
  ...more,
})
const read = async (rows: object[]) =>
  rowsOf(expect(await jb('read', ['judgebench-outputs', '-q'], { stdin: ndjson(rows) }), {}))
const report = async (rows: object[], rule = '--compat judgebench') =>
  fine(
    await pipe(`jb-read judgebench-outputs | jb-parse ${rule} -q | jb-aggregate -q`, { stdin: ndjson(rows) }),
  )
    .stdout.trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

test('each game is a trial with its reply, the second with the answers swapped', async () => {
  const rows = await read([output('p', [said('one', 'A>B'), said('two', null)])])
  const { judge_name: _, judgments: __, ...item } = output('p', [])
  for (const { jb: _, ...user } of rows) assert.deepEqual(user, item)
  assert.deepEqual(
    rows.map(({ jb }) => jb),
    ['AB', 'BA'].map((order, n) => ({
      judge: 'arena_hard',
      item: 'p',
      trial: { n, of: 2, order },
      reply: { text: n === 0 ? 'one' : 'two', model: 'o1' },
    })),
  )
  const [single] = await read([output('p', [said('one', 'A>B')])])
  assert.deepEqual(single?.jb.trial, { n: 0, of: 1, order: 'AB' })
})

test('a game recorded as null is a null of its pair, as the original counts it', async () => {
  const rows = [
    // No game before the second row names the model: it is the same all the same.
    output('c', [null, null]),
    output('a', [said('[[A>B]]', 'A>B'), null]),
    output('b', [null, said('[[A=B]]', 'A=B')]),
    output('d', [said('[[A>B]]\nno: [[B>A]]', null), said('[[B>>A]]', 'B>A')]),
  ]
  const reports = await report(rows)
  assert.equal(reports.length, 1)
  const { items, correct, tie, nulls, inconsistent, unread, model } = reports[0]
  // a: null and A>B; b: null and a tie; c: null and null, which agree; d: null and A>B.
  assert.deepEqual([items, correct, tie, nulls, inconsistent, unread, model], [4, 2, 2, 4, 3, 5, 'o1'])
  // By our own rules those items failed.
  const owns = await report(rows, '')
  assert.equal(owns.length, 1)
  const [own] = owns
  assert.deepEqual([own.items, own.valid, own.failures], [4, 1, { no_verdict: 3 }])
})

const by = (model: string, decision: string): Game => ({
  judgment: { judge_model: model, prompt: 'p', response: `[[${decision}]]` },
  decision,
})

test('of recordings one after the other in a file, a pair without judgments is of its own', async () => {
  const recording = (model: string, judge_name: string, failed: string) =>
    ['a', 'b', 'c'].map((id) =>
      output(id, id === failed ? [null, null] : [by(model, 'A>B'), by(model, 'B>A')], { judge_name }),
    )
  const of = async (...parts: object[][]) =>
    (await report(parts.flat())).map(
      ({ model, items, nulls, games }) => `${model} ${items} ${nulls} ${games}`,
    )
  for (const failed of ['a', 'b', 'c'])
    for (const [model, judge] of [
      ['two', 'arena_hard'],
      ['one', 'chat_eval'],
    ] as const)
      assert.deepEqual(
        await of(recording('one', 'arena_hard', ''), recording(model, judge, failed)),
        ['one 3 0 6', `${model} 3 1 6`],
        `${failed} ${model} ${judge}`,
      )
  const rows = [...recording('one', 'arena_hard', 'c'), ...recording('two', 'arena_hard', 'a').slice(1)]
  const ran = await jb('read', ['judgebench-outputs'], { stdin: ndjson(rows) })
  assert.match(
    ran.stderr,
    /:4: pairs without a judgment \(1\) between those of one and two count as those of one/,
  )
})

test('a third judgment of a pair does not count, as in the original, and is told', async () => {
  const games = ['[[A>B]]', '[[B>A]]', '[[A>B]]'].map((reply) => said(reply, null))
  const ran = await jb('read', ['judgebench-outputs'], { stdin: ndjson([output('a', games)]) })
  assert.deepEqual(rowsOf(ran), await read([output('a', games.slice(0, 2))]))
  assert.match(ran.stderr, /:1: pair a has 3 judgments: the first two count/)
})

test('a game recorded as null is none too where the original takes what it cannot read for a tie', async () => {
  for (const judge_name of ['panda_lm', 'judge_lm']) {
    const recorded = [
      output('a', [null, said('', 'A=B')], { judge_name }),
      output('b', [null, null], { judge_name }),
    ]
    const stdin = ndjson(recorded)
    const parsed = await pipe('jb-read judgebench-outputs | jb-parse -q --compat judgebench', { stdin })
    assert.deepEqual(
      rowsOf(fine(parsed)).map(({ jb }) => [jb.verdict?.decision, jb.verdict?.failure]),
      [null, 'A=B', null, null].map((decision) => [decision, 'no_verdict']),
    )
    const [{ nulls, unread }] = await report(recorded)
    assert.deepEqual([nulls, unread], [2, 4])
    const ran = await pipe('jb-read judgebench-outputs | jb-parse -q | jb-aggregate -q', { stdin })
    const own = JSON.parse(expect(ran, { code: 1 }).stdout)
    assert.deepEqual([own.valid, own.failures], [0, { no_verdict: 2 }])
  }
})

test('a reward model’s scores come through, its equal scores as they were recorded', async () => {
  const scored = (scores: [number, number], decision: string): Game => ({
    judgment: { judge_model: 'org/reward', prompt: '', response: '', scores },
    decision,
  })
  const rows = [
    output('a', [scored([2, 1], 'A>B'), scored([1, 2], 'B>A')], { judge_name: 'reward_model' }),
    output('b', [scored([3, 3], 'B>A'), scored([3, 3], 'B>A')], { judge_name: 'reward_model' }),
  ]
  const verdicts = (await read(rows)).map(({ jb }) => jb.verdict)
  assert.deepEqual(
    verdicts.map((verdict) => [verdict?.decision, verdict?.scores]),
    [
      ['A>B', [2, 1]],
      ['A>B', [2, 1]],
      ['B>A', [3, 3]],
      ['A>B', [3, 3]],
    ],
  )
  const [{ correct, tie, inconsistent, model }] = await report(rows)
  assert.deepEqual([correct, tie, inconsistent, model], [1, 1, 1, 'org/reward'])
})

test('of judges that only recorded outputs are left of, the recorded decision counts', async () => {
  const rows = [
    output('a', [said('…', 'A>B'), said('…', 'B>A')], { judge_name: 'chat_eval' }),
    output('b', [null, said('…', 'A>B')], { judge_name: 'chat_eval' }),
  ]
  const [{ correct, incorrect, nulls, failed, judge }] = await report(rows)
  assert.deepEqual([judge, correct, incorrect, nulls, failed], ['chat_eval', 1, 1, 1, 0])
})

test('a row without judgments is no recorded output: a failed row that says so', async () => {
  const ran = await jb('read', ['judgebench-outputs'], { stdin: ndjson([output('a', []), { id: 1 }]) })
  const err = /^jb-read: \(stdin\):1: missing_field: no "judgments".*\n.*:2: missing_field/
  expect(ran, { code: 65, err })
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.error?.code),
    ['missing_field', 'missing_field'],
  )
})

test('--bad-rows pass: a line that is no row stays what it is', async () => {
  const ran = await jb('read', ['judgebench-outputs', '--bad-rows', 'pass'], { stdin: 'nope\n' })
  const [row] = rowsOf(expect(ran, {}))
  assert.deepEqual([row!.jb.error!.code, row!.jb.raw], ['bad_row', 'nope'])
})

test('jb-write judgebench: an item with a failed call is not correct, and the line says what the original does', async () => {
  const error = { stage: 'call', code: 'unavailable', message: 'HTTP 500', model: 'm' }
  const rows = [
    game('p', 0, 2, 'A>B', { source: 'livecodebench' }),
    {
      ...game('p', 1, 2, 'A>B'),
      jb: { judge: 'arena_hard', item: 'p', trial: { n: 1, of: 2, order: 'BA' }, error },
    },
    ...[0, 1].map((n) => game('q', n, 2, 'A>B', { source: 'livecodebench' })),
  ]
  const { stdout } = await jb('write', ['judgebench'], { stdin: ndjson(rows) })
  assert.match(
    stdout,
    /Overall: 50\.00%\.\nfailed: 1 \(counted as not correct; the original counts the game that did not fail\)/,
  )
})
