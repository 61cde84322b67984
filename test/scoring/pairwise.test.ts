/** The games of a pair: JudgeBench's counters, labels, and rows in any order. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { game, ndjson, replied, rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe, Started } from '../helpers/run.ts'
import { said } from './_kept.ts'

const score = async (rows: object[], ...args: string[]) =>
  rowsOf(expect(await jb('score', ['-q', ...args], { stdin: ndjson(rows) }), {}))
const aggregate = async (rows: object[], ...args: string[]) =>
  JSON.parse(expect(await jb('aggregate', ['-q', ...args], { stdin: ndjson(rows) }), {}).stdout)

/** What a game may say: also an original's null, its empty string, and a label it does not normalise. */
const SAID = ['A>B', 'B>A', 'A=B', null, '', 'A<B']

const flip = (label: string) => (label === 'A>B' ? 'B>A' : 'A>B')

/** JudgeBench's two-game metrics, counted by its definition: pairs of decisions in the item's terms. */
function counted(pairs: [unknown, unknown][], label: string) {
  const counts = {
    correct: 0,
    incorrect: 0,
    tie: 0,
    all_correct: 0,
    all_incorrect: 0,
    some_correct: 0,
    inconsistent: 0,
    nulls: 0,
  }
  for (const games of pairs) {
    let counter = 0
    for (const decision of games) counter += decision === label ? 1 : decision === flip(label) ? -1 : 0
    counts[counter > 0 ? 'correct' : counter < 0 ? 'incorrect' : 'tie']++
    if (games.includes(null)) counts.nulls++
    if (games.every((decision) => decision === label)) counts.all_correct++
    else if (games.every((decision) => decision !== label)) counts.all_incorrect++
    else counts.some_correct++
    if (games[0] !== games[1]) counts.inconsistent++
  }
  return counts
}

