/**
 * jb and its peers do the same job against one local server: judge the same pairs, come to the same accuracy,
 * with as many calls as there are pairs. Prints wall, CPU and memory of each as multiples of jb's in the same
 * round (medians), and what it takes on disk. `make race` makes the environments in `.race/`; with `--write` the tables
 * go into docs/performance.md.
 *
 * ROUNDS=5, PAIRS=100,2000, LATENCIES=0,20,200 (ms), ONLY=jb,plain (names of contestants).
 */
import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { dataFile, median, prose, ROUNDS, random, surroundings, writeDocs } from '../_bench.ts'
import { type Server, server } from '../_server.ts'
import { HOME, installed, type Packages } from './_environments.ts'

const numbers = (name: string, fallback: string) => (process.env[name] ?? fallback).split(',').map(Number)
const only = process.env.ONLY?.split(',')

interface Contestant extends Packages {
  /** A command whose last line on stdout is JSON with the accuracy. */
  command: (file: string, url: string, lanes: number) => string
}

const python = (name: string, script: string) => (file: string, url: string, lanes: number) =>
  `${HOME}/'${name}'/bin/python bench/race/${script}.py ${file} ${url} ${lanes} 2> '${HOME}/${name}.log'`

const CONTESTANTS: Record<string, Contestant> = {
  jb: {
    command: (file, url, lanes) =>
      `bin/jb-render skywork_critic ${file} | bin/jb-call -q --no-cache -m m --base-url ${url} -j ${lanes} | bin/jb-parse | bin/jb-aggregate --expect ${file}`,
  },
  'plain asyncio loop': { pip: ['openai==3.54.0'], command: python('plain asyncio loop', 'plain') },
  inspect_ai: {
    pip: ['inspect_ai==0.3.285', 'openai==3.54.0'],
    command: python('inspect_ai', 'inspect_ai_task'),
  },
  promptfoo: { npm: ['promptfoo@0.121.20'], command: promptfoo },
  alpaca_eval: {
    pip: ['alpaca_eval==0.6.6'],
    command: (...run) => `HF_HUB_OFFLINE=1 ${python('alpaca_eval', 'alpaca_eval_annotator')(...run)}`,
  },
  // It also depends on label-studio, py-data-juicer, bitsandbytes and transformers, gigabytes that its judge never loads.
  'RM-Gallery': {
    pip: [
      'openai==1.109.1',
      'pydantic<3',
      'loguru<0.8',
      'fire',
      'jinja2',
      'tabulate',
      'retry',
      'jsonlines',
      'pandas<3',
      'pyyaml',
      'datasets',
      'math-verify<0.8',
    ],
    alone: ['rm-gallery==0.1.7'],
    command: python('RM-Gallery', 'rm_gallery_judge'),
  },
  DeepEval: { pip: ['deepeval==4.3.1'], command: python('DeepEval', 'deepeval_metric') },
}

/** @returns a pair of about 5.6 KB: the better answer bears the mark that the server looks for */
function* pairs(count: number): Generator<string> {
  const draw = random(7)
  for (let i = 0; i < count; i++) {
    const better = `sound-answer-${i} ${prose(draw, 2200, i % 2 === 0)}`
    const worse = `flawed-answer-${i} ${prose(draw, 2200, i % 2 === 0)}`
    const first = draw() < 0.5
    yield JSON.stringify({
      pair_id: `pair-${i}`,
      source: ['code', 'law', 'physics'][i % 3],
      question: `Question ${i}: ${prose(draw, 900)}`,
      response_A: first ? better : worse,
      response_B: first ? worse : better,
      label: first ? 'A>B' : 'B>A',
    })
  }
}

function promptfoo(file: string, url: string, lanes: number): string {
  const place = `${HOME}/promptfoo`
  const rows = readFileSync(file, 'utf8').trimEnd().split('\n')
  const tests = rows.map((row) => {
    const { question, response_A, response_B, label } = JSON.parse(row)
    return { vars: { question, answer_a: response_A, answer_b: response_B, label } }
  })
  const right = "output.includes('[[' + context.vars.label[0] + ']]')"
  const prompt = readFileSync('bench/race/prompt.txt', 'utf8').replaceAll(/\{(\w+)\}/g, '{{ $1 }}')
  writeFileSync(`${place}/prompt.txt`, prompt)
  writeFileSync(
    `${place}/config.json`,
    JSON.stringify({
      prompts: ['file://prompt.txt'],
      providers: [{ id: 'openai:chat:m', config: { apiBaseUrl: url, apiKey: 'none', temperature: 0 } }],
      defaultTest: { assert: [{ type: 'javascript', value: right }] },
      tests,
    }),
  )
  const quiet = `PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1 HOME=${place} PROMPTFOO_CONFIG_DIR=${place}/home`
  const count = `const { stats } = JSON.parse(require('fs').readFileSync('out.json')).results; console.log(JSON.stringify({ accuracy: stats.successes / ${rows.length} }))`
  // It ends with 100 where an assertion failed.
  return `(cd ${place}; rm -f out.json; env ${quiet} node_modules/.bin/promptfoo eval -c config.json --no-cache --no-write --no-table --no-progress-bar -j ${lanes} -o out.json > log.txt 2>&1; node -e "${count}")`
}

