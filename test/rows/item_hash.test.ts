/** The hash of an item's id: made while lines are measured, or of its text, it is the same. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Block } from '../../src/rows/block.ts'
import { encode, type Latin1 } from '../../src/rows/bytes.ts'
import { hashText } from '../../src/rows/item_hash.ts'
import { Line } from '../../src/rows/line.ts'
import { LineIndexer, RECORD } from '../../src/rows/measure.ts'

const hashOf = (text: Latin1): number[] => {
  const hash = new Uint32Array(2)
  hashText(Block.of(text), 0, text.length, hash)
  return [...hash]
}

/** The items of lines, and the hashes that were made of them. */
function measured(
  lines: readonly string[],
  maskReplies: boolean,
): { item: Latin1; hash: number[]; has: boolean }[] {
  const room = LineIndexer.take()!
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
  assert.ok(room.add(bytes))
  const block = Block.of(room.first(bytes.length).latin1Slice(0, bytes.length))
  const found = room.measure(0, bytes.length, false, maskReplies).flatMap(({ records, sharedJbs }) => {
    const all: ReturnType<typeof measured> = []
    for (let at = 0; at < records.length; at += records[at + RECORD.size]!) {
      const line = Line.measured(block, records, at, sharedJbs)
      const hash = [line.itemHash >>> 0, line.itemHash2 >>> 0]
      all.push({ item: line.jbText(line.item), hash, has: line.hasItemHash })
    }
    return all
  })
  room.release()
  return found
}

const line = (item: unknown, more = '') =>
  `{"a":1,"jb":{"judge":"vanilla","item":${JSON.stringify(item)},"trial":{"n":0,"of":1}${more}}}`

test('of ids of every length and kind the hash is the same, while they are measured and of their text', () => {
  const ids = [
    ...Array.from({ length: 70 }, (_, i) => 'abcdefghij'.repeat(7).slice(0, i)),
    'é',
    'λ→日本',
    7,
    1.5,
    null,
    [1, 'x'],
  ]
  const lines = ids.flatMap((id) => [line(id), line(id, ',"verdict":{"label":"A"}')])
  for (const { item, hash, has } of measured(lines, true)) {
    assert.deepEqual(hash, hashOf(item), item)
    assert.ok(has)
  }
})

test('an id with a backslash has none: it may be written in several ways; nor has any without maskReplies', () => {
  const escaped = ['\\', 'a"b', `${'x'.repeat(40)}\n`, '\n']
  for (const { has } of measured(
    escaped.map((id) => line(id)),
    true,
  ))
    assert.ok(!has)
  // A backslash after the id is not part of it.
  for (const { has } of measured([line('p1', ',"reply":{"text":"\\n"}'), line('p1')], true)) assert.ok(has)
  for (const { has } of measured([line('p1')], false)) assert.ok(!has)
})

test('ids that differ in a few bits have hashes that have nothing in common', () => {
  const ids = Array.from({ length: 50_000 }, (_, i) => [
    `p${i}`,
    i.toString(2).padStart(32, '0'),
    `${String.fromCharCode(64 + (i & 63), 64 + ((i >> 6) & 63))}aa${'é'.repeat(i >> 12)}`,
  ]).flat()
  const distinct = new Set(ids)
  const hashes = [...distinct].map((id) => hashOf(encode(JSON.stringify(id))))
  for (const half of [0, 1]) {
    const seen = new Set(hashes.map((hash) => hash[half]))
    // Of n numbers of 32 bits n^2 / 2^33 are the same by chance.
    const chance = distinct.size ** 2 / 2 ** 33
    assert.ok(
      distinct.size - seen.size < 4 * chance + 10,
      `${distinct.size - seen.size} twice, by chance ${chance}`,
    )
    // A table takes its part by the last six bits of the first half, its slot by the first ones of the other.
    const parts = new Array<number>(64).fill(0)
    for (const hash of seen) parts[half === 0 ? hash! & 63 : hash! >>> 26]!++
    const mean = seen.size / 64
    for (const count of parts) assert.ok(Math.abs(count - mean) < 6 * Math.sqrt(mean), `${count} of ${mean}`)
  }
})
