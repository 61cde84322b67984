/** Whether a run is worth several threads, and which parts of its files each is given. */
import { statSync } from 'node:fs'
import { isGzip } from '../../files/files.ts'
import type { FilterSpec } from '../../options/option.ts'
import type { Source } from '../../rows/reader.ts'
import type { ByteRange } from './protocol.ts'

/** Bytes that a thread is given at once. A part that is put together costs a millisecond, whatever its size. */
const RANGE = 1024 * 1024
const PART = 8 * 1024 * 1024

export interface ThreadPlan {
  threads: number
  ranges: Iterable<ByteRange>
}

/**
 * Undefined where one thread does it all, as it does unless told otherwise: on two cores a second saves little or
 * nothing (docs/performance.md). What is not in plain files cannot be cut up.
 * @param range bytes that a thread is given at once
 */
export function planOf(
  spec: FilterSpec,
  options: Record<string, unknown>,
  positional: readonly string[],
  sources: readonly Source[],
  range?: number,
): ThreadPlan | undefined {
  const wanted = (options.threads as number | undefined) ?? 1
  const kind = wanted > 1 ? spec.threads?.(options, positional) : undefined
  if (kind === undefined) return undefined
  const sizes = sources.map(sizeOf)
  const total = sizes.reduce<number>((sum, size) => sum + (size ?? Number.NaN), 0)
  if (!(total > 0)) return undefined
  // Four for each, so that none waits long for the last.
  const part = Math.min(PART, Math.max(RANGE, Math.ceil(total / wanted / 4)))
  const bytes = range ?? (kind === 'rows' ? RANGE : part)
  const threads = Math.min(
    wanted,
    sizes.reduce<number>((sum, size) => sum + Math.ceil(size! / bytes), 0),
  )
  return threads < 2 ? undefined : { threads, ranges: rangesOf(sizes as number[], bytes) }
}

/** Undefined for what is no plain file of rows. */
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
