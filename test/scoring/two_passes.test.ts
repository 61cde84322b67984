/** Rows of a pipe again: the same rows at the same places, of memory and of the temporary file. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { readRows } from '../../src/rows/reader.ts'
import { encode, type Row } from '../../src/rows/row.ts'
import type { Context } from '../../src/rows/stage.ts'
import { TwoPasses } from '../../src/scoring/_two_passes.ts'

const stop = new AbortController().signal
const options = { badRows: 'pass' as const, stage: 'aggregate' as const, signal: stop, onBadRow: () => {} }

async function textOf(rows: AsyncIterable<Row[]>): Promise<string[]> {
  const lines: string[] = []
  for await (const batch of rows)
    for (const row of batch) {
      let text = `${row.place} `
      row.write({ bytes: (bytes) => (text += bytes), text: (more) => (text += encode(more)) })
      lines.push(text)
    }
  return lines
}

test('a pipe is read again as it was: blank lines, rows that are none, characters, more than memory holds', async () => {
  const pipe = [
    Buffer.from('\n{"id":1,"ü":"😀"}\n\n\n{"id":2'),
    Buffer.from(`}\nno row\n{"text":"${'x'.repeat(700_000)}"}\n`),
    Buffer.from(`{"text":"${'y'.repeat(700_000)}"}\n\n{"id":5}`),
  ]
  const sources = [{ name: '(stdin)', open: () => Readable.from(pipe) }]
  const context = { sources, stage: 'aggregate', stop } as unknown as Context
  const readings = new TwoPasses(readRows(sources, options), options, context)
  const first = await textOf(readings.first())
  assert.equal(first.length, 6)
  assert.match(first[0]!, /^\(stdin\):2 /)
  assert.match(first[5]!, /^\(stdin\):10 /)
  assert.deepEqual(await textOf(readings.second('why')), first)
  readings.close()
})

const LONG_ROW = `{"text":"${'x'.repeat(1024 * 1024)}"}\n`
/** Rows of a program, of which 16 MB are kept. */
const program = (count: number) => {
  const open = () => Readable.from(Array.from({ length: count }, () => Buffer.from(LONG_ROW)))
  const context = { sources: [], stage: 'aggregate', stop } as unknown as Context
  return new TwoPasses(readRows([{ name: 'rows', open }], options), options, context)
}
const countOf = async (rows: AsyncIterable<Row[]>) => (await textOf(rows)).length

test('where no more can be kept, the first pass ends early and the second reads on; there is no third', async () => {
  const passes = program(20)
  const first = await countOf(passes.first(true))
  assert.ok(first < 16, `${first} rows`)
  assert.equal(passes.endedEarly, true)
  const second = await textOf(passes.second('why'))
  assert.equal(second.length, 20)
  assert.match(second[19]!, /^rows:20 /)
  assert.equal(passes.isNew, true)
  assert.throws(
    () => passes.second('they differ'),
    /they differ, and to leave them out the input is read twice/,
  )
})

test('a first pass that may not end early reads all, and then there is no second', async () => {
  const passes = program(20)
  assert.equal(await countOf(passes.first()), 20)
  assert.equal(passes.endedEarly, false)
  assert.throws(() => passes.second('they differ'), /make room for temporary files/)
})

test('without a folder for temporary files the first pass ends early as well', async (t) => {
  const { TMPDIR } = process.env
  t.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  })
  process.env.TMPDIR = '/nonexistent'
  const passes = program(4)
  const first = await countOf(passes.first(true))
  assert.ok(passes.endedEarly && first < 4, `${first} rows`)
  assert.equal(await countOf(passes.second('')), 4)
})
