/** The games of a pair: JudgeBench's counters, results, labels, ties. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { game, ndjson } from '../helpers/rows.ts'
import { fine, jb, pipe } from '../helpers/run.ts'
import { said } from './_kept.ts'
import { aggregate, SAID, score } from './_pairwise.ts'

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

test('results aggregate to what their trials do', async () => {
  const rows = Array.from({ length: 60 }, (_, i) =>
    game(`p${i >> 1}`, i % 2, 2, SAID[(i * i) % 3]!, { source: `s${i % 3 === 0}` }),
  )
  const direct = fine(await jb('aggregate', [], { stdin: ndjson(rows) }))
  const scored = fine(await pipe('jb-score | jb-aggregate', { stdin: ndjson(rows) }))
  assert.equal(scored.stdout, direct.stdout)
})
