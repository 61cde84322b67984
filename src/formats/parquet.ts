/** Parquet files: one row per record, read by row groups (most data sets on Hugging Face); a table of results. */
import { isUtf8 } from 'node:buffer'
import { statSync } from 'node:fs'
import type { AsyncBuffer, RowGroup, SchemaTree } from 'hyparquet'
import { isFolder } from '../files/folder.ts'
import { EXIT, Fatal, type Json, type JsonObject } from '../rows/record.ts'
import { BadRow, Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { inPlaceOf } from './_bad_rows.ts'
import type { Format, FormatOptions } from './_format.ts'

export const format: Format = {
  about: {
    read: 'Parquet files → a row a record',
    write: 'a typed table for data frames (pandas, polars, DuckDB, R): a line an item, its own fields first',
  },
  fields: 'all',
  async *write(rows) {
    const { parquetTable } = await import('./_parquet_table.ts')
    yield* parquetTable(rows)
  },
  async *read(sources, options, context) {
    const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } = await import(
      'hyparquet'
    )
    const { compressors } = await import('hyparquet-compressors')
    for (const source of sources) {
      if (source.path === undefined)
        throw new Fatal(EXIT.usage, 'Parquet cannot be read from a pipe: name the file')
      if (isFolder(source.path)) throw new Fatal(EXIT.noInput, `${source.name}: is a directory`)
      let rows = 0
      let readers: Readers = new Map()
      const reads: Promise<unknown>[] = []
      const rowOf = (record: object, index: number) =>
        rowsOf(record, readers, { file: source.name, line: rows + index + 1 }, options, context)
      try {
        const file = tracked(await asyncBufferFromFile(source.path), reads)
        // geoparquet: its search for map columns does not terminate on a negative count of children.
        const metadata = await parquetMetadataAsync(file, { geoparquet: false })
        const schema = parquetSchema(metadata)
        const known = leavesOf(schema)
        readers = readersOf(schema)
        for (const group of metadata.row_groups) {
          checkColumns(group, known)
          const rowEnd = rows + Number(group.num_rows)
          const records = await parquetReadObjects({
            file,
            metadata,
            rowStart: rows,
            rowEnd,
            compressors,
            parsers,
            utf8: false,
          })
          yield records.flatMap(rowOf)
          rows = rowEnd
          if (context.stop.aborted) return
        }
      } catch (error) {
        if (error instanceof Fatal || (error as NodeJS.ErrnoException).syscall) throw error
        const place = rows === 0 ? source.name : `${source.name}: after ${rows} rows`
        throw new Fatal(EXIT.data, `${place}: ${reasonOf(error as Error, source.path)}`, { cause: error })
      } finally {
        await Promise.all(reads)
      }
    }
  },
}

/** The file; `reads` gets a promise for each read, fulfilled once it has ended: hyparquet leaves reads behind when it fails. */
function tracked(file: AsyncBuffer, reads: Promise<unknown>[]): AsyncBuffer {
  return {
    byteLength: file.byteLength,
    slice(start, end) {
      const read = (async () => file.slice(start, end))()
      const over = () => {}
      reads.push(read.then(over, over))
      return read
    },
  }
}

const MILLION = 1_000_000n

/** The paths of the columns that have values, as JSON. */
const leavesOf = ({ children, path }: SchemaTree): string[] =>
  children.length === 0 ? [JSON.stringify(path)] : children.flatMap(leavesOf)

type Reader = (value: unknown) => Json
/** How the values of some columns are read, by name. */
type Readers = ReadonlyMap<string, Reader>

/**
 * Columns whose values hyparquet would not leave as they are: decimals, which it makes inexact numbers (0.3 would be
 * 0.30000000000000004), and bytes of a fixed length, which are no text. Decimals are read as they are stored.
 */
const readersOf = ({ children }: SchemaTree): Readers =>
  new Map(
    children.flatMap((child) => {
      const reader = readerOf(child)
      return reader ? [[child.element.name, reader]] : []
    }),
  )

/** The reader of a column with such values, at any depth. */
function readerOf({ element, children }: SchemaTree): Reader | undefined {
  const { scale = 0, type, converted_type, logical_type } = element
  const [first] = children
  if (logical_type?.type === 'VARIANT') return undefined
  if (!first) {
    if (converted_type === 'DECIMAL' || logical_type?.type === 'DECIMAL') {
      element.converted_type = element.logical_type = undefined
      return each((value) => decimal(unscaled(value), scale))
    }
    if (type !== 'FIXED_LEN_BYTE_ARRAY') return undefined
    return each((value) => (value instanceof Uint8Array ? base64(value) : plain(value)))
  }
  // In these two hyparquet leaves out the levels between. Of a map's keys it makes texts.
  const inner = first.children
  if (converted_type === 'LIST' && children.length === 1 && inner.length < 2)
    return readerOf(inner[0] ?? first)
  if (converted_type === 'MAP' && children.length === 1 && inner.length === 2) {
    const reader = readerOf(inner[1]!)
    return reader && each((map) => mapped(map as object, () => reader))
  }
  const readers = readersOf({ children } as SchemaTree)
  return readers.size > 0 ? each((value) => mapped(value as object, (name) => readers.get(name))) : undefined
}

