/** Pieces of any size come back as they were, from memory and from the file. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Spool } from '../../src/files/spool.ts'
import { Fatal } from '../../src/rows/record.ts'

test('pieces shorter and longer than what waits in memory, as bytes and as text', () => {
  const sizes = [0, 1, 700_000, 300_000, 48_576, 3_000_000, 65_001, 65_001, 1_048_576, 5]
  const pieces = sizes.map((size, i) => Buffer.alloc(size, `${i} é`))
  const spool = new Spool()
  for (const [i, piece] of pieces.entries()) spool.add(i % 2 === 0 ? piece : piece.toString())
  assert.equal(spool.pieces, sizes.length)
  for (const i of [9, 3, 0, 5, 1, 2, 4, 6, 7, 8]) assert.ok(spool.read(i).equals(pieces[i]!), `piece ${i}`)
  spool.close()
})

test('a piece that cannot be written is not stored, those before it are, and later ones where there is room again', (t) => {
  const { TMPDIR } = process.env
  const restore = () => {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  }
  t.after(restore)
  process.env.TMPDIR = '/nonexistent'
  const spool = new Spool()
  const first = Buffer.alloc(1_000_000, 'first')
  spool.add(first)
  const add = () => spool.add(Buffer.alloc(100_000, 'lost'))
  assert.throws(add, (error) => error instanceof Fatal && /cannot write a temporary file/.test(error.message))
  assert.throws(add, Fatal)
  assert.ok(spool.read(0).equals(first))
  restore()
  const last = Buffer.alloc(2_000_000, 'last')
  spool.add(last)
  assert.equal(spool.pieces, 2)
  assert.ok(spool.read(0).equals(first) && spool.read(1).equals(last))
  spool.close()
})
