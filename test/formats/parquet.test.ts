/** jb-read parquet: what it decompresses, and words for what it cannot read; jb-write parquet: a typed table. */
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { format } from '../../src/formats/parquet.ts'
import type { Source } from '../../src/rows/reader.ts'
import type { Context } from '../../src/rows/stage.ts'
import { folder } from '../helpers/folder.ts'
import { expect, fine, jb } from '../helpers/run.ts'
import { BYTES, DECIMAL, FIXED, INT32, INT64, INT96, MICROS, parquet } from './_parquet.ts'

const read = (cwd: string, ...args: string[]) => jb('read', ['parquet', ...args], { cwd })

/** A Zstandard frame of one block as it is (RFC 8878), and an LZ4 block of literals. */
const zstd = (bytes: Buffer) =>
  Buffer.concat([
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, bytes.length, (bytes.length << 3) | 1, 0, 0]),
    bytes,
  ])
const lz4 = (bytes: Buffer) => Buffer.concat([Buffer.from([bytes.length << 4]), bytes])

test('plain, gzip, brotli, zstd and lz4', async (t) => {
  const cwd = folder(t, {
    'plain.parquet': parquet('a', ['x', 'yy']),
    'gzip.parquet': parquet('a', ['x', 'yy'], 'gzip', gzipSync),
    'brotli.parquet': parquet('a', ['x', 'yy'], 'brotli', brotliCompressSync),
    'zstd.parquet': parquet('a', ['x', 'yy'], 'zstd', zstd),
    'lz4.parquet': parquet('a', ['x', 'yy'], 'lz4', lz4),
  })
  for (const name of ['plain', 'gzip', 'brotli', 'zstd', 'lz4'])
    assert.equal(fine(await read(cwd, `${name}.parquet`)).stdout, '{"a":"x"}\n{"a":"yy"}\n', name)
})

test('decimals and bytes are exact', async (t) => {
  const bytes = (hex: string) => Buffer.from(hex, 'hex')
  const decimal = (type: number, scale: number, ...more: object[]) =>
    Object.assign({ 1: type, 6: DECIMAL, 7: scale, 8: 38 }, ...more)
  const rows = async (values: Buffer[], column: Parameters<typeof parquet>[5]) => {
    const cwd = folder(t, { file: parquet('a', values, 'none', (all) => all, [], column) })
    return fine(await read(cwd, 'file'))
      .stdout.split('\n')
      .slice(0, -1)
  }
  // 3, -70, 11 in tenths.
  const int32 = ['03000000', 'baffffff', '0b000000'].map(bytes)
  assert.deepEqual(await rows(int32, decimal(INT32, 1)), ['{"a":0.3}', '{"a":-7}', '{"a":1.1}'])
  const int64 = ['ffffffffffffff7f', '0100000000000000'].map(bytes)
  assert.deepEqual(await rows(int64, decimal(INT64, 2)), ['{"a":"92233720368547758.07"}', '{"a":0.01}'])
  const ids = ['00ab54a98ceb1f0ad2', '00ab54a98ceb1f0ad3', 'ffffffffffffffffff', '000000000000000000'].map(
    bytes,
  )
  assert.deepEqual(await rows(ids, decimal(FIXED, 0, { 2: 9 })), [
    '{"a":"12345678901234567890"}',
    '{"a":"12345678901234567891"}',
    '{"a":-1}',
    '{"a":0}',
  ])
  assert.deepEqual(await rows([bytes('fb2e'), bytes('0141'), bytes('')], decimal(BYTES, 3)), [
    '{"a":-1.234}',
    '{"a":0.321}',
    '{"a":0}',
  ])
  // Texts whose file does not say that they are, and bytes that are none.
  const plain = [Buffer.from('é'), bytes('ff00')]
  assert.deepEqual(await rows(plain, { 1: BYTES }), ['{"a":"é"}', '{"a":"/wA="}'])
  assert.deepEqual(await rows([bytes('6162'), bytes('ff00')], { 1: FIXED, 2: 2 }), [
    '{"a":"YWI="}',
    '{"a":"/wA="}',
  ])
})

