/** V8 flags that are set during a run; they hold for all its threads. */

/** The last versions of V8 (of Node 20, of Node 24) with these flags: later ones would print an error. */
const version = Number.parseInt(process.versions.v8, 10)
const OPTIMIZING = 11
const MEMORY = 13

/** Milliseconds of CPU time after which optimizing pays. In a pipe a filter mostly waits for others. */
const LONG = 330
/** Milliseconds between looks at the CPU time. */
const LEAST = 20

/**
 * A run of half a second spends a third of its time on optimizing functions, which does not pay: at first V8 is told to
 * wait six times as long before it optimizes. What a function has run by then counts afterwards.
 */
export function optimizeLater(): void {
  if (version > OPTIMIZING) return
  resetWhenLong()
  set('--ticks-before-optimization=18', '--max-bytecode-size-for-early-opt=1')
}

function resetWhenLong(): void {
  const { user, system } = process.cpuUsage()
  const left = LONG - (user + system) / 1000
  if (left <= 0) resetOptimizing()
  else setTimeout(resetWhenLong, Math.max(left, LEAST)).unref()
}

/** Stops the growth of the young generation; the old one is collected when it has doubled, not quadrupled. */
export function growLess(): void {
  if (version <= MEMORY) set('--semi-space-growth-factor=1', '--heap-growing-percent=100')
}

/** Restores the initial flags: cached code is only valid for the flags it was compiled with. */
export function resetFlags(): void {
  if (version <= OPTIMIZING) resetOptimizing()
  if (version <= MEMORY) set('--semi-space-growth-factor=2', '--heap-growing-percent=0')
}

const resetOptimizing = () => set('--ticks-before-optimization=3', '--max-bytecode-size-for-early-opt=81')

function set(...flags: string[]): void {
  for (const flag of flags) process.getBuiltinModule('node:v8').setFlagsFromString(flag)
}
