/** jb-rank on rows that a judge has judged: repeats, conflicts, shards, changed items. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { game } from '../../helpers/rows.ts'
import { objects } from '../../helpers/stage.ts'
import { board, fight, run } from './_rank.ts'

/** Both games of a question, for every two of three models; the id is the question's. */
const judged = ['q1', 'q2', 'q3'].flatMap((question, k) =>
  [
    ['x', 'y'],
    ['y', 'z'],
    ['x', 'z'],
  ].flatMap(([a, b], j) =>
    [0, 1].map((n) =>
      game(question, n, 2, (k + j + n) % 3 ? 'A>B' : 'B>A', { model_a: a, model_b: b, label: null }),
    ),
  ),
)

test('judged rows that are there again count once, of each pair of models that met on an item', async () => {
  const once = await run([], judged)
  assert.match(once.notes.join('\n'), /18 battles$/)
  for (const args of [[], ['--bootstrap', '20'], ['--show', 'pairs']]) {
    const { text } = await run(args, judged)
    const twice = await run(args, [...judged, ...judged])
    assert.equal(twice.text, text)
    assert.match(twice.notes.join('\n'), /item "q1" was counted already, with the same reply: it counts once/)
  }
})

test('judged rows that differ are a conflict, whatever their order', async () => {
  const other = game('q1', 0, 2, 'A=B', { model_a: 'x', model_b: 'y', label: null })
  const { text, notes } = await run([], [...judged, other])
  assert.equal((await run([], [other, ...judged])).text, text)
  assert.match(notes.join('\n'), /item "q1" occurs twice with different replies.*\n.*16 battles, 2 failed/)
})

test('a battle that was read later, or is there in two groups or clusters: no order of the rows tells', async () => {
  const one = (id: string, n: number, more: object = {}) =>
    game(id, n, 2, 'A>B', { model_a: 'x', model_b: 'y', source: 's', ...more })
  const unread = one('q', 1, { jb: { verdict: undefined } })
  const rest = [one('q', 0), one('p', 0), one('p', 1)]
  const short = game('q', 1, 1, 'A>B', { model_a: 'x', model_b: 'y', source: 's' })
  const cases: [rows: object[], options: string[]][] = [
    [[short, ...rest, one('q', 1)], []],
    [[unread, ...rest, one('q', 1)], []],
    [
      [one('q', 1), ...rest, one('q', 1, { source: 't' })],
      ['--by', 'source'],
    ],
    [
      [one('q', 1), ...rest, one('q', 1, { source: 't' })],
      ['--cluster', 'source'],
    ],
  ]
  for (const [rows, options] of cases) {
    const turned = [rows.at(-1)!, ...rows.slice(1, -1), rows[0]!]
    assert.equal((await run(options, turned)).text, (await run(options, rows)).text)
  }
  const { notes } = await run([], cases[1]![0])
  assert.match(notes.at(-1)!, /^4 battles$/)
})

test('a shard of judged rows is merged once', async () => {
  const [one, two] = await Promise.all(
    [judged.slice(0, 8), judged.slice(8)].map(
      async (shard) => objects((await run(['--partial'], shard)).text) as object[],
    ),
  )
  assert.equal((await run(['--merge'], [...one!, ...two!])).text, (await run([], judged)).text)
  await assert.rejects(run(['--merge'], [...one!, ...one!]), /4 of its items are in a state before it/)
})

test('battles about items that were changed for jb-audit are left out', async () => {
  const probe = { kind: 'pad', of: 'q1', answer: 1 }
  const changed = [0, 1].map((n) =>
    game('q1#pad', n, 2, 'B>A', { model_a: 'x', model_b: 'y', label: null, jb: { probe } }),
  )
  const { text, notes } = await run([], [...judged, ...changed])
  assert.equal(text, (await run([], judged)).text)
  assert.match(notes.join('\n'), /1 row is about items that jb-render --probe changed/)
})

test('an item that lacks a game has no battle, as one of which a game failed', async () => {
  const models = { model_a: 'x', model_b: 'y', label: null }
  const whole = ['p', 'q', 'r'].flatMap((item, i) =>
    [0, 1].map((n) => game(item, n, 2, (i + n) % 2 ? 'B>A' : 'A>B', models)),
  )
  const short = [0, 1].map((n) => game(`s${n}`, n, 2, 'A>B', models))
  const failed = [0, 1].flatMap((n) => [
    short[n]!,
    game(`s${n}`, 1 - n, 2, 'A>B', { ...models, jb: { verdict: undefined } }),
  ])
  const { text, notes } = await run([], [...whole, ...short])
  assert.match(notes.join('\n'), /6 battles, 2 failed/)
  assert.equal(text, (await run([], [...whole, ...failed])).text)
  // A number of trials is data: however large, it takes no time.
  const many = [...whole, game('s', 0, 2 ** 40, 'A>B', models)]
  assert.match((await run([], many)).notes.join('\n'), /6 battles, 1000 failed/)
})

test('of contests, only the two answers whose game is missing have no battle', async () => {
  const pairs = [
    [0, 1],
    [0, 2],
    [1, 2],
  ]
  const rows = pairs.flatMap((pair, k) =>
    [0, 1].map((n) => ({
      models: ['x', 'y', 'z'],
      jb: {
        judge: 'pairwise',
        item: 'i',
        trial: { n: 2 * k + n, of: 6, order: n ? 'BA' : 'AB', pair, answers: 3 },
        reply: { text: 't', model: 'm' },
        verdict: { winner: pair[0], label: '' },
      },
    })),
  )
  const board = objects((await run([], rows.slice(0, 5))).text)
  assert.deepEqual(
    Object.fromEntries(board.map(({ model, battles, failed }) => [model, [battles, failed]])),
    { x: [4, 0], y: [2, 1], z: [2, 1] },
  )
  const none = objects((await run([], rows.slice(2))).text)
  assert.deepEqual(Object.fromEntries(none.map(({ model, battles, failed }) => [model, [battles, failed]])), {
    x: [2, 2],
    y: [2, 2],
    z: [4, 0],
  })
})

test('what a strong verdict counts is told by merged states; states that differ in it do not add up', async () => {
  const rows = ['A>>B', 'B>A', 'A>B'].map((winner, i) => ({ question_id: i, ...fight('x', 'y', winner)[0] }))
  const state = async (...args: string[]) => objects((await run([...args, '--partial'], rows)).text)
  const three = await state('--strong', '3')
  const [merged, direct] = [await run(['--merge'], three), await run(['--strong', '3'], rows)]
  assert.deepEqual([merged.text, merged.notes], [direct.text, direct.notes])
  const again = objects((await run(['--merge', '--partial'], three)).text)
  assert.equal((await board(['--merge'], again)).get('x')!.strong, 3)
  const other = objects((await run(['--partial'], [{ question_id: 'q', ...fight('x', 'y', 'A>B')[0] }])).text)
  await assert.rejects(run(['--merge'], [...three, ...other]), /of --strong 3 and 1 do not add up/)
})
