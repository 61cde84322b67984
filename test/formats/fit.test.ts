/** Tables on a terminal: names are folded, then columns left out, last ones first. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitted, notShown, roomOf } from '../../src/formats/_fit.ts'
import { styled, tableLines } from '../../src/formats/_table.ts'
import type { Context } from '../../src/rows/stage.ts'

const wide = (text: string) => text.length
const table = {
  head: ['judge', 'items', 'accuracy', 'interval'],
  lines: [
    ['arena_hard · anthropic/claude-3-5-sonnet-20241022', '350', '70.81 %', '65.6–75.5'],
    ['vanilla · m', '350', '50.00 %', '44.8–55.2'],
  ],
}
const printed = (room: number | undefined) => {
  const { left, ...fit } = fitted(table, wide, { room, names: 1 })
  return [...tableLines(fit, wide, styled(false)), ...notShown(left)]
}

test('a table that fits is left alone', () => {
  for (const room of [undefined, 200, 79])
    assert.deepEqual(printed(room), tableLines(table, wide, styled(false)), String(room))
})

test('names are folded behind a sign, and figures stand beside their first line', () => {
  assert.deepEqual(printed(50), [
    'judge                  items  accuracy   interval',
    '---------------------  -----  --------  ---------',
    'arena_hard ·             350   70.81 %  65.6–75.5',
    'anthropic/claude-3-5-',
    'sonnet-20241022',
    'vanilla · m              350   50.00 %  44.8–55.2',
  ])
})

test('columns that have no room are named; the first figure stays', () => {
  assert.equal(printed(40).at(-1), 'not shown: interval (--wide shows all columns)')
  const narrow = printed(10)
  assert.equal(narrow[0], 'judge            items')
  assert.equal(narrow.at(-1), 'not shown: accuracy, interval (--wide shows all columns)')
  const { lines } = fitted({ head: ['n', 'x'], lines: [['a'.repeat(40), '1']] }, wide, { room: 20, names: 1 })
  assert.deepEqual(lines.map(([name]) => name).join(''), 'a'.repeat(40))
})

test('room is that of the terminal, and of nothing else', () => {
  const context = (output: boolean, env = {}) =>
    ({ terminal: { output, color: false, columns: 70 }, env }) as Context
  assert.equal(roomOf(context(true), { wide: false }), 70)
  assert.equal(roomOf(context(true, { COLUMNS: '60' }), { wide: false }), 60)
  assert.equal(roomOf(context(true), { wide: true }), undefined)
  assert.equal(roomOf(context(false), { wide: false }), undefined)
})
