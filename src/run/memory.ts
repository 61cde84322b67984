/** How much memory a filter lets V8 take. */

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
  // An engine that no longer knows the flag would say so on stderr: known up to V8 13 (Node 24).
  if (Number.parseInt(process.versions.v8, 10) > 13) return
  const timer = setInterval(() => {
    const { getHeapSpaceStatistics, setFlagsFromString } = process.getBuiltinModule('node:v8')
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    if (young && young.space_size < megabytes * MB + Math.max(0, rows - FEW) * YOUNG_ROW) return
    clearInterval(timer)
    if (!young) return
    setFlagsFromString('--semi-space-growth-factor=1')
    // What is old is swept when it has doubled, not when it is four times as much.
    setFlagsFromString('--heap-growing-percent=100')
    // Code that is kept at the end (launch.ts) is for processes with V8's own flags.
    process.prependOnceListener('exit', () => {
      setFlagsFromString('--semi-space-growth-factor=2')
      setFlagsFromString('--heap-growing-percent=0')
    })
  }, 10)
  timer.unref()
}
