/** Small Parquet files, made by hand. */

/** Thrift's compact protocol, as far as a Parquet file needs it: structs of numbers, texts, lists and structs. */
type Thrift = number | string | Thrift[] | { [field: number]: Thrift | bigint }

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
}
const TYPES = { bigint: 6, number: 5, string: 8 } as const
const typeOf = (value: Thrift | bigint) =>
  Array.isArray(value) ? 9 : typeof value === 'object' ? 12 : TYPES[typeof value as keyof typeof TYPES]

function thrift(value: Thrift | bigint): number[] {
  if (typeof value === 'number' || typeof value === 'bigint')
    return varint(value < 0 ? -2 * Number(value) - 1 : 2 * Number(value))
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

const CODECS = { none: 0, gzip: 2, lzo: 3, brotli: 4, zstd: 6, lz4: 7 }

/** Members of a column's schema: its type, the length of fixed bytes, what it means, and a decimal's scale and precision. */
interface Column {
  1: number
  2?: number
  6?: number
  7?: number
  8?: number
}
export const [INT32, INT64, INT96, BYTES, FIXED, UTF8, DECIMAL, MICROS] = [1, 2, 3, 6, 7, 0, 5, 10]

/**
 * A Parquet file of one column, by default of texts.
 * @param more columns of the row group after it, said to be at these places
 * @param inside the object that the column stands in
 */
export function parquet(
  name: string,
  values: (string | Buffer)[],
  codec: keyof typeof CODECS = 'none',
  compress = (bytes: Buffer): Buffer => bytes,
  more: { name: string; offset: bigint; size: bigint }[] = [],
  { 1: type, ...meaning }: Column = { 1: BYTES, 6: UTF8 },
  inside: string[] = [],
): Buffer {
  const length = (value: string | Buffer) => {
    const bytes = Buffer.alloc(type === BYTES ? 4 : 0)
    if (type === BYTES) bytes.writeUInt32LE(value.length)
    return bytes
  }
  const plain = Buffer.concat(values.flatMap((value) => [length(value), Buffer.from(value as string)]))
  const data = compress(plain)
  const page = { 1: 0, 2: plain.length, 3: data.length, 5: { 1: values.length, 2: 0, 3: 3, 4: 3 } }
  const begin = Buffer.concat([Buffer.from('PAR1'), Buffer.from(thrift(page)), data])
  const size = BigInt(begin.length - 4)
  const count = BigInt(values.length)
  const column = {
    1: type,
    2: [0],
    3: [...inside, name],
    4: CODECS[codec],
    5: count,
    6: size,
    7: size,
    9: 4n,
  }
  const columns = [
    column,
    ...more.map(({ name, offset, size }) => ({ ...column, 3: [name], 7: size, 9: offset })),
  ]
  const names = [...new Set([name, ...more.map((one) => one.name)])]
  const meta = {
    1: 1,
    2: [
      { 4: 'schema', 5: inside.length > 0 ? 1 : names.length },
      ...inside.map((name) => ({ 3: 0, 4: name, 5: 1 })),
      ...names.map((name) => ({ 1: type, 3: 0, 4: name, ...meaning })),
    ],
    3: count,
    4: [{ 1: columns.map((one) => ({ 2: 4n, 3: one })), 2: size, 3: count }],
  } as unknown as Thrift
  const footer = Buffer.from(thrift(meta))
  const tail = Buffer.alloc(4)
  tail.writeUInt32LE(footer.length)
  return Buffer.concat([begin, footer, tail, Buffer.from('PAR1')])
}
