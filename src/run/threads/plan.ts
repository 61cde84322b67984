/** Decides whether a run uses several threads, and cuts its files into ranges for them. */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { isGzip } from '../../files/files.ts'
import type { FilterSpec } from '../../options/option.ts'
import { CHUNK } from '../../rows/chunks.ts'
import type { Source } from '../../rows/reader.ts'
import type { Host } from '../host.ts'
import type { ByteRange } from './protocol.ts'

/** Bytes of a range: of rows, and the most of a part (Stage.split), which costs a millisecond whatever its size. */
const RANGE = 1024 * 1024
const PART = 8 * 1024 * 1024

export interface ThreadPlan {
  threads: number
  ranges: Iterable<ByteRange>
}

/** The most threads without `--threads`: each needs some 40 MB. */
const MOST = 8
const NEWLINE = 0x0a

/**
 * Undefined if one thread reads all of it. Without `--threads`, one thread for each `FilterSpec.rowsAThread` rows, and not
 * more than there are cores. Only plain files can be cut into ranges.
 * @param own values that a test sets
 */
export function planOf(
  spec: FilterSpec,
  options: Record<string, unknown>,
  positional: readonly string[],
  sources: readonly Source[],
  own: Partial<NonNullable<Host['threads']>> = {},
): ThreadPlan | undefined {
  const given = options.threads as number | undefined
  const enough = own.rowsAThread ?? spec.rowsAThread
  if (given === 1 || (given ?? enough) === undefined) return undefined
  const kind = spec.threads?.(options, positional)
  if (kind === undefined) return undefined
  const sizes = sources.map(sizeOf)
  const total = sizes.reduce<number>((sum, size) => sum + (size ?? Number.NaN), 0)
  if (!(total > 0)) return undefined
  const wanted =
    given ?? Math.min(MOST, Math.floor(rowsIn(sources, sizes as number[]) / enough!), coresOf(own))
  // Four parts for each thread, so that they end at about the same time.
  const part = Math.min(PART, Math.max(RANGE, Math.ceil(total / wanted / 4)))
  const bytes = own.range ?? (kind === 'rows' ? RANGE : part)
  const threads = Math.min(
    wanted,
    sizes.reduce<number>((sum, size) => sum + Math.ceil(size! / bytes), 0),
  )
  return threads < 2 ? undefined : { threads, ranges: rangesOf(sizes as number[], bytes) }
}

const coresOf = ({ cores }: { cores?: number }) =>
  cores ?? process.getBuiltinModule('node:os').availableParallelism()

/** An estimate of the number of rows, from the length of each file's first ones. */
function rowsIn(sources: readonly Source[], sizes: readonly number[]): number {
  const chunk = Buffer.allocUnsafeSlow(CHUNK)
  return sources.reduce((sum, { path }, i) => {
    const length = readBegin(path!, chunk)
    let lines = 0
    for (let at = 0; at < length; at++) if (chunk[at] === NEWLINE) lines++
    return lines === 0 ? sum : sum + (lines * sizes[i]!) / length
  }, 0)
}

/** @returns the number of bytes read; 0 if the file cannot be read, which the run reports later */
function readBegin(path: string, chunk: Buffer): number {
  try {
    const file = openSync(path, 'r')
    try {
      return readSync(file, chunk, 0, chunk.length, 0)
    } finally {
      closeSync(file)
    }
  } catch {
    return 0
  }
}

/** The size of a plain file of rows; undefined for any other source. */
function sizeOf({ path }: Source): number | undefined {
  if (path === undefined || isGzip(path)) return undefined
  const status = statSync(path)
  return status.isFile() ? status.size : undefined
}

function* rangesOf(sizes: number[], range: number): Generator<ByteRange> {
  for (const [file, size] of sizes.entries())
    for (let from = 0; from < size; from += range) {
      const to = from + range < size ? from + range : undefined
      yield { file, from, to }
    }
}
