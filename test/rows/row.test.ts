/** Rows that are read where they stand, in bytes that the next read overwrites, are rows with bytes of their own. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { fileChunks } from '../../src/rows/chunks.ts'
import { Lines } from '../../src/rows/lines.ts'
import { readRows, type Source } from '../../src/rows/reader.ts'
import { ascii, encode, Row, Spliced } from '../../src/rows/row.ts'
import { Output } from '../../src/rows/writer.ts'
import { lastingFolder } from '../helpers/folder.ts'
import { rowText } from '../helpers/json-text.ts'

const folder = lastingFolder()

const KEYS = ['item', 'reply', 'trial', 'judge', 'a', 'b', '10', '__proto__']

/** All that a row gives of itself, unchanged and changed, and its bytes. */
function told(row: Row): unknown {
  const changed = row.fork().set('verdict', { label: 'é' })
  return [
    row.place,
    row.bytes,
    row.itemText(),
    row.jbText(),
    KEYS.map((key) => [row.has(key), row.text(key), row.fieldText(key), row.fieldBytes(key)]),
    KEYS.map((key) => [row.members(key), row.part(key, 'text'), row.part(key, 'model')]),
    row.text('item'),
    bytesOf(row),
    bytesOf(changed),
    bytesOf(row.bare().set('item', 'x')),
    bytesOf(row.fork().set('judge', undefined)),
  ]
}

function bytesOf(row: Row): string {
  const out = new Output({ stream: { on() {} } as never }, () => {})
  row.write(out)
  let text = ''
  row.write({
    bytes: (piece) => (text += piece),
    text: (piece) => (text += Buffer.from(piece).toString('latin1')),
  })
  // What Output collects is the same as what a plain sink is given.
  const { buffer, used } = out as unknown as { buffer: Buffer; used: number }
  assert.equal(buffer.latin1Slice(0, used), text)
  return text
}

async function read(path: string, transient: boolean): Promise<unknown[]> {
  const source: Source = {
    name: 'f',
    open: () => assert.fail(),
    chunks: (_, space) => fileChunks(path, space),
  }
  const found: unknown[] = []
  const rows = readRows([source], {
    badRows: 'pass',
    stage: 'parse',
    signal: new AbortController().signal,
    onBadRow: (message, file, line) => found.push(`${file}:${line} ${message}`),
    transient,
  })
  for await (const batch of rows) for (const row of batch) found.push(told(row))
  return found
}

/** A row with a field that makes it long. */
const longRow = fc.tuple(rowText, fc.integer({ min: 0, max: 9000 })).map(([row, size]) => {
  const pad = `"pad":"${'é\\n'.repeat(size / 4)}"`
  return row.replace(/^\s*\{\s*(\}?)/, (_, close) => `{${pad}${close || ','}`)
})
const odd = fc.constantFrom('', 'nope', '{"a":', `{"a":"${'x'.repeat(4000)}`, '[1]', '{"jb":1}')

test('whatever the rows, and wherever reads end', async () => {
  const path = join(folder, 'rows')
  const lines = fc.array(fc.oneof({ weight: 9, arbitrary: longRow }, { weight: 1, arbitrary: odd }), {
    minLength: 1,
    maxLength: 60,
  })
  await fc.assert(
    fc.asyncProperty(
      lines,
      fc.constantFrom('\n', '\r\n'),
      fc.constantFrom('', '\n', '\xff'),
      async (rows, end, last) => {
        writeFileSync(path, Buffer.concat([Buffer.from(rows.join(end)), Buffer.from(last, 'latin1')]))
        assert.deepEqual(await read(path, true), await read(path, false))
      },
    ),
    { numRuns: 60 },
  )
})

test('a row that is kept longer than its batch says so', async () => {
  const path = join(folder, 'kept')
  writeFileSync(path, `${JSON.stringify({ a: 'x'.repeat(5000), jb: { item: '1' } })}\n`.repeat(40))
  const source: Source = {
    name: 'f',
    open: () => assert.fail(),
    chunks: (_, space) => fileChunks(path, space),
  }
  const rows = readRows([source], {
    badRows: 'stop',
    stage: 'parse',
    signal: new AbortController().signal,
    onBadRow: (message) => assert.fail(message),
    transient: true,
  })
  const all: Row[] = []
  const owned: Row[] = []
  for await (const batch of rows) {
    for (const row of batch) row.set('prompt', new Spliced([ascii('"'), row.stringPart('a')!, ascii('"')]))
    all.push(...batch)
    owned.push(...batch.map((row) => row.detached()))
  }
  assert.equal(all.length, 40)
  assert.throws(() => all[0]!.item, /kept longer than its batch/)
  assert.throws(() => all[0]!.text('prompt'), /kept longer than its batch/)
  for (const row of owned) {
    assert.equal(String(row.item.a).length, 5000)
    assert.equal(row.get('prompt'), row.item.a)
  }
})

test('a jb that is begun anew stands last, after the user’s part as it was', () => {
  const written = (line: string) => {
    let text = ''
    const sink = { bytes: (piece: string) => (text += piece), text: (piece: string) => (text += piece) }
    Row.read(encode(line), 'f', 1).bare().set('item', 'x').write(sink)
    return text.trimEnd()
  }
  const lines = ['{"a":1,"jb":{"item":"y"}}', '{"jb":{"n":1},"a":1}', '{"a":1,"jb":{}} ']
  for (const line of lines) assert.equal(written(line), '{"a":1,"jb":{"item":"x"}}', line)
  assert.equal(written('{"jb":{"n":1}}'), '{"jb":{"item":"x"}}')
  assert.equal(written('{"a":1,"jb":{} }'), '{"a":1 ,"jb":{"item":"x"}}')
  assert.equal(written('{"a":[1,2], "b" : {} , "jb":{}}'), '{"a":[1,2], "b" : {} ,"jb":{"item":"x"}}')
})

test('the request is jb’s own, whatever else is called so, and its own failure if it is broken', () => {
  const rowOf = (jb: string) => {
    const options = {
      badRows: 'stop',
      stage: 'parse',
      onBadRow: (message: string) => assert.fail(message),
    } as const
    const lines = new Lines('f', options)
    lines.take(Buffer.from(`{"a":1,"jb":{${jb}}}\n`))
    return [...lines.rows()][0]![0]!
  }
  const request = `{"messages":[{"role":"user","content":"é"}],"seed":12345678901234567890}`
  const inner = `"earlier":[{"error":{"code":"x","request":{"a":1}}}]`
  for (const jb of [
    `"request":${request}`,
    `${inner},"request":${request}`,
    `"request" : ${request},${inner}`,
  ]) {
    const row = rowOf(`"item":"é",${jb},"reply":{"text":"t"}`)
    assert.equal(row.has('request'), true)
    assert.equal(row.text('request'), encode(request))
    assert.deepEqual(row.get('request'), JSON.parse(request))
    assert.deepEqual(new Map(row.members('request')).get('seed'), '12345678901234567890')
    assert.deepEqual([row.get('item'), row.part('reply', 'text')], ['é', 't'])
    if (jb.includes('earlier'))
      assert.deepEqual(row.get('earlier'), [{ error: { code: 'x', request: { a: 1 } } }])
  }
  const broken = rowOf(`"request":{"a":[nope],"b":""},"item":"i"`)
  assert.equal(broken.get('item'), 'i')
  assert.throws(() => broken.get('request'), /jb\.request is not valid JSON/)
})
