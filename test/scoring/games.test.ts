/** Games as rows: odd values, any order, what is incomplete or a conflict, and what jb-score keeps. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { game, ndjson, replied, rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe, Started } from '../helpers/run.ts'
import { aggregate, SAID, score } from './_pairwise.ts'

test('what is no decision is a failure and no tie, in any of the games', async () => {
  const verdicts: object[] = [
    { label: 'A>>B', decision: 'A>>B' },
    { label: 'foo', decision: 'foo' },
  ]
  for (const decision of ['A', 'A>>B', 'foo', '', null, 'A<B', 1, true, {}, []])
    verdicts.push({ decision }, { label: `[[${decision}]]`, decision }, { label: null, decision })
  const rows = verdicts.flatMap((verdict, i) => [
    game(`one${i}`, 0, 1, '', { jb: { verdict } }),
    game(`two${i}`, 0, 2, 'A>B'),
    game(`two${i}`, 1, 2, '', { jb: { verdict } }),
  ])
  const results = await score(rows)
  assert.equal(results.length, 2 * verdicts.length)
  for (const { jb } of results) {
    const code = jb.error?.message.includes('jb.verdict.decision is') ? 'bad_record' : 'no_verdict'
    assert.deepEqual([jb.error?.code, jb.result], [code, undefined], JSON.stringify(jb))
  }
  const message = 'the decision is "A", expected A>B, B>A or A=B'
  assert.deepEqual(
    results.slice(4, 6).map(({ jb }) => jb.error?.message),
    [message, `trial 1: ${message}`],
  )
  expect(await jb('score', [], { stdin: ndjson(rows) }), {
    err: /64 rows, 64 failed here \(no_verdict 40, bad_record 24\)/,
  })
})

test('what jb-parse --compat keeps for an original counts as it does there', async () => {
  const texts = ['[[A<B]]', '[[B<<A]]', '[[A]]', '[[=]]', '[[A>>B]]', 'nothing', '[[A>B]] or [[B>A]]']
  const rows = texts.flatMap((text, i) =>
    ['AB', 'BA'].map((order) =>
      replied('arena_hard', text, { item: `${i}${order}`, trial: { n: 0, of: 1, order } }, { label: 'A>B' }),
    ),
  )
  for (const [original, counts] of [
    ['judgebench', [14, 1, 1, 12, 4, 4]],
    ['rm-gallery', [14, 2, 2, 10, 0, 2]],
  ] as const) {
    const ran = await pipe(`jb-parse -q --compat ${original} | jb-aggregate -q`, { stdin: ndjson(rows) })
    const { valid, correct, incorrect, tie, nulls, unread } = JSON.parse(fine(ran).stdout)
    assert.deepEqual([valid, correct, incorrect, tie, nulls, unread], counts, original)
  }
})

test('odd values are failed rows, of every kind: what is no object, no option, no winner, no list', async () => {
  const failed = async (more: object) => {
    const row = rowOf(
      expect(await jb('score', ['-q'], { stdin: ndjson([game('p', 0, 1, 'A>B', { jb: more })]) }), {}),
    )
    return row.jb.error?.message
  }
  assert.equal(await failed({ verdict: 'A>B' }), 'jb.verdict is "A>B", expected an object')
  for (const verdict of [5, 0, true, false, ''])
    assert.match((await failed({ verdict }))!, /^jb\.verdict is /)
  assert.match((await failed({ verdict: ['A>B'] }))!, /^jb\.verdict is a list, expected an object/)
  for (const criterion of [5, 'x', {}, [], { name: 1 }])
    assert.match(
      (await failed({ criterion }))!,
      /^jb\.criterion(\.name)? is .*, expected (an object|a string)$/,
    )
  for (const [verdict, what] of [
    [{ option: null }, /verdict\.option is null, expected a string/],
    [{ winner: null }, /verdict\.winner is null, expected a whole number or "tie"/],
    [{ winner: 'A' }, /verdict\.winner is "A"/],
    [{ winner: -1 }, /no winner/],
    [{ items: null }, /verdict\.items is null, expected a list/],
    [{ items: 5 }, /verdict\.items is 5, expected a list/],
    [{ score: '5' }, /verdict\.score is "5", expected a number/],
  ] as const)
    assert.match((await failed({ verdict }))!, what)
  // jq's null is a key that is not there.
  assert.equal(await failed({ criterion: null }), undefined)
  assert.match((await failed({ verdict: null }))!, /run jb-parse first/)
  const report = await aggregate([game('p', 0, 1, 'A>B'), game('q', 0, 1, '', { jb: { verdict: 5 } })])
  assert.deepEqual([report.valid, report.failures], [1, { bad_record: 1 }])
})

const shuffled = <T>(list: T[], keys: number[]): T[] =>
  list
    .map((one, i) => [keys[i % keys.length]! + i * 1e-9, one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one)

test('rows in any order give the same results, several judges, models and names in one pipe', async () => {
  const jury = [
    { judge: 'arena_hard', reply: { text: 't', model: 'm' } },
    { judge: 'arena_hard', reply: { text: 't', model: 'other' } },
    { judge: 'vanilla', reply: { text: 't', model: 'm' } },
    { judge: 'vanilla', name: 'again', reply: { text: 't', model: 'm' } },
  ]
  const rows = jury.flatMap((jb, j) =>
    ['p', 'q', 'r'].flatMap((item, i) =>
      [0, 1, 2, 3].map((n) => game(item, n, 4, SAID[(i * 7 + j * 3 + n) % 3]!, { jb })),
    ),
  )
  const sorted = (lines: unknown[]) => lines.map((line) => JSON.stringify(line)).sort()
  const straight = sorted(await score(rows))
  assert.equal(straight.length, 12)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(1000), { minLength: 48, maxLength: 48 }), async (keys) => {
      assert.deepEqual(sorted(await score(shuffled(rows, keys))), straight)
    }),
    { numRuns: 2, endOnFailure: true },
  )
  const reports = expect(
    await jb('aggregate', ['-q'], { stdin: ndjson(shuffled(rows, [5, 3, 9, 1, 7])) }),
    {},
  )
    .stdout.trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const names = reports.map(({ judge, name, model, items }) => [judge, name, model, items].join(' '))
  assert.deepEqual(names.sort(), [
    'arena_hard  m 3',
    'arena_hard  other 3',
    'vanilla  m 3',
    'vanilla again m 3',
  ])
})

test('an item leaves as soon as its last trial is in', async (t) => {
  const run = new Started(t, 'score')
  run.child.stdin.write(ndjson([game('p', 0, 2, 'A>B'), game('q', 1, 2, 'A>B'), game('p', 1, 2, 'A>B')]))
  await run.lines(1)
  assert.equal(JSON.parse(run.stdout).pair_id, 'p')
  run.child.stdin.end(ndjson([game('q', 0, 2, 'B>A')]))
  const rows = rowsOf(fine(await run.done))
  assert.deepEqual(
    rows.map(({ pair_id }) => pair_id),
    ['p', 'q'],
  )
})

test('what is left at the end is incomplete; a trial with two replies is a conflict', async () => {
  const rows = [
    game('p', 0, 2, 'A>B'),
    game('q', 0, 3, 'A>B'),
    game('q', 2, 3, 'A>B'),
    game('r', 0, 2, 'A>B'),
    game('r', 0, 2, 'B>A'),
    game('r', 1, 2, 'B>A'),
  ]
  const ran = expect(await jb('score', [], { stdin: ndjson(rows) }), {
    err: /3 failed here \(incomplete 2, conflict 1\)|3 failed here \(conflict 1, incomplete 2\)/,
  })
  const found = new Map(rowsOf(ran).map((row) => [row.pair_id, row.jb]))
  assert.equal(found.get('r')?.error?.code, 'conflict')
  assert.deepEqual(found.get('p')?.error, {
    stage: 'score',
    code: 'incomplete',
    message: '1 of 2 trials are there',
  })
  assert.equal(found.get('q')?.trials?.length, 2)
})

test('jb-score keeps each trial’s verdict, usage and error, and no texts', async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 2 }
  const reply = { text: 'a long reply', model: 'm', usage, cost: 0.5, ms: 3, tries: 1 }
  const rows = [0, 1].map((n) => game('p', n, 2, 'A>B', { jb: { reply, request: { messages: [] } } }))
  const row = rowOf(expect(await jb('score', [], { stdin: ndjson(rows) }), { err: '' }))
  const { digest, ...kept } = row.jb.trials![1]!
  assert.equal(typeof digest, 'number')
  assert.deepEqual(kept, {
    trial: { n: 1, of: 2, order: 'BA' },
    model: 'm',
    usage,
    cost: 0.5,
    ms: 3,
    tries: 1,
    verdict: { label: '[[A>B]]', decision: 'A>B' },
  })
  assert.deepEqual(Object.keys(row.jb), ['judge', 'item', 'result', 'trials'])
  assert.ok(!JSON.stringify(row).includes('a long reply'))
})

test('a row that says an item has a billion answers fails, and ends nothing', async () => {
  const rows = ['a', 'b'].flatMap((item) =>
    [0, 1].map((n) => ({
      id: item,
      jb: {
        judge: 'j',
        item,
        trial: { n, of: 2, answers: item === 'a' ? 1e9 : 2 },
        verdict: { winner: 0 },
      },
    })),
  )
  const { items, valid, failures } = await aggregate(rows)
  assert.deepEqual([items, valid, failures], [2, 1, { bad_record: 1 }])
})
