/** Limits V8's young generation. */
import { growLess } from './v8_flags.ts'

const MB = 1024 * 1024
/** Rows in progress for which the limit suffices; bytes added for each further one, since V8 copies what survives. */
const FEW = 64
const YOUNG_ROW = 256 * 1024

/**
 * Keeps memory flat: V8 lets the young generation grow to 48 MB, which does not make a filter faster. Its limit can be
 * set on Node's command line only, so its growth is stopped when it is large enough.
 * @param rows how many are in progress at once
 * @param megabytes up to which the young generation may grow
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
