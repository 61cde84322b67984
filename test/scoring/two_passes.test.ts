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
