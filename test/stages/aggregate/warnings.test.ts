/** Warnings in reports: JSON, table and Markdown. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aggregate } from '../../../src/stages/aggregate/aggregate.ts'
import { spec } from '../../../src/stages/aggregate/options.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'

const report = async (rows: object[], ...args: string[]) =>
  (await staged(spec, aggregate, args, ndjson(rows))).text
const codes = async (rows: object[]) =>
  objects(await report(rows))[0].warnings.map(({ code }: { code: string }) => code)

/** Pairs in both orders, of which the judge gets this many right. */
const both = (items: number, right: number, more: (i: number) => object = () => ({})) =>
  Array.from({ length: items }, (_, i) =>
    ['A>B', 'B>A'].map((_, n) => {
      const label = i % 2 ? 'A>B' : 'B>A'
      const said = i < right === (label === 'A>B') ? 'A>B' : 'B>A'
      return game(`i${i}`, n, 2, said, { label, ...more(i) })
    }),
  ).flat()

test('warnings of a report, and those that it does not have', async () => {
  assert.deepEqual(await codes(both(30, 29)), [])
  assert.deepEqual(await codes(both(30, 30)), ['ceiling'])
  assert.deepEqual(await codes(both(29, 20)), ['few_items'])
  assert.deepEqual(await codes(both(40, 5)), ['worse_than_chance'])
  const first = Array.from({ length: 40 }, (_, i) => game(`i${i}`, 0, 1, i % 2 ? 'A>B' : 'B>A'))
  assert.deepEqual(await codes(first), ['one_order'])
  // The first slot, in both orders: of A and of B.
  const slot = [0, 1].flatMap((n) =>
    Array.from({ length: 40 }, (_, i) => game(`i${i}`, n, 2, n === 0 ? 'A>B' : 'B>A')),
  )
  assert.ok((await codes(slot)).includes('slot'))
})

test('items that lack one of two orders are said, however the order was lost', async () => {
  const rows = both(60, 50)
  const isLost = (i: number) => i % 2 === 1 && i < 40
  const missing = rows.filter((_, i) => !isLost(i))
  const error = { stage: 'call', code: 'timeout', message: 'x' }
  const failed = rows.map((row, i) =>
    isLost(i) ? { ...row, jb: { ...row.jb, verdict: undefined, error } } : row,
  )
  for (const some of [missing, failed])
    assert.match(
      await report(some, '--format', 'table'),
      /warning: 20 items have a verdict in one order alone \(AB 20\): they failed, and no figure has those verdicts \(unused_orders\)/,
    )
  const shards =
    (await report(missing.slice(0, 30), '--partial')) + (await report(missing.slice(30), '--partial'))
  const merged = objects((await staged(spec, aggregate, ['--merge'], shards)).text)[0]
  assert.deepEqual(merged.warnings, objects(await report(missing))[0].warnings)
})

test('failures of one group: the warning is in each form of the report', async () => {
  const failing = (many: number) =>
    both(80, 70, (i) => ({ source: i < 20 ? 'math' : 'code' })).map((row, i) =>
      i / 2 < many
        ? {
            ...row,
            jb: { ...row.jb, verdict: undefined, error: { stage: 'call', code: 'timeout', message: 'x' } },
          }
        : row,
    )
  assert.deepEqual(await codes(failing(2)), [])
  assert.deepEqual(await codes(failing(8)), ['failures_by_group'])
  for (const format of ['table', 'markdown'])
    assert.match(
      await report(failing(8), '--format', format),
      /warning: failures are not at random: 8 of 20 \(40 %\) items failed where source is math, 0 of 60/,
    )
})
