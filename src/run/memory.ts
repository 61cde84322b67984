/** How much memory a filter lets V8 take. */
import { growLess } from './v8_flags.ts'

const MB = 1024 * 1024
/** The young generation is enough for so many rows under way; for each more it has these bytes: what lives on is copied. */
const FEW = 64
const YOUNG_ROW = 256 * 1024

/**
 * Keeps memory flat, with so many rows under way: V8 lets the young generation grow to 48 MB where rows come fast,
 * which saves a filter nothing. Its limit can be set on the command line alone, so its growth is stopped when it is
 * large enough.
 * @param megabytes up to which it may grow
 */
export function holdMemory(rows: number, megabytes = 8): void {
  const timer = setInterval(() => {
    const { getHeapSpaceStatistics } = process.getBuiltinModule('node:v8')
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    if (young && young.space_size < megabytes * MB + Math.max(0, rows - FEW) * YOUNG_ROW) return
    clearInterval(timer)
    if (young) growLess()
  }, 10)
  timer.unref()
}
