/**
 * Four filters in a pipe against promptfoo (BENCH_PROMPTFOO names a folder where it is installed): the same
 * pairs, the same server, answers after 200 ms.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { DATA, race } from './_bench.ts'
import { pairs } from './_rows.ts'
import { server } from './_server.ts'

const folder = process.env.BENCH_PROMPTFOO
if (!folder) console.log('\n(BENCH_PROMPTFOO is not set: promptfoo is left out)')
else await compare(resolve(folder))

async function compare(folder: string): Promise<void> {
  const slow = await server(200)
  const place = `${DATA}/promptfoo`
  mkdirSync(`${place}/home`, { recursive: true })
  const judge = readFileSync('src/judges/arena_hard.yaml', 'utf8')
  writeFileSync(
    `${place}/prompt.txt`,
    judge.slice(judge.lastIndexOf('<|User prompt|>'), judge.indexOf('request:')),
  )
  const environment = `PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1 HOME=${resolve(place, 'home')} PROMPTFOO_CONFIG_DIR=${resolve(place, 'home')}`
  for (const [count, lanes, goals] of [
    [200, 64, '>= 4 (2,000: >= 5)'],
    [2000, 256, '>= 5, cpu >= 6'],
  ] as const) {
    const pairs = await firstPairs(count)
    writeFileSync(
      `${place}/tests-${count}.json`,
      JSON.stringify(
        pairs.map(({ question, response_A, response_B }) => ({
          vars: { question, answer_a: response_A, answer_b: response_B },
        })),
      ),
    )
    writeFileSync(
      `${place}/config-${count}.yaml`,
      `prompts: [file://prompt.txt]
providers:
  - id: openai:chat:m
    config: { apiBaseUrl: '${slow.url}', apiKey: none, temperature: 0 }
tests: file://tests-${count}.json
`,
    )
    const pipe = `bin/jb-render arena_hard ${DATA}/pairs-${count}.jsonl | bin/jb-call -q --no-cache -m m --base-url ${slow.url} -j ${lanes} | bin/jb-parse | bin/jb-aggregate > ${DATA}/report.json`
    // It sometimes ends with 1 for a crash of its logger behind the last result.
    const theirs = `(cd ${place}; env ${environment} ${folder}/node_modules/.bin/promptfoo eval -c config-${count}.yaml --no-cache --no-write --no-table --no-progress-bar -j ${lanes} -o out.json > log.txt 2>&1 || true)`
    await race(
      `${count} pairs, ${lanes} at once`,
      { 'four filters': pipe, promptfoo: theirs },
      { promptfoo: goals },
      3,
    )
    console.log(`  largest process: ${peak(pipe)} MB and ${peak(theirs)} MB  goal < 0.25 x`)
  }
  const installed = execFileSync('npm', ['ls', '--omit=dev', '--all', '--parseable']).toString()
  const own = ['bin', 'dist', 'docs', ...installed.trim().split('\n').slice(1)]
  console.log(`  installed: ${size(own)} MB and ${size([`${folder}/node_modules`])} MB  goal < 40 MB`)
  slow.stop()
}

const firstPairs = async (count: number): Promise<Record<string, string>[]> =>
  readFileSync(await pairs(count), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Of files and folders together, in MB. */
function size(paths: string[]): number {
  const lines = execFileSync('du', ['-scm', ...paths])
    .toString()
    .trim()
    .split('\n')
  return Number(lines.at(-1)!.split('\t')[0])
}

/** Highest resident memory of the largest process of a command, in MB (GNU time). */
function peak(command: string): number {
  execFileSync('/usr/bin/time', ['-f', '%M', '-o', `${DATA}/peak.txt`, 'bash', '-c', command])
  return Math.round(Number(readFileSync(`${DATA}/peak.txt`, 'utf8').trim().split('\n').at(-1)) / 1024)
}