interface Run {
  wall: number
  cpu: number
  /** Resident memory of all processes together at its highest, in MB; with what they share counted once. */
  memory: number
  once: number
}

/** Runs a contestant once. @throws where its accuracy or its number of calls is not the right one */
async function run(name: string, command: string, place: Server, calls: number): Promise<Run> {
  const before = (await place.stats()).requests
  const started = process.hrtime.bigint()
  const child = spawn('bash', ['-o', 'pipefail', '-c', `TIMEFORMAT='%U %S'; time { ${command}; }`], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let stdout = ''
  let stderr = ''
  let memory = 0
  let once = 0
  child.stdout.on('data', (data) => (stdout += data))
  child.stderr.on('data', (data) => (stderr += data))
  const poll = setInterval(() => {
    const { sum, shared } = resident(child.pid!)
    memory = Math.max(memory, sum)
    once = Math.max(once, shared)
  }, 100)
  const code = await new Promise<number | null>((done) => child.on('close', done))
  clearInterval(poll)
  const wall = Number(process.hrtime.bigint() - started) / 1e9
  if (code !== 0) throw new Error(`${name}: exit ${code}\n${stderr}`)
  const { accuracy } = JSON.parse(stdout.trim().split('\n').at(-1)!) as { accuracy: number }
  const made = (await place.stats()).requests - before
  if (Math.abs(accuracy - 0.7) > 1e-9 || made !== calls)
    throw new Error(`${name}: accuracy ${accuracy} and ${made} calls, in place of 0.7 and ${calls}`)
  const [user, system] = stderr.trim().split('\n').at(-1)!.split(' ').map(Number)
  return { wall, cpu: user! + system!, memory, once }
}

/** Of all processes of a group, in MB: the sum, and what each has alone with the largest share of what they share. */
function resident(group: number): { sum: number; shared: number } {
  const lines = execFileSync('ps', ['-eo', 'pgid=,pid=']).toString().split('\n')
  const pids = lines.map((line) => line.trim().split(/\s+/)).filter(([pgid]) => Number(pgid) === group)
  const sizes = pids.map(([, pid]) => rollup(pid!))
  const sum = sizes.reduce((all, { rss }) => all + rss, 0)
  const shared = sizes.reduce((all, { own }) => all + own, 0)
  return { sum, shared: shared + Math.max(0, ...sizes.map(({ rss, own }) => rss - own)) }
}

/** Of a process, in MB: what is resident, and what of that no other has. */
function rollup(pid: string): { rss: number; own: number } {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')
    const size = (key: string) => Number(new RegExp(`^${key}: +(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024
    return { rss: size('Rss'), own: size('Private_Clean') + size('Private_Dirty') }
  } catch {
    // It has ended.
    return { rss: 0, own: 0 }
  }
}

const megabytes = (paths: string[]) =>
  Number(
    execFileSync('du', ['-scmL', ...paths])
      .toString()
      .trim()
      .split('\n')
      .at(-1)!
      .split('\t')[0],
  )

const lines: string[] = []
function say(line: string): void {
  lines.push(line)
  console.log(line)
}

const here = Object.entries(CONTESTANTS).filter(
  ([name, contestant]) => (!only || only.includes(name)) && installed(name, contestant),
)
for (const count of numbers('PAIRS', '100,2000')) {
  const file = await dataFile(`race-${count}.jsonl`, () => pairs(count))
  const lanes = count > 500 ? 256 : 32
  for (const latency of numbers('LATENCIES', '0,20,200')) {
    const place = await server(latency)
    const runs = Object.fromEntries(here.map(([name]) => [name, [] as Run[]]))
    for (let round = 0; round <= ROUNDS; round++)
      for (const [name, { command }] of here) {
        const measured = await run(name, command(resolve(file), place.url, lanes), place, count)
        // The first round warms caches.
        if (round > 0) runs[name]!.push(measured)
      }
    place.stop()
    print(`${count} pairs, ${lanes} at once, ${latency} ms`, runs)
  }
}
const filters = ['bin', 'dist', 'docs', 'package.json']
say('')
say('| installed | MB |')
say('| --- | --: |')
for (const [name, { pip, npm }] of here)
  say(`| ${name} | ${megabytes(pip || npm ? [`${HOME}/${name}`] : filters)} |`)
say('')
say(`Medians of ${ROUNDS}; ${surroundings()}.`)
writeDocs('race', lines)

/** Each contestant's medians, and how many times jb's they are (medians of the rounds' ratios). */
function print(title: string, runs: Record<string, Run[]>): void {
  say('')
  say(`| ${title} | wall | times jb | CPU | times jb | memory | times jb | shared once | times jb |`)
  say('| --- | --: | --: | --: | --: | --: | --: | --: | --: |')
  const ours = runs.jb ?? Object.values(runs)[0]!
  for (const [name, theirs] of Object.entries(runs)) {
    const shown = (key: keyof Run, size: number) =>
      key === 'wall' || key === 'cpu' ? `${size.toFixed(2)} s` : `${size.toFixed(0)} MB`
    const columns = (['wall', 'cpu', 'memory', 'once'] as const).flatMap((key) => [
      shown(key, median(theirs.map((run) => run[key]))),
      median(theirs.map((run, i) => run[key] / ours[i]![key])).toFixed(2),
    ])
    say(`| ${name} | ${columns.join(' | ')} |`)
  }
}