test('decimals inside objects are exact, and so are times', async (t) => {
  const rows = async (values: bigint[], column: Parameters<typeof parquet>[5], inside: string[] = []) => {
    const bytes = values.map((value) => {
      const buffer = Buffer.alloc(8)
      buffer.writeBigInt64LE(value)
      return buffer
    })
    const cwd = folder(t, { file: parquet('a', bytes, 'none', (all) => all, [], column, inside) })
    return fine(await read(cwd, 'file'))
      .stdout.trimEnd()
      .split('\n')
  }
  assert.deepEqual(await rows([30n, 12345678901234567n], { 1: INT64, 6: DECIMAL, 7: 2, 8: 18 }, ['o', 'p']), [
    '{"o":{"p":{"a":0.3}}}',
    '{"o":{"p":{"a":"123456789012345.67"}}}',
  ])
  assert.deepEqual(
    await rows([1_700_000_000_123_456n, 1_700_000_000_123_000n, -1n], { 1: INT64, 6: MICROS }),
    [
      '{"a":"2023-11-14T22:13:20.123456Z"}',
      '{"a":"2023-11-14T22:13:20.123Z"}',
      '{"a":"1969-12-31T23:59:59.999999Z"}',
    ],
  )
  // The day with the nanoseconds after midnight.
  const nanos = Buffer.alloc(12)
  nanos.writeBigInt64LE(1_000_000_001n)
  nanos.writeInt32LE(2_440_588, 8)
  const cwd = folder(t, { file: parquet('a', [nanos], 'none', (all) => all, [], { 1: INT96 }) })
  assert.equal(fine(await read(cwd, 'file')).stdout, '{"a":"1970-01-01T00:00:01.000000001Z"}\n')
})

test('what cannot be read is said in words, with what to do', async (t) => {
  const whole = parquet('a', ['x', 'yy'])
  const cwd = folder(t, {
    empty: '',
    text: 'a,b\n1,2\n',
    cut: whole.subarray(0, 60),
    damaged: Buffer.concat([
      Buffer.from('PAR1'),
      Buffer.alloc(60, 0x19),
      Buffer.from([8, 0, 0, 0]),
      Buffer.from('PAR1'),
    ]),
    lzo: parquet('a', ['x'], 'lzo'),
  })
  for (const [name, why] of [
    ['empty', 'the file is empty'],
    ['text', 'this is no Parquet file, or one that was cut short: it does not end in PAR1'],
    ['cut', 'this is no Parquet file, or one that was cut short: it does not end in PAR1'],
    ['damaged', 'the Parquet data is damaged'],
    [
      'lzo',
      "LZO compression is not read here: write the file with zstd (DuckDB: COPY 'lzo' TO 'new.parquet' (COMPRESSION zstd))",
    ],
  ])
    expect(await read(cwd, name!), { code: 65, out: '', err: `jb-read: ${name}: ${why}\n` })
})

test('a column called jb is refused, or treated as --bad-rows says', async (t) => {
  const cwd = folder(t, { 'a.parquet': parquet('jb', ['x']) })
  const err = /^jb-read: a\.parquet:1: the key "jb" is reserved and must hold an object/
  expect(await read(cwd, 'a.parquet'), { code: 65, out: '', err })
  expect(await read(cwd, 'a.parquet', '--bad-rows', 'skip'), { out: '', err })
})

test('a file that fails leaves no read and no rejected promise behind', async (t) => {
  const texts = ['x']
  const backwards = { name: 'far', offset: 5_000_000n, size: -9n }
  const cwd = folder(t, {
    backwards: parquet('question', texts, 'none', undefined, [backwards]),
    twice: parquet('question', texts, 'lz4', undefined, [{ name: 'question', offset: 4n, size: 9n }]),
  })
  const streams: fs.ReadStream[] = []
  const open = fs.createReadStream
  t.mock.method(fs, 'createReadStream', (...args: Parameters<typeof open>) => {
    streams.push(open(...args))
    return streams.at(-1)
  })
  syncBuiltinESMExports()
  t.after(syncBuiltinESMExports)
  const source = { name: 'backwards', path: `${cwd}/backwards` } as Source
  await assert.rejects(async () => {
    for await (const _ of format.read!([source], {}, {} as Context)) assert.fail()
  }, /^Error: backwards: the Parquet data is damaged$/)
  assert.deepEqual(
    streams.map(({ readableEnded }) => readableEnded),
    [true, true],
  )
  const err =
    'jb-read: twice: the Parquet data is damaged: column question is not in the schema, or occurs twice\n'
  expect(await read(cwd, 'twice'), { code: 65, out: '', err })
})

