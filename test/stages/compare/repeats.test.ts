/** jb-compare: items and trials that are there several times, in whatever order their rows come. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compare } from '../../../src/stages/compare/compare.ts'
import { spec } from '../../../src/stages/compare/options.ts'
import { folder } from '../../helpers/folder.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { staged } from '../../helpers/stage.ts'

const run = (args: string[], rows: object[]) => staged(spec, compare, args, ndjson(rows))

const one = (model: string, item: string, n: number, decision = 'A>B', more: object = {}) =>
  game(item, n, 2, decision, { run: `r-${model}`, jb: { reply: { text: decision, model }, ...more } })

/** Two models on two items, two games each. */
const rows = ['m', 'k'].flatMap((model) =>
  ['p', 'q'].flatMap((item) => [0, 1].map((n) => one(model, item, n, model === 'k' && n ? 'B>A' : 'A>B'))),
)
const error = { stage: 'call', code: 'timeout', message: 'late', model: 'm' }

/** Rows before, after and among the others, from stdin and from a file. */
async function everyWay(t: Parameters<typeof folder>[0], more: object[], args: string[] = []) {
  const orders = [
    [...more, ...rows],
    [...rows, ...more],
    rows.flatMap((row, i) => [row, ...(i === 1 ? more : [])]),
  ]
  const told = (of: Promise<{ text: string }>) =>
    of
      .then(({ text }) => text)
      .catch(({ exitCode, message }) => `${exitCode} ${message.replace(/^\S+ /, '')}`)
  const found = new Set<string>()
  for (const order of [...orders, ...orders.map((all) => all.toReversed())]) {
    const dir = folder(t, { 'all.ndjson': ndjson(order) })
    found.add(await told(run(args, order)))
    found.add(await told(staged(spec, compare, [...args, `${dir}/all.ndjson`])))
  }
  return [...found]
}

test('a trial that is there again counts once, and one that was tried again as it ended', async (t) => {
  const { text } = await run([], rows)
  assert.deepEqual(await everyWay(t, [one('m', 'p', 1)]), [text])
  assert.deepEqual(
    await everyWay(t, [one('m', 'p', 1, 'A>B', { error, reply: undefined, verdict: undefined })]),
    [text],
  )
  assert.deepEqual(await everyWay(t, rows), [text])
})

test('another reply, or another label, fails the item wherever it stands', async (t) => {
  const other = [one('m', 'p', 1, 'B>A'), { ...one('m', 'p', 0), label: 'B>A' }]
  for (const more of other) {
    const found = await everyWay(t, [more])
    assert.equal(found.length, 1, found.join())
    const { items, failed } = JSON.parse(found[0]!)
    assert.deepEqual([items, failed], [1, { a: 0, b: 1 }])
  }
})

test('a label that is not that of the first trial decides nothing', async (t) => {
  const { text } = await run([], rows)
  assert.deepEqual(await everyWay(t, [{ ...one('m', 'p', 1), label: 'B>A' }]), [text])
})

test('--run FIELD: trials of two runs of one judge are not mixed', async (t) => {
  const of = (name: string, decision: string) =>
    ['p', 'q'].map((item) => [0, 1].map((n) => ({ ...one('m', item, n, decision), run: name })))
  const [a, b] = [of('a', 'A>B'), of('b', 'B>A')]
  const { text } = await run(['--run', 'run'], [...a, ...b].flat(2))
  const mixed = a.flatMap((games, i) => games.flatMap((row, n) => [row, b[i]![1 - n]!]))
  assert.equal((await run(['--run', 'run'], mixed)).text, text)
  const [pair] = JSON.parse(`[${text}]`)
  assert.deepEqual([pair.items, pair.mean_a, pair.mean_b], [2, 1, 0])
  const dir = folder(t, { 'all.ndjson': ndjson(mixed) })
  assert.equal((await staged(spec, compare, ['--run', 'run', `${dir}/all.ndjson`])).text, text)
})

test('results without trials that differ fail, the same one counts once', async (t) => {
  const result = (score: number) => ({
    jb: { judge: 'arena_hard', item: 'r', result: { kind: 'grade', model: 'm', score } },
  })
  const [alone] = await everyWay(t, [result(3)])
  assert.deepEqual(await everyWay(t, [result(3), result(3)]), [alone])
  const found = await everyWay(t, [result(3), result(4)])
  assert.equal(found.length, 1, found.join())
  assert.notEqual(found[0], alone)
})

test('--duplicates mean: samples of several games, whose rows stand in any order', async () => {
  // Replies to both games of three samples: level, right and wrong in each, and one more that is level.
  const samples = [
    ['A>B', 'B>A'],
    ['A>B', 'A>B'],
    ['B>A', 'B>A'],
    ['A>B', 'B>A'],
  ] as const
  const of = (model: string, item: string, games: readonly string[]) =>
    games.map((decision, n) => one(model, item, n, decision))
  const sampled = ['p', 'q'].map((item) => samples.map((games) => of('m', item, games)))
  const other = ['p', 'q'].flatMap((item) => of('k', item, ['A>B', 'A>B']))
  const args = ['--duplicates', 'mean', '--tie', '0.5']
  const { text } = await run(args, [...sampled.flat(2), ...other])
  const [pair] = JSON.parse(`[${text}]`)
  assert.deepEqual([pair.items, pair.mean_a, pair.mean_b], [2, 1, 0.5])
  const everySecond = (n: number) => sampled.flatMap((item) => item.map((games) => games[n]!))
  const orders = [
    // All first games, then all second ones, as after sorting by order; the samples of all items in turn.
    [...everySecond(0), ...other, ...everySecond(1)],
    [...everySecond(1), ...everySecond(0), ...other],
    samples.flatMap((_, i) => sampled.flatMap((item) => item[i]!)).concat(other),
    [...other, ...everySecond(0).toReversed(), ...everySecond(1).toReversed()],
  ]
  for (const order of orders) assert.equal((await run(args, order)).text, text)
})
