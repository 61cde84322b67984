/** jb-rank's alarms: models of few battles, failures of one model or in one order. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { game } from '../../helpers/rows.ts'
import { objects } from '../../helpers/stage.ts'
import { board, fight, run } from './_rank.ts'

const PAIRS = [
  ['x', 'y'],
  ['y', 'z'],
  ['z', 'x'],
] as const

/** Equal models: of each two, each wins every second battle of 60; of those that `lost` lost, seven in ten failed. */
const failing = (lost: string) =>
  PAIRS.flatMap(([a, b]) =>
    Array.from({ length: 60 }, (_, i) => {
      const loser = i % 2 ? a : b
      const isFailed = loser === lost && Math.floor(i / 2) % 10 < 7
      return { id: `${a}${b}${i}`, ...fight(a, b, isFailed ? null : i % 2 ? 'model_b' : 'model_a')[0]! }
    }),
  )

const coded = (of: { warnings: { code: string; sentence: string }[] }, code: string) =>
  of.warnings.filter((one) => one.code === code).map(({ sentence }) => sentence)

test('failures of the battles that one model lost are told', async () => {
  const all = await board(['--method', 'bt'], failing('z'))
  // What is left of its battles it has mostly won.
  assert.ok(all.get('z').score > 65)
  assert.deepEqual(coded(all.get('x'), 'failures_by_group'), [
    'failures are not at random: 42 of 120 (35 %) battles failed where z is one of the two, 0 of 60 (0 %) elsewhere (p below 0.0001)',
  ])
  assert.deepEqual(coded((await board([], failing('none'))).get('x'), 'failures_by_group'), [])
  // One failure in four, whoever fights.
  const even = failing('none').map((row, i) => (i % 4 === 0 ? { ...row, winner: null } : row))
  assert.deepEqual(coded((await board([], even)).get('x'), 'failures_by_group'), [])
})

test('failures in one order only are told; states of shards add up to the same', async () => {
  const rows = (fails: (item: number, n: number) => boolean) =>
    Array.from({ length: 40 }, (_, i) =>
      [0, 1].map((n) =>
        game(`i${i}`, n, 2, fails(i, n) ? 'none' : i % 2 ? 'A>B' : 'B>A', {
          model_a: 'x',
          model_b: 'y',
          ...(fails(i, n) && { jb: { verdict: undefined } }),
        }),
      ),
    ).flat()
  const second = rows((i, n) => n === 1 && i % 4 === 0)
  const all = await board([], second)
  assert.deepEqual(coded(all.get('x'), 'failures_by_group'), [
    'failures are not at random: 10 of 40 (25 %) games failed where the order is BA, 0 of 40 (0 %) elsewhere (p 0.0021)',
  ])
  const states = await Promise.all(
    [second.slice(0, 20), second.slice(20)].map(async (shard) =>
      objects((await run(['--partial'], shard)).text),
    ),
  )
  const merged = await board(['--merge'], states.flat())
  assert.deepEqual(coded(merged.get('x'), 'failures_by_group'), coded(all.get('x'), 'failures_by_group'))
  const both = await board(
    [],
    rows((i) => i % 4 === 0),
  )
  assert.deepEqual(coded(both.get('x'), 'failures_by_group'), [])
})

test('a model of fewer than ten battles has no rank of its own, and shifts nobody’s', async () => {
  const rows = [
    ...fight('x', 'y', 'model_a', 14),
    ...fight('x', 'y', 'model_b', 6),
    ...fight('once', 'x', 'model_a', 1),
    ...fight('nine', 'y', 'model_a', 6),
    ...fight('nine', 'y', 'model_b', 3),
  ]
  const all = [...(await board(['--method', 'bt'], rows)).values()]
  assert.deepEqual(
    all.map(({ model, rank, ranks, groups }) => [model, rank, ranks?.join('–'), groups.length]),
    [
      ['x', 1, '1–4', 1],
      ['y', 2, '1–4', 1],
      ['nine', null, '1–4', 0],
      ['once', null, '1–4', 0],
    ],
  )
  assert.deepEqual(coded(all[0], 'few_battles'), [
    'nine, once have fewer than 10 battles, and no rank of their own',
  ])
  const { text } = await run(['--method', 'bt', '--format', 'table'], rows)
  assert.doesNotMatch(text, /above all/)
  const ten = await board(['--method', 'bt'], [...rows, ...fight('nine', 'y', 'tie')])
  assert.equal(typeof ten.get('nine').rank, 'number')
  assert.deepEqual(coded(ten.get('x'), 'few_battles'), [
    'once has fewer than 10 battles, and no rank of its own',
  ])
})
