/**
 * The same filter on the same file with one thread and with two (BENCH_THREADS: with as many): how much sooner it is
 * done, at which cost in CPU time and memory. Rows have ids of their own, both games, and texts that differ.
 * `node --import tsx bench/threads.ts [FILTER…]`
 */
import { execFileSync } from 'node:child_process'
import { megabytes, race } from './_bench.ts'
import { gamesJudged, gamesReplied, gamesVerdicts, pairsThatDiffer } from './_rows.ts'

const THREADS = process.env.BENCH_THREADS ?? '2'

const CASES: Record<string, () => Promise<[command: string, path: string][]>> = {
  parse: async () => [
    ['jb-parse', await gamesReplied(20_000, 3500)],
    ['jb-parse', await gamesReplied(500_000, 0)],
  ],
  render: async () => [['jb-render arena_hard --order both', await pairsThatDiffer(40_000)]],
  aggregate: async () => [
    ['jb-aggregate', await gamesVerdicts()],
    ['jb-aggregate', await gamesJudged(20_000)],
  ],
}

/** Megabytes that a command held at most; undefined where GNU time is not there. */
function memory(command: string): string | undefined {
  try {
    const time = `/usr/bin/time -f %M ${command} 2>&1 > /dev/null | tail -n 1`
    return `${(Number(execFileSync('bash', ['-c', time], { encoding: 'utf8' })) / 1024).toFixed(0)} MB`
  } catch {
    return undefined
  }
}

for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(CASES))
  for (const [command, path] of await CASES[name]!()) {
    const [several, one] = [`--threads ${THREADS} `, ''].map((how) => `bin/${command} -q ${how}${path}`)
    await race(`${command}: ${megabytes(path).toFixed(0)} MB`, {
      [`${THREADS} threads`]: several!,
      'one thread': one!,
    })
    console.log(`  memory: ${memory(several!)} in ${THREADS} threads, ${memory(one!)} in one`)
  }