test('a table of results: an item a line, a type a column, jb’s own columns always there', async (t) => {
  const rows = [
    { id: 'a', n: 1, mixed: 1, long: 5, tags: ['x'], label: 'A>B', flag: true },
    { id: 'b', n: 2, mixed: 0.5, tags: null, label: 'B>A', flag: null, late: 'é' },
  ]
  const judged = rows.map((row, i) => {
    const jb = {
      judge: 'x',
      item: row.id,
      trial: { n: 0, of: 1 },
      verdict: { label: 'A', decision: i ? 'A=B' : 'A>B' },
    }
    return JSON.stringify({ ...row, jb })
  })
  // A number that JavaScript would round is a text, and so is its column.
  const lines = judged.join('\n').replace('"mixed":0.5', '"mixed":0.5,"long":12345678901234567890')
  const failed =
    '{"id":"c","jb":{"judge":"x","item":"c","trial":{"n":0,"of":1},"error":{"stage":"call","code":"timeout","message":"slow"}}}'
  const cwd = folder(t)
  fine(await jb('write', ['parquet', '-q', '-o', 'out.parquet'], { cwd, stdin: `${lines}\n${failed}\n` }))
  const written = fine(await read(cwd, 'out.parquet'))
    .stdout.trim()
    .split('\n')
  const [a, b, c] = written.map((line) => JSON.parse(line))
  assert.deepEqual(
    [
      a.n,
      a.mixed,
      a.long,
      a.tags,
      a.flag,
      a.late,
      a.item,
      a.score_a,
      a.correct,
      a.label,
      a.jb_label,
      a.error,
    ],
    [1, 1, '5', '["x"]', true, null, 'a', 1, true, 'A>B', 'A>B', null],
  )
  assert.deepEqual(
    [b.n, b.mixed, b.long, b.tags, b.flag, b.late, b.score_a, b.score_b, b.correct, b.trials],
    [2, 0.5, '12345678901234567890', null, null, 'é', 0.5, 0.5, false, 1],
  )
  assert.deepEqual([c.n, c.score_a, c.correct, c.error, c.message], [null, null, null, 'timeout', 'slow'])
  const { asyncBufferFromFile, parquetMetadataAsync } = await import('hyparquet')
  const { schema } = await parquetMetadataAsync(await asyncBufferFromFile(`${cwd}/out.parquet`))
  const types = Object.fromEntries(
    schema.map(({ name, type, converted_type }) => [name, converted_type ?? type]),
  )
  const { n, mixed, flag, score_a, correct, trials } = types
  assert.deepEqual(
    [n, mixed, flag, score_a, correct, trials],
    ['INT64', 'DOUBLE', 'BOOLEAN', 'DOUBLE', 'BOOLEAN', 'INT32'],
  )
})

test('an image of Hugging Face, bytes and path in a struct, is sent as an image', async (t) => {
  const { parquetWriteBuffer } = await import('hyparquet-writer')
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'
  const optional = { repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY' } as const
  const file = parquetWriteBuffer({
    schema: [
      { name: 'root', num_children: 1 },
      { name: 'pic', repetition_type: 'OPTIONAL', num_children: 2 },
      { name: 'bytes', ...optional },
      { name: 'path', ...optional, converted_type: 'UTF8' },
    ],
    columnData: [
      { name: 'pic', data: [{ bytes: new Uint8Array(Buffer.from(png, 'base64')), path: 'x.jpg' }] },
    ],
  })
  const judge =
    'kind: choice\nfields: { pic: pic }\nmessages:\n  - role: user\n    content:\n      - { images: pic }\nverdict: { rule: label, pattern: (YES|NO) }\n'
  const cwd = folder(t, { 'a.parquet': Buffer.from(file), 'see.yaml': judge })
  const { stdout } = fine(await jb('read', ['a.parquet'], { cwd }))
  const rendered = fine(await jb('render', ['see.yaml'], { cwd, stdin: stdout }))
  assert.ok(rendered.stdout.includes(`"image_url":{"url":"data:image/png;base64,${png}"}`))
})
