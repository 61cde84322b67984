/** Never a wrong number: an item counts once, whatever is counted twice, contradicted or tried again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { objects } from '../../helpers/stage.ts'
import { report, run, verdicts, written } from './_counts.ts'

test('an item counts once: the same reply again is left out, another is a conflict', async () => {
  const rows = verdicts(4)
  const once = await report(rows)
  const twice = await run([...rows, ...rows])
  assert.deepEqual(objects(twice.text)[0], once)
  assert.match(twice.notes[0]!, /item "p0" was counted already, with the same reply: it counts once/)
  const other = game('p1', 0, 1, 'B>A')
  const { items, valid, failures, correct } = await report([...rows, other])
  assert.deepEqual([items, valid, failures, correct], [4, 3, { conflict: 1 }, once.correct - 1])
  // The reply may differ where the verdict does not.
  const reworded = game('p1', 0, 1, 'A>B', { jb: { reply: { text: 'other words', model: 'm' } } })
  assert.deepEqual((await report([...rows, reworded])).failures, { conflict: 1 })
  // Other judges, models and names have their own items.
  const others = [{ judge: 'vanilla' }, { name: 'n' }, { reply: { text: 't', model: 'o' } }]
  for (const jb of others)
    assert.equal(objects((await run([...rows, ...verdicts(4, { jb })])).text).length, 2)
})

test('a reply of middle length is the same again, however its row was read', async () => {
  // More kinds of rows in turn than are known again at once, then each kind by itself, of which most are.
  const kinds = Array.from({ length: 40 }, (_, k) => k)
  const rowsOf = (k: number, i: number) => {
    const reply = { text: `${'x'.repeat(40)} ${i}`, model: 'm', served_model: `s${k}` }
    return [0, 1].map((n) => game(`p${k}.${i}`, n, 2, 'A>B', { jb: { reply } }))
  }
  const inTurn = [0, 1, 2, 3].flatMap((i) => kinds.flatMap((k) => rowsOf(k, i)))
  const byKind = kinds.flatMap((k) => [0, 1, 2, 3].flatMap((i) => rowsOf(k, i)))
  for (const rows of [
    [...inTurn, ...byKind],
    [...byKind, ...inTurn],
  ])
    assert.doesNotMatch((await run(rows)).notes.join(), /differ/)
})

test('two games an item: a game that comes again counts once, another reply to it is a conflict unless --combine takes both', async () => {
  const games = [game('p', 0, 2, 'A>B'), game('p', 0, 2, 'A>B'), game('p', 1, 2, 'A>B')]
  assert.deepEqual((await report(games)).games, 2)
  const conflict = [game('p', 0, 2, 'A>B'), game('p', 0, 2, 'B>A'), game('p', 1, 2, 'A>B')]
  assert.deepEqual((await report(conflict)).failures, { conflict: 1 })
  const both = await report(
    [...conflict, game('q', 0, 1, 'A>B'), game('q', 0, 1, 'B>A')],
    '--combine',
    'vote',
  )
  assert.deepEqual([both.items, both.valid, both.games, both.correct, both.tie], [2, 2, 5, 1, 1])
  const of = (...args: string[]) => written(conflict, 'rm-gallery', ...args)
  const counted = async (...args: string[]) => JSON.parse((await of(...args)).text).overall_accuracy
  assert.deepEqual(
    [(await counted()).valid_samples, (await counted('--combine', 'vote')).valid_samples],
    [0, 1],
  )
})

test('a failed trial that was tried again counts as it ended', async () => {
  const failed = game('p0', 0, 1, 'A>B', {
    jb: { error: { stage: 'call', code: 'timeout', message: 'x', model: 'm' } },
  })
  const rows = verdicts(3)
  const clean = await report(rows)
  for (const order of [
    [failed, ...rows],
    [...rows, failed],
  ]) {
    const ran = await run(order)
    assert.deepEqual(ran.notes, [])
    const { items, valid, failures, accuracy } = objects(ran.text)[0]
    assert.deepEqual([items, valid, failures, accuracy], [3, 3, {}, clean.accuracy])
  }
})

test('--merge refuses a state twice, and shards with an item in common', async (t) => {
  const state = async (rows: object[]) => (await run(rows, '--partial')).text
  const rows = verdicts(6)
  const [a, b, c] = await Promise.all([rows.slice(0, 3), rows.slice(2), rows.slice(3)].map(state))
  const path = folder(t, { a: a!, again: a!, b: b!, c: c! })
  const merge = (...names: string[]) => run([], '--merge', ...names.map((name) => `${path}/${name}`))
  await assert.rejects(merge('a', 'again'), /again:1: 3 of its items are in a state before it/)
  await assert.rejects(merge('a', 'b'), /b:1: 1 of its items are in a state before it/)
  assert.deepEqual(objects((await merge('c', 'a')).text)[0], await report(rows))
  // Of a million items 10.7 bytes each.
  const { items } = JSON.parse(await state(verdicts(3000)))
  assert.ok(items.length / 3000 < 11)
})

test('two replies that differ are a conflict, also where 12 bits of their digests are the same', async () => {
  const reply = (text: string) => ({
    label: 'A>B',
    jb: {
      judge: 'j',
      item: 'p5103',
      trial: { n: 0, of: 1, order: 'AB' },
      reply: { text, model: 'm' },
      verdict: { label: 'A>B', decision: 'A>B' },
    },
  })
  const { valid, failures } = await report([reply('a reply 5103'), reply('another reply 35721')])
  assert.deepEqual([valid, failures], [0, { conflict: 1 }])
})

test('rows of a file that repeat items are counted, and told of, as those of a pipe', async (t) => {
  const error = { stage: 'call', code: 'timeout', message: 'x', model: 'm' }
  const failed = (item: string, ...args: [n: number, of: number]) =>
    game(item, ...args, 'A>B', { jb: { error, verdict: null, reply: null } })
  const plain = (count: number) =>
    verdicts(count, { source: 's', jb: { reply: null } }).map((row, i) => ({ ...row, source: `s${i % 2}` }))
  const both = (item: string) => [0, 1].map((n) => game(item, n, 2, 'A>B'))
  const cases: [rows: object[], ...args: string[]][] = [
    [[...plain(40), ...plain(3)]],
    [[...plain(40), game('p7', 0, 1, 'A=B', { jb: { reply: null } }), ...plain(1)]],
    [[...verdicts(40), ...verdicts(2)]],
    [[...verdicts(40), ...verdicts(1, { jb: { reply: { text: 'other', model: 'm' } } })]],
    [[...both('a'), ...both('b'), ...both('c'), ...both('a'), game('b', 0, 2, 'A>B')]],
    [[failed('p1', 0, 1), ...verdicts(3), failed('p2', 0, 1), failed('z', 0, 2)]],
    [[...verdicts(9), ...verdicts(9)], '--partial'],
    [verdicts(9), '--partial'],
    [[...verdicts(9), ...verdicts(9)], '--combine', 'vote'],
    [[...verdicts(4), ...verdicts(3, { jb: { judge: 'other' } }), ...verdicts(1)], '--common'],
    [[...verdicts(4, { source: 'x' }), ...verdicts(1)], '--by', 'source', '--by', 'nothing'],
  ]
  for (const [i, [rows, ...args]] of cases.entries()) {
    const dir = folder(t, { 'rows.ndjson': ndjson(rows) })
    const sorted = ({ notes, ...ran }: Awaited<ReturnType<typeof run>>) => ({ ...ran, notes: notes.sort() })
    const [filed, piped] = [await run([], `${dir}/rows.ndjson`, ...args), await run(rows, ...args)]
    assert.deepEqual(sorted(filed), sorted(piped), `case ${i}`)
  }
})
