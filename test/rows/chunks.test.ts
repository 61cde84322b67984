/** However the bytes arrive, the rows are the same. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import ndjson from 'ndjson'
import { readRows, type Source } from '../../src/rows/reader.ts'
import { rowText } from '../helpers/json-text.ts'
import { replied } from '../helpers/rows.ts'
import { expect, fine, jb, Started } from '../helpers/run.ts'

/** Cuts bytes at these places. */
function cut(bytes: Buffer, places: number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...at].map((start, i) => bytes.subarray(start, at[i] ?? bytes.length))
}

const source = (name: string, chunks: Buffer[]): Source => ({ name, open: () => Readable.from(chunks) })

/** What readRows makes of the chunks: each row's text and place, and what was bad. */
async function read(chunks: Buffer[], badRows: 'skip' | 'stop' | 'pass' = 'skip'): Promise<string[]> {
  const found: string[] = []
  const rows = readRows([source('f', chunks)], {
    badRows,
    stage: 'parse',
    signal: new AbortController().signal,
    onBadRow: (message, file, line) => found.push(`${file}:${line} ${message}`),
  })
  for await (const batch of rows)
    for (const row of batch) {
      let text = ''
      row.write({ text: (piece) => (text += piece) })
      found.push(`${row.place} ${text}`)
    }
  // Bad rows are told of as they are met, rows in batches: their order among one another is not the point.
  return found.sort()
}

const line = fc.oneof(
  { weight: 6, arbitrary: rowText },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '  ', 'nope', '[1]', '7', '{"a":', '\ufeff{}', '{"s":"\u2028é😀"}'),
  },
)
const ending = fc.constantFrom('\n', '\n', '\r\n')
const input = fc
  .tuple(
    fc.constantFrom('', '', '\ufeff'),
    fc.array(fc.tuple(line, ending), { maxLength: 8 }),
    fc.oneof(fc.constant(''), line),
  )
  .map(([mark, lines, last]) => Buffer.from(mark + lines.flat().join('') + last))
  .chain((bytes) =>
    // Now and then a byte that is no UTF-8, anywhere.
    fc.option(fc.nat(bytes.length), { freq: 5 }).map((at) => {
      if (at === null) return bytes
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff]), bytes.subarray(at)])
    }),
  )

describe('any cut into chunks gives the same rows', () => {
  for (const policy of ['skip', 'stop', 'pass'] as const) {
    test(`--bad-rows ${policy}`, async () => {
      await fc.assert(
        fc.asyncProperty(input, fc.array(fc.nat(), { maxLength: 12 }), async (bytes, places) => {
          assert.deepEqual(await read(cut(bytes, places), policy), await read([bytes], policy))
        }),
        { numRuns: 100 },
      )
    })
  }

  test('byte by byte', async () => {
    const bytes = Buffer.from(
      '\ufeff{"a":"é😀\u2028"}\r\n\n{"b":1}\nnope\n {"c":[{}]} \n{"d":"\\"}\n"}\n{"e":2}',
    )
    const single = Array.from(bytes, (byte) => Buffer.from([byte]))
    const whole = await read([bytes])
    assert.deepEqual(await read(single), whole)
    assert.ok(whole.length >= 5)
  })

  test('with empty chunks between', async () => {
    const bytes = Buffer.from('{"a":1}\n{"b":2}\n')
    const empty = Buffer.alloc(0)
    assert.deepEqual(
      await read([empty, bytes.subarray(0, 5), empty, empty, bytes.subarray(5), empty]),
      await read([bytes]),
    )
  })
})

test('the rows are those that the ndjson package finds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(rowText, { maxLength: 10 }),
      fc.array(fc.nat(), { maxLength: 6 }),
      async (rows, places) => {
        const bytes = Buffer.from(rows.map((row) => `${row}\n`).join(''))
        const theirs: unknown[] = []
        for await (const value of Readable.from(cut(bytes, places)).pipe(ndjson.parse())) theirs.push(value)
        const ours: unknown[] = []
        const found = readRows([source('f', cut(bytes, places))], {
          badRows: 'stop',
          stage: 'parse',
          signal: new AbortController().signal,
          onBadRow: (message) => assert.fail(message),
        })
        for await (const batch of found) for (const row of batch) ours.push(row.item)
        assert.deepEqual(ours, theirs)
      },
    ),
    { numRuns: 50 },
  )
})

test('sources are read one after the other, each with line numbers of its own', async () => {
  const places: string[] = []
  const rows = readRows([source('a', [Buffer.from('{}\n{}')]), source('b', [Buffer.from('\n{}\n')])], {
    badRows: 'stop',
    stage: 'parse',
    signal: new AbortController().signal,
    onBadRow: (message) => assert.fail(message),
  })
  for await (const batch of rows) for (const row of batch) places.push(row.place)
  assert.deepEqual(places, ['a:1', 'a:2', 'b:2'])
})

const ROWS = ['Output (a)', 'é😀\u2028 Output (b)', 'nothing', 'Output (a)'].map((text, id) =>
  JSON.stringify(replied('vanilla', text, { item: String(id) }, { id, text })),
)

test('a pipe that is fed in pieces, cut in the middle of characters and rows', async (t) => {
  const bytes = Buffer.from(ROWS.join('\n'))
  const whole = expect(await jb('parse', ['-q'], { stdin: bytes }), {})
  for (const pieces of [
    cut(bytes, [1, 2, 3, 200, 201, 202, 203, 204, 205, 400]),
    cut(bytes, [bytes.length - 1]),
  ]) {
    const run = new Started(t, 'parse', ['-q'])
    for (const piece of pieces) {
      run.child.stdin.write(piece)
      // Time for the filter to read it by itself: the outcome must not depend on it.
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    run.child.stdin.end()
    assert.equal(expect(await run.done, {}).stdout, whole.stdout)
  }
})

test('rows longer than what one read brings', async () => {
  const rows = [70_000, 1, 140_000, 65_536, 65_535, 2].map(
    (size, id) => `{"id":${id},"s":"${'é'.repeat(size)}"}`,
  )
  const ran = fine(await jb('score', ['-q'], { stdin: `${rows.join('\n')}\n` }))
  const lines = ran.stdout.slice(0, -1).split('\n')
  assert.deepEqual(
    lines.map((one) => `${one.slice(0, one.lastIndexOf(',"jb"'))}}`),
    rows,
  )
})
