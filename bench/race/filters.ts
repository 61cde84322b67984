/**
 * jb's filters and other programs do the same job on the same file, and must come to the same answer: each verdict, sum
 * and prompt is compared before anything is measured. Start of the programs included, output to /dev/null.
 * `make race-filters` makes the environments in `.race/`; with `--write` the tables go into docs/performance.md.
 *
 * ROUNDS=5, FILTERS=parse,aggregate,render
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { parse } from 'yaml'
import { DATA, inTurn, median, megabytes, ROUNDS, surroundings, writeDocs } from '../_bench.ts'
import { judged, LONG, pairs, replied } from '../_rows.ts'
import { HOME, installed, type Packages } from './_environments.ts'

const ENVIRONMENTS: Record<string, Packages> = {
  orjson: { pip: ['orjson==3.13.0', 'jinja2==3.1.6'] },
  pysimdjson: { pip: ['pysimdjson==7.0.2'] },
  duckdb: { pip: ['duckdb==2.0.0'] },
  polars: { pip: ['polars==2.1.0'] },
  jaq: { cargo: ['jaq@3.1.2'] },
}
/** What is on this machine or not, and how it tells its version. */
const SYSTEM: Record<string, string> = {
  simdjson: `g++ -O3 -march=native -std=c++17 -o ${DATA}/splice bench/race/parse_splice.cpp -lsimdjson && pkg-config --modversion simdjson`,
  jq: 'jq --version',
  Miller: 'mlr --version',
}

interface Contestant {
  /** The environment or system program that it needs. */
  needs?: string
  command: string
  /** It reads and writes the rows and does no more: only their number is compared. */
  copies?: boolean
}

const versions: string[] = []
const found: Record<string, boolean> = {}
function available(name: string): boolean {
  found[name] ??= name in SYSTEM ? present(name) : installed(name, ENVIRONMENTS[name]!)
  return found[name]
}

function present(name: string): boolean {
  try {
    const version = execFileSync('bash', ['-c', SYSTEM[name]!], { stdio: ['ignore', 'pipe', 'ignore'] })
    versions.push(`${name} ${String(version).trim().replace(/^\D*/, '')}`)
    return true
  } catch {
    console.log(`  (${name} is not here)`)
    return false
  }
}

const python = (needs: string, script: string, ...args: string[]): Contestant => ({
  needs,
  command: `${HOME}/${needs}/bin/python bench/race/${script}.py ${args.join(' ')}`,
})

/** A line of a filter's output, as far as answers are made of it. */
interface Line {
  pair_id: string
  jb: { trial: { n: number }; verdict: Record<string, unknown>; request: object }
  by?: { source: Record<string, Record<string, number>> }
}
/** What a line says, in a form in which answers can be compared. */
type Answer = (line: Line) => unknown

