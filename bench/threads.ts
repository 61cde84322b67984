/**
 * The same filter on the same file with one thread and with two (BENCH_THREADS: with as many): how much sooner it is
 * done, at which cost in CPU time and memory. Rows have ids of their own, both games, and texts that differ.
 * `node --import tsx bench/threads.ts [FILTER…]`
 */
import { execFileSync } from 'node:child_process'
import { dataFile, megabytes, prose, race, random } from './_bench.ts'

const THREADS = process.env.BENCH_THREADS ?? '2'

/** Two games of each pair; the pairs alone where nothing is said. @param size characters of question and answers @param said what jb holds of a game */
const games = (name: string, pairs: number, size: number, said?: (label: string, text: string) => object) =>
  dataFile(name, function* () {
    const draw = random(20)
    const id = () => Math.floor(draw() * 2 ** 48).toString(16)
    for (let i = 0; i < pairs; i++) {
      const label = draw() < 0.5 ? 'A>B' : 'B>A'
      const item = `${id()}-${id()}`
      const texts = size > 0 && {
        question: prose(draw, size / 5),
        response_A: prose(draw, size * 0.3 + size * 0.3 * draw(), true),
        response_B: prose(draw, size * 0.35),
      }
      const source = ['mathematics', 'physics', 'code', 'law', 'history'][Math.floor(draw() * 5)]
      if (!said) yield JSON.stringify({ pair_id: item, source, label, ...texts })
      for (const order of said ? ['AB', 'BA'] : []) {
        const decision = draw() < 0.8 ? label : label === 'A>B' ? 'B>A' : 'A>B'
        const shown = order === 'AB' ? decision : decision === 'A>B' ? 'B>A' : 'A>B'
        const trial = { n: order === 'AB' ? 0 : 1, of: 2, order }
        const text = `${prose(draw, size / 20)} [[${shown}]]`
        const jb = { judge: 'arena_hard', item, trial, ...said?.(decision, text) }
        yield JSON.stringify({ pair_id: item, source, label, ...texts, jb })
      }
    }
  })

const reply = (_: string, text: string) => ({
  reply: { text, model: 'm', usage: { prompt_tokens: text.length, completion_tokens: 9 } },
})

const verdict = (decision: string) => ({ verdict: { label: decision, decision } })
const judged = (decision: string, text: string) => ({ ...reply(decision, text), ...verdict(decision) })

const CASES: Record<string, () => Promise<[command: string, path: string][]>> = {
  parse: async () => [
    ['jb-parse', await games('games-big.ndjson', 40_000, 6000, reply)],
    ['jb-parse', await games('games-small.ndjson', 500_000, 0, reply)],
  ],
  render: async () => [
    ['jb-render arena_hard --order both', await games('pairs-differ.jsonl', 40_000, 6000)],
  ],
  aggregate: async () => [
    ['jb-aggregate', await games('games-verdicts.ndjson', 500_000, 0, verdict)],
    ['jb-aggregate', await games('games-judged.ndjson', 20_000, 6000, judged)],
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
    const [several, one] = [THREADS, '1'].map((threads) => `bin/${command} -q --threads ${threads} ${path}`)
    await race(`${command}: ${megabytes(path).toFixed(0)} MB`, {
      [`${THREADS} threads`]: several!,
      'one thread': one!,
    })
    console.log(`  memory: ${memory(several!)} in ${THREADS} threads, ${memory(one!)} in one`)
  }
