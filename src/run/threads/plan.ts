/** Whether a run is worth several threads, and which parts of its files each is given. */
import { statSync } from 'node:fs'
import { isGzip } from '../../files/files.ts'
import type { FilterSpec } from '../../options/option.ts'
import { THREAD_BYTES } from '../../options/threads.ts'
import type { Source } from '../../rows/reader.ts'
import type { Range } from './protocol.ts'

const RANGE = 1024 * 1024

export interface Plan {
  threads: number
  ranges: Iterable<Range>
}

/**
 * Undefined where one thread does it all: what is not in plain files cannot be cut up, and little is done sooner.
 * @param range bytes that a thread is given at once
 */
export function planOf(
  spec: FilterSpec,
  options: Record<string, unknown>,
  positional: readonly string[],
  sources: readonly Source[],
  range = RANGE,
): Plan | undefined {
  if (options.threads === 1 || spec.threads?.(options, positional) !== true) return undefined
  const sizes = sources.map(sizeOf)
  const total = sizes.reduce<number>((sum, size) => sum + (size ?? Number.NaN), 0)
  if (!(total > 0)) return undefined
  const { availableParallelism } = process.getBuiltinModule('node:os')
  const few = Math.min(availableParallelism(), Math.floor(total / THREAD_BYTES))
  const parts = sizes.reduce<number>((sum, size) => sum + Math.ceil(size! / range), 0)
  const threads = Math.min((options.threads as number | undefined) ?? few, parts)
  return threads < 2 ? undefined : { threads, ranges: rangesOf(sizes as number[], range) }
}

/** Undefined for what is no plain file of rows. */
function sizeOf({ path }: Source): number | undefined {
  if (path === undefined || isGzip(path)) return undefined
  const status = statSync(path)
  return status.isFile() ? status.size : undefined
}

function* rangesOf(sizes: number[], range: number): Generator<Range> {
  for (const [file, size] of sizes.entries())
    for (let from = 0; from < size; from += range) {
      const to = from + range < size ? from + range : undefined
      yield { file, from, to }
    }
}