/** @returns how many lines a command writes, and a digest of what they say */
async function answerOf(command: string, answer: Answer): Promise<{ count: number; digest: string }> {
  const child = spawn('bash', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = new Promise((done) => child.on('close', done))
  const hash = createHash('sha256')
  let count = 0
  for await (const line of createInterface({ input: child.stdout })) {
    hash.update(`${JSON.stringify(answer(JSON.parse(line)))}\n`)
    count++
  }
  assert.equal(await closed, 0, command)
  return { count, digest: hash.digest('hex') }
}

const lines: string[] = []
function say(line: string): void {
  lines.push(line)
  console.log(line)
}

/** Compares the contestants' answers, lets them run in turn, and writes a table with ratios to the first of them. */
async function compete(
  title: string,
  contestants: Record<string, Contestant>,
  answer: Answer,
): Promise<void> {
  const commands: Record<string, string> = {}
  let ours: Awaited<ReturnType<typeof answerOf>> | undefined
  for (const [name, { needs, command, copies }] of Object.entries(contestants)) {
    if (needs && !available(needs)) continue
    const theirs = await answerOf(command, copies ? () => 0 : answer)
    ours ??= theirs
    assert.equal(theirs.count, ours.count, `${name}: lines`)
    assert.ok(copies || theirs.digest === ours.digest, `${name}: another answer`)
    commands[name] = `${command} > /dev/null`
  }
  const runs = await inTurn(commands)
  const [first] = Object.values(runs)
  say('')
  say(`| ${title} | wall | times jb | CPU | times jb |`)
  say('| --- | --: | --: | --: | --: |')
  for (const [name, rounds] of Object.entries(runs)) {
    const cells = (['seconds', 'cpu'] as const).flatMap((key) => [
      `${median(rounds.map((run) => run[key])).toFixed(2)} s`,
      median(rounds.map((run, i) => run[key] / first![i]![key])).toFixed(2),
    ])
    say(`| ${name} | ${cells.join(' | ')} |`)
  }
}

const size = (path: string) => `${megabytes(path).toFixed(0)} MB`

async function parses(): Promise<void> {
  const path = await replied(6000, LONG)
  await compete(
    `jb-parse: ${size(path)} of rows of 12 KB`,
    {
      'jb-parse': { command: `bin/jb-parse -q ${path}` },
      'simdjson in C++, spliced': { needs: 'simdjson', command: `${DATA}/splice ${path}` },
      'pysimdjson, spliced': python('pysimdjson', 'parse_simdjson', path),
      'a loop with orjson': python('orjson', 'parse_orjson', path),
      'jq -c . (copies)': { needs: 'jq', command: `jq -c . ${path}`, copies: true },
      'jaq -c . (copies)': { needs: 'jaq', command: `${HOME}/jaq/bin/jaq -c . ${path}`, copies: true },
      'mlr cat (copies)': { needs: 'Miller', command: `mlr --ijsonl --ojsonl cat ${path}`, copies: true },
    },
    ({ pair_id, jb }) => [pair_id, jb.trial.n, jb.verdict.label, jb.verdict.decision, jb.verdict.strength],
  )
}

/** Of each source: items, right ones, those whose games agree. */
const reported: Answer = ({ by, ...told }) => {
  const sums = Object.entries(by?.source ?? {}).map(([source, one]) => [
    source,
    [one.items, one.correct, one.items! - one.inconsistent!],
  ])
  return (by ? sums : Object.entries(told)).sort()
}

async function aggregates(): Promise<void> {
  for (const [count, text] of [
    [400_000, 0],
    [6000, LONG],
  ] as const) {
    const path = await judged(count, text)
    const duck = (told: string) => python('duckdb', 'aggregate_duckdb', path, '1', told)
    const polars = (told: string) => {
      const { needs, command } = python('polars', 'aggregate_polars', path, told)
      return { needs, command: `POLARS_MAX_THREADS=1 ${command}` }
    }
    await compete(
      `jb-aggregate: ${(2 * count).toLocaleString('en')} rows, ${size(path)}`,
      {
        'jb-aggregate': { command: `bin/jb-aggregate -q --format json ${path}` },
        'a loop with orjson': python('orjson', 'aggregate_orjson', path),
        DuckDB: duck('untold'),
        'DuckDB, told the columns': duck('told'),
        Polars: polars('untold'),
        'Polars, told the columns': polars('told'),
      },
      reported,
    )
  }
}

async function renders(): Promise<void> {
  const path = await pairs(17_000)
  const judge = parse(execFileSync('bin/jb-render', ['--show', 'arena_hard'], { encoding: 'utf8' }))
  const prompts = `${DATA}/prompt.json`
  writeFileSync(prompts, JSON.stringify(judge.messages.map(({ content }: { content: string }) => content)))
  await compete(
    `jb-render arena_hard: ${size(path)} of pairs`,
    {
      'jb-render': { command: `bin/jb-render -q arena_hard ${path}` },
      'Jinja2 and orjson': python('orjson', 'render_jinja', path, prompts),
    },
    ({ pair_id, jb }) => [pair_id, jb.request],
  )
}

const RACES = { parse: parses, aggregate: aggregates, render: renders }
const only = process.env.FILTERS?.split(',')
for (const [name, run] of Object.entries(RACES)) if (!only || only.includes(name)) await run()
const pinned = Object.entries(ENVIRONMENTS).filter(([name]) => found[name])
const packages = pinned.flatMap(([, { pip = [], cargo = [] }]) => [...pip, ...cargo])
const all = [
  `Node ${process.versions.node}`,
  ...packages.map((name) => name.replace(/==|@/, ' ')),
  ...versions,
]
say('')
say(`Medians of ${ROUNDS}; ${surroundings()}. ${all.join(', ')}.`)
writeDocs('race-filters', lines)