test('every two games there can be, against both labels: all of the original’s counters', async () => {
  for (const label of ['A>B', 'B>A']) {
    const pairs = SAID.flatMap((first) => SAID.map((second) => [first, second] as [unknown, unknown]))
    const rows = pairs.flatMap((games, i) =>
      games.map((decision, n) => said(`p${i}`, n, 2, decision as string | null, { label })),
    )
    const report = await aggregate(rows)
    const wanted = counted(pairs, label)
    for (const [name, count] of Object.entries(wanted))
      assert.equal(report[name], count, `${name} for ${label}`)
    assert.equal(report.accuracy, wanted.correct / pairs.length)
    assert.deepEqual([report.items, report.valid, report.failed, report.games], [36, 36, 0, 72])
  }
})

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
    const ran = await pipe(`jb-parse -q --compat ${original} | jb-aggregate`, { stdin: ndjson(rows) })
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
      /^jb\.criterion(\.name)? is .*, expected (an object|a text)$/,
    )
  for (const [verdict, what] of [
    [{ option: null }, /verdict\.option is null, expected a text/],
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

test('one game: correct, incorrect, tie, and no word of consistency', async () => {
  const rows = ['A>B', 'B>A', 'A=B', 'A>B'].map((decision, i) => game(`p${i}`, 0, 1, decision))
  const report = await aggregate(rows)
  assert.deepEqual([report.accuracy, report.correct, report.incorrect, report.tie], [0.5, 2, 1, 1])
  for (const name of ['inconsistent', 'consistency', 'same_slot']) assert.ok(!(name in report), name)
})

test('a result: decision, scores, correct, consistent', async () => {
  const cases: [string[], object][] = [
    [['A>B', 'A>B'], { decision: 'A>B', scores: [1, 0], correct: true, consistent: true }],
    [['B>A', 'B>A'], { decision: 'B>A', scores: [0, 1], correct: false, consistent: true }],
    [['A>B', 'A=B'], { decision: 'A>B', scores: [1, 0], correct: true, consistent: false }],
    [['A>B', 'B>A'], { decision: 'A=B', scores: [0.5, 0.5], correct: false, consistent: false }],
    [['A=B', 'A=B'], { decision: 'A=B', scores: [0.5, 0.5], correct: false, consistent: true }],
    [['A>B'], { decision: 'A>B', scores: [1, 0], correct: true }],
    [['A>B', 'B>A', 'B>A'], { decision: 'B>A', scores: [0, 1], correct: false, consistent: false }],
  ]
  const rows = cases.flatMap(([games], i) =>
    games.map((decision, n) => game(`p${i}`, n, games.length, decision)),
  )
  const found = await score(rows)
  for (const [i, [games, wanted]] of cases.entries()) {
    const { decision, scores, correct, consistent } = found[i]!.jb.result!
    assert.deepEqual(
      { decision, scores, correct, ...(consistent !== undefined && { consistent }) },
      wanted,
      `${games}`,
    )
  }
})

test('--combine: vote, agree, first', async () => {
  const rows = ['A>B', 'A>B', 'B>A'].map((decision, n) => game('p', n, 3, decision))
  const decided = async (how: string) => (await score(rows, '--combine', how))[0]?.jb.result?.decision
  assert.deepEqual(
    [await decided('vote'), await decided('agree'), await decided('first')],
    ['A>B', 'A=B', 'A>B'],
  )
})

test('labels in the ways data sets write them, under any name; what is none fails its item', async () => {
  const label = async (value: unknown, ...args: string[]) => {
    const [row] = await score([game('p', 0, 1, 'A>B', { label: value })], ...args)
    return row!.jb.error?.code ?? row!.jb.result!.correct
  }
  for (const value of ['A>B', 'A', 'model_a', 'A>>B', ' A>B ']) assert.equal(await label(value), true, value)
  for (const value of ['B>A', 'B', 'model_b', 'A=B', 'tie']) assert.equal(await label(value), false, value)
  for (const value of ['first', 1, true, {}]) assert.equal(await label(value), 'missing_field', `${value}`)
  assert.equal(await label(null), null)

  const deep = game('p', 0, 1, 'B>A', { label: null, truth: { winner: 'model_b' } })
  const [named] = await score([deep], '--label', 'truth.winner')
  assert.equal(named?.jb.result?.correct, true)
  const [missing] = await score([deep], '--label', 'truth.loser')
  assert.match(missing!.jb.error!.message, /the label "truth\.loser" is missing/)
})

test('without labels there is no accuracy, and the rest of the report all the same', async () => {
  const report = await aggregate(
    ['A>B', 'B>A', 'A=B'].map((decision, i) => game(`p${i}`, 0, 1, decision, { label: null })),
  )
  assert.ok(!('accuracy' in report))
  assert.deepEqual([report.a_better, report.b_better, report.tie, report.valid], [1, 1, 1, 3])
})

test('--tie says what a tie is worth', async () => {
  const rows = ['A>B', 'A=B', 'A=B', 'B>A'].map((decision, i) => game(`p${i}`, 0, 1, decision))
  assert.equal((await aggregate(rows)).accuracy, 0.25)
  const half = await aggregate(rows, '--tie', '0.5')
  assert.deepEqual([half.accuracy, half.correct, half.tie], [0.5, 1, 2])
  // A label that is a tie names no winner: a decision for one is wrong.
  const tied = ['A>B', 'B>A', 'A=B'].map((decision, i) => game(`p${i}`, 0, 1, decision, { label: 'A=B' }))
  const report = await aggregate(tied, '--tie', '0.5')
  assert.deepEqual([report.accuracy, report.correct, report.incorrect], [1 / 3, 1, 2])
})

test('which slot won is told in shown terms', async () => {
  // Both games for the slot shown first; both for the second; a judge that looks at the answers; a tie.
  const rows = [
    game('p', 0, 2, 'A>B'),
    game('p', 1, 2, 'B>A'),
    game('q', 0, 2, 'B>A'),
    game('q', 1, 2, 'A>B'),
    game('r', 0, 2, 'A>B'),
    game('r', 1, 2, 'A>B'),
    game('s', 0, 2, 'A=B'),
    game('s', 1, 2, 'B>A'),
  ]
  const report = await aggregate(rows)
  assert.deepEqual(
    [report.games, report.decisive, report.first_slot, report.first_slot_share, report.same_slot],
    [8, 7, 4, 4 / 7, 2],
  )
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
    verdict: { label: '[[A>B]]', decision: 'A>B' },
  })
  assert.deepEqual(Object.keys(row.jb), ['judge', 'item', 'result', 'trials'])
  assert.ok(!JSON.stringify(row).includes('a long reply'))
})

test('results aggregate to what their trials do', async () => {
  const rows = Array.from({ length: 60 }, (_, i) =>
    game(`p${i >> 1}`, i % 2, 2, SAID[(i * i) % 3]!, { source: `s${i % 3 === 0}` }),
  )
  const direct = fine(await jb('aggregate', [], { stdin: ndjson(rows) }))
  const scored = fine(await pipe('jb-score | jb-aggregate', { stdin: ndjson(rows) }))
  assert.equal(scored.stdout, direct.stdout)
})
