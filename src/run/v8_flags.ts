/** V8's flags that are set while a run goes on: they hold for all its threads. */

/** The last version of V8 (of Node 20, of Node 24) that knows them: later ones would say on stderr that they do not. */
const version = Number.parseInt(process.versions.v8, 10)
const OPTIMIZING = 11
const MEMORY = 13

/**
 * In a run of half a second a third of the time goes into optimizing functions that run too little to be worth it: V8 is told
 * to wait for six times as much code that runs, and to make less of it.
 */
export function optimizeLess(): void {
  if (version > OPTIMIZING) return
  set('--interrupt-budget=400000', '--max-inlined-bytecode-size-cumulative=300', '--no-turbo-loop-peeling')
}

/** The young generation stays as large as it is; what is old is swept when it has doubled, not when it is four times as much. */
export function growLess(): void {
  if (version <= MEMORY) set('--semi-space-growth-factor=1', '--heap-growing-percent=100')
}

/** As at the start: code that was compiled with other flags is not taken, nor made for the next run. */
export function resetFlags(): void {
  if (version <= OPTIMIZING)
    set('--interrupt-budget=67584', '--max-inlined-bytecode-size-cumulative=920', '--turbo-loop-peeling')
  if (version <= MEMORY) set('--semi-space-growth-factor=2', '--heap-growing-percent=0')
}

function set(...flags: string[]): void {
  for (const flag of flags) process.getBuiltinModule('node:v8').setFlagsFromString(flag)
}
