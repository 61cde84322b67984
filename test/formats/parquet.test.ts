/** jb-read parquet: what it decompresses, and words for what it cannot read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { folder } from '../helpers/folder.ts'
import { expect, fine, jb } from '../helpers/run.ts'

/** Thrift's compact protocol, as far as a Parquet file needs it: structs of numbers, texts, lists and structs. */
type Thrift = number | string | Thrift[] | { [field: number]: Thrift | bigint }

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
}
const TYPES = { bigint: 6, number: 5, string: 8 } as const
const typeOf = (value: Thrift | bigint) =>
  Array.isArray(value) ? 9 : typeof value === 'object' ? 12 : TYPES[typeof value as keyof typeof TYPES]

function thrift(value: Thrift | bigint): number[] {
  if (typeof value === 'number' || typeof value === 'bigint') return varint(Number(value) * 2)
  if (typeof value === 'string') return [...varint(value.length), ...Buffer.from(value)]
  if (Array.isArray(value)) return [(value.length << 4) | typeOf(value[0]!), ...value.flatMap(thrift)]
  let before = 0
  const fields = Object.entries(value).flatMap(([id, one]) => {
    const step = Number(id) - before
    before = Number(id)
    return [(step << 4) | typeOf(one), ...thrift(one)]
  })
  return [...fields, 0]
}

const CODECS = { none: 0, gzip: 2, brotli: 4, zstd: 6, lz4: 7 }

/** A Parquet file of one column of texts. */
function parquet(
  name: string,
  values: string[],
  codec: keyof typeof CODECS = 'none',
  compress = (bytes: Buffer): Buffer => bytes,
): Buffer {
  const length = (value: string) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(value.length)
    return bytes
  }
  const plain = Buffer.concat(values.flatMap((value) => [length(value), Buffer.from(value)]))
  const data = compress(plain)
  const page = { 1: 0, 2: plain.length, 3: data.length, 5: { 1: values.length, 2: 0, 3: 3, 4: 3 } }
  const begin = Buffer.concat([Buffer.from('PAR1'), Buffer.from(thrift(page)), data])
  const size = BigInt(begin.length - 4)
  const count = BigInt(values.length)
  const column = { 1: 6, 2: [0], 3: [name], 4: CODECS[codec], 5: count, 6: size, 7: size, 9: 4n }
  const meta = {
    1: 1,
    2: [
      { 4: 'schema', 5: 1 },
      { 1: 6, 3: 0, 4: name, 6: 0 },
    ],
    3: count,
    4: [{ 1: [{ 2: 4n, 3: column }], 2: size, 3: count }],
  } as unknown as Thrift
  const footer = Buffer.from(thrift(meta))
  const tail = Buffer.alloc(4)
  tail.writeUInt32LE(footer.length)
  return Buffer.concat([begin, footer, tail, Buffer.from('PAR1')])
}

const read = (cwd: string, ...args: string[]) => jb('read', ['parquet', ...args], { cwd })

test('plain, gzip and brotli', async (t) => {
  const cwd = folder(t, {
    'plain.parquet': parquet('a', ['x', 'yy']),
    'gzip.parquet': parquet('a', ['x', 'yy'], 'gzip', gzipSync),
    'brotli.parquet': parquet('a', ['x', 'yy'], 'brotli', brotliCompressSync),
  })
  for (const name of ['plain', 'gzip', 'brotli'])
    assert.equal(fine(await read(cwd, `${name}.parquet`)).stdout, '{"a":"x"}\n{"a":"yy"}\n', name)
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
    lz4: parquet('a', ['x'], 'lz4'),
  })
  for (const [name, why] of [
    ['empty', 'the file is empty'],
    ['text', 'this is no Parquet file, or one that was cut short: it does not end in PAR1'],
    ['cut', 'this is no Parquet file, or one that was cut short: it does not end in PAR1'],
    ['damaged', 'the Parquet data is damaged'],
    [
      'lz4',
      "LZ4_RAW compression is not read here: write the file with snappy, gzip or brotli (DuckDB: COPY 'lz4' TO 'new.parquet' (COMPRESSION snappy))",
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