/** Reads each of the values in lists of any depth. */
const each = (reader: Reader): Reader => {
  const read: Reader = (value) =>
    value == null ? null : Array.isArray(value) ? value.map(read) : reader(value)
  return read
}

const mapped = (value: object, readerOf: (name: string) => Reader | undefined): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([name, one]) => [name, (readerOf(name) ?? plain)(one)]))

/** Times with all of their digits, where hyparquet's own have those of milliseconds. */
const parsers = {
  timestampFromMicroseconds: (micros: bigint) => isoTime(micros * 1000n),
  timestampFromNanoseconds: isoTime,
}

function isoTime(nanos: bigint): string {
  const rest = ((nanos % MILLION) + MILLION) % MILLION
  const time = new Date(Number((nanos - rest) / MILLION)).toISOString()
  if (rest === 0n) return time
  return `${time.slice(0, -1)}${String(rest).padStart(6, '0').replace(/000$/, '')}Z`
}

/** The integer that a decimal is stored as: a number, or its bytes in two's complement. */
const unscaled = (value: unknown): bigint =>
  value instanceof Uint8Array
    ? BigInt.asIntN(
        8 * value.length,
        value.length === 0 ? 0n : BigInt(`0x${Buffer.from(value).toString('hex')}`),
      )
    : BigInt(value as number | bigint)

/** The most digits that every number keeps. */
const DIGITS = 15

/** The decimal as a number, or as a text if a number would round it. */
function decimal(value: bigint, scale: number): Json {
  const sign = value < 0n ? '-' : ''
  const digits = String(value < 0n ? -value : value)
  if (scale === 0 && Number.isSafeInteger(Number(value))) return Number(value)
  if (digits.length <= DIGITS) return Number(`${sign}${digits}e-${scale}`)
  const padded = digits.padStart(scale + 1, '0')
  const whole = padded.length - scale
  return `${sign}${padded.slice(0, whole)}${scale > 0 ? `.${padded.slice(whole)}` : ''}`
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** Of other columns hyparquet does not await the values: an error there would end the process. @throws Error */
function checkColumns({ columns }: RowGroup, known: string[]) {
  const left = new Set(known)
  for (const { meta_data } of columns)
    if (meta_data && !left.delete(JSON.stringify(meta_data.path_in_schema)))
      throw new Error(`column ${meta_data.path_in_schema.join('.')} is not in the schema, or occurs twice`)
}

/** Why a file cannot be read, for a message. */
function reasonOf(error: Error, path: string): string {
  const { message } = error
  if (statSync(path).size === 0) return 'the file is empty'
  if (/footer != PAR1|too short/.test(message))
    return 'this is no Parquet file, or one that was cut short: it does not end in PAR1'
  const codec = /unsupported compression codec: (\w+)/.exec(message)?.[1]
  if (codec)
    return `${codec} compression is not read here: write the file with zstd (DuckDB: COPY '${path}' TO 'new.parquet' (COMPRESSION zstd))`
  // An error of these types was raised by hyparquet's own code: its message says nothing about the file.
  const own = error instanceof TypeError || error instanceof RangeError
  return `the Parquet data is damaged${own ? '' : `: ${message}`}`
}

/** The record as a row. A column `jb` is read as the toolkit's own; if it is not, --bad-rows applies. */
function rowsOf(
  record: object,
  readers: Readers,
  { file, line }: { file: string; line: number },
  options: FormatOptions,
  context: Context,
): Row[] {
  const item = mapped(record, (name) => readers.get(name))
  if (!Object.hasOwn(item, 'jb')) return [Row.make(item, file, line)]
  const text = JSON.stringify(item)
  try {
    return [Row.read(text, file, line)]
  } catch (error) {
    if (!(error instanceof BadRow)) throw error
    return inPlaceOf({ text, message: error.message, file, line }, options, context)
  }
}

/** Parquet's types as JSON: integers beyond 2^53 as strings of digits, dates as ISO 8601, bytes that are no UTF-8 as base64. */
function plain(value: unknown): Json {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array)
    return isUtf8(value)
      ? Buffer.from(value.buffer, value.byteOffset, value.length).toString()
      : base64(value)
  if (Array.isArray(value)) return value.map(plain)
  if (value !== null && typeof value === 'object') return mapped(value, () => plain)
  return value === undefined ? null : (value as Json)
}
