/** The table of items that have been counted: what it finds, what it costs, and which items repeat. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ascii, encode } from '../../../src/rows/bytes.ts'
import { hashItem } from '../../../src/scoring/_item_hash.ts'
import { ItemTable } from '../../../src/scoring/_item_table.ts'
import { Run, retriedIn } from '../../../src/scoring/_run.ts'
import { scoringModules } from '../../../src/scoring/_scoring.ts'

test('a table of items finds all it was given, and takes at most 16 bytes an item', () => {
  const table = new ItemTable()
  const digest = (i: number) => (i % 4095) + 1
  for (let i = 0; i < 40_000; i++) {
    hashItem(ascii(`"item ${i}"`))
    assert.equal(table.has, false)
    assert.equal(table.take(digest(i)), 0)
  }
  assert.ok(table.bytes / table.size <= 16, `${table.bytes / table.size} bytes an item`)
  for (let i = 0; i < 40_000; i++) {
    hashItem(ascii(`"item ${i}"`))
    assert.equal(table.take(1), digest(i))
  }
  hashItem(ascii('"\\u00e9"'))
  table.take(7)
  hashItem(encode('"\u00e9"'))
  assert.equal(table.take(1), 7)
  table.replace(9)
  assert.equal(table.take(1), 9)
  const other = new ItemTable()
  const state = table.state()
  assert.deepEqual([other.merge(state), other.size, other.merge(state)], [0, 40_001, 40_001])
})

test('a table that takes each item for new tells in the end whether one came twice', () => {
  const tables = [new ItemTable(true), new ItemTable()] as const
  const [trusting, table] = tables
  const take = (id: string) => {
    hashItem(ascii(id))
    return tables.map((one) => one.take(7))
  }
  assert.equal(trusting.repeats, false)
  // More than are put into one block, and compared as they are.
  for (let i = 0; i < 40_000; i++) assert.deepEqual(take(`"item ${i}"`), [0, 0])
  assert.deepEqual([trusting.repeats, trusting.size], [false, 40_000])
  assert.ok(trusting.bytes / trusting.size <= 16, `${trusting.bytes / trusting.size} bytes an item`)
  assert.deepEqual(take('"item 5"'), [0, 7])
  assert.equal(trusting.repeats, true)
  // As soon as one is looked for, each has its place.
  hashItem(ascii('"item 39999"'))
  assert.equal(trusting.has, true)
  assert.deepEqual([trusting.repeats, trusting.size], [true, 40_000])
  assert.equal(trusting.state(), table.state())
})

test('items of a run without a model are not looked at where none of them can have been tried again elsewhere', async () => {
  const run = new Run({}, await scoringModules(), true)
  hashItem(ascii('"item"'))
  run.items.take(7)
  assert.equal(retriedIn([run]), 0)
  // Still a list, in which none has a place.
  assert.equal(run.items.packed().length, 1)
})
