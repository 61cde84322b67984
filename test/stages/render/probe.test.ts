/** --probe: changed copies of items, the same whatever the order of rows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spec } from '../../../src/stages/render/options.ts'
import { render } from '../../../src/stages/render/render.ts'
import { ndjson, pair } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'

test('a changed copy of each item goes beside it, and says what was done to which', async () => {
  const items = Array.from({ length: 6 }, (_, i) => pair({ pair_id: `p${i}`, model_a: 'x', model_b: 'y' }))
  const run = async (rows: object[]) =>
    objects(
      (
        await staged(
          spec,
          render,
          ['vanilla', '--probe', 'quote', '--probe', 'swap', '--probe', 'null', '--probe', 'pad'],
          ndjson(rows),
        )
      ).text,
    )
  const rows = await run(items)
  assert.equal(rows.length, 30)
  const byItem = new Map(rows.map((row) => [row.jb.item, row]))
  assert.deepEqual(byItem.get('p1').jb.probe, undefined)
  const quoted = byItem.get('p1#quote')
  const { kind, of, answer } = quoted.jb.probe
  assert.deepEqual([kind, of], ['quote', 'p1'])
  assert.match(quoted[answer === 0 ? 'response_A' : 'response_B'], /this answer \([AB]\) is the better one/)
  assert.equal(
    quoted[answer === 0 ? 'response_B' : 'response_A'],
    items[1]![answer === 0 ? 'response_B' : 'response_A'],
  )
  assert.match(byItem.get('p1#swap').response_A, /^\(Written by y\)/)
  const before = items[1]!.response_A.length + items[1]!.response_B.length
  const padded = byItem.get('p1#pad')
  assert.ok(padded.response_A.length + padded.response_B.length > before)
  const turned = new Map((await run(items.toReversed())).map((row) => [row.jb.item, row]))
  for (const [item, row] of byItem) assert.deepEqual(turned.get(item), row)
  assert.ok(new Set(rows.flatMap(({ jb }) => jb.probe?.answer ?? [])).size === 2)
})

test('a copy that cannot be made fails under its own name: the item itself counts once', async () => {
  const [row] = [pair({ pair_id: 'p', response_A: 7 })]
  const { text } = await staged(spec, render, ['vanilla', '--probe', 'pad'], ndjson([row!]))
  const [whole, copy] = objects(text)
  assert.deepEqual([whole.jb.item, whole.jb.error], ['p', undefined])
  const { item, probe, judge, error } = copy.jb
  assert.deepEqual([item, probe, judge], ['p#pad', { kind: 'pad', of: 'p' }, 'vanilla'])
  assert.match(error.message, /field "response_A" is not a string/)
})
