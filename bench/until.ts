/**
 * How many items --until decided asks about, of recorded runs: prints the table of docs/decide.md. It needs the recorded
 * replies of others (SHARED names their folder), and no model.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import type { Jb } from '../src/rows/record.ts'
import { outcomeOf } from '../src/scoring/outcome.ts'
import { meanOf, varianceOf } from '../src/statistics/clusters.ts'
import { type Hypotheses, Sequence } from '../src/statistics/evidence.ts'
import { random } from './_bench.ts'

const DATA = process.env.SHARED ?? '../shared/data'
const ORDERS = Number(process.argv[2] ?? 20)

type Line = { jb: Jb; [key: string]: unknown }

/** The values of items, from 0 to 1, by run. */
const runs = new Map<string, Map<string, number>>()

/** @param files of a format, whose results are scored */
function read(
  set: string,
  format: string,
  files: readonly string[],
  ids: (row: Line) => [run: unknown, item: unknown],
): void {
  const options = { maxBuffer: 2 ** 30 }
  const rows = execFileSync('bin/jb-read', ['-q', format, ...files], options)
  const results = execFileSync('bin/jb-score', ['-q', '--tie', '0.5'], { ...options, input: rows }).toString()
  for (const line of results.trimEnd().split('\n')) {
    const row = JSON.parse(line) as Line
    const outcome = row.jb.result && outcomeOf(row.jb.result, row.jb.trials)
    if (!outcome) continue
    const [run, item] = ids(row)
    const name = `${set} ${run}`
    if (!runs.has(name)) runs.set(name, new Map())
    runs.get(name)!.set(String(item), outcome.value)
  }
}

if (!existsSync(DATA)) {
  process.stdout.write(`until: not run: there is no ${DATA}\n`)
  process.exit()
}
const boards = `${DATA}/leaderboards`
read(
  'judgebench',
  'judgebench-outputs',
  [`${DATA}/judgebench/recorded-arena_hard-o1-mini.jsonl`],
  ({ jb }) => ['', jb.item],
)
read('ko', 'arena-hard', [`${boards}/ko_arena_hard`], (row) => [row.model_b, row.question_id])
const alpaca = `${boards}/alpaca_eval/results`
for (const model of readdirSync(alpaca)) {
  const file = `${alpaca}/${model}/weighted_alpaca_eval_gpt4_turbo/annotations.json.gz`
  if (existsSync(file)) read('alpaca', 'alpaca_eval', [file], (row) => [model, row.instruction])
}
const llmbar = `${boards}/llmbar/Dataset/LLMBar`
const subsets = ['Natural', ...readdirSync(`${llmbar}/Adversarial`).map((name) => `Adversarial/${name}`)]
for (const evaluator of [
  'GPT-4/Vanilla',
  'GPT-4/CoT',
  'GPT-4/Swap',
  'ChatGPT/Vanilla',
  'PaLM2/Vanilla',
  'LLaMA2/Vanilla',
])
  for (const subset of subsets) {
    const file = `${llmbar}/${subset}/evaluators/${evaluator}/result.json.gz`
    if (existsSync(file)) read('llmbar', 'llmbar', [file], ({ jb }) => [evaluator, `${subset} ${jb.item}`])
  }

const draw = random(7)
function shuffled(values: readonly number[]): number[] {
  const copy = [...values]
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(draw() * (i + 1))
    ;[copy[i], copy[j]] = [copy[j]!, copy[i]!]
  }
  return copy
}

/** By distance in points, up to: shares of the items that were asked about, wrong decisions. */
const BUCKETS = [1, 2, 3, 5, 8, 12, 20, 100]
const COLUMNS = ['gate', 'fixed', 'which is better', 'margin 5'] as const
const cells = BUCKETS.map(() => Object.fromEntries(COLUMNS.map((name) => [name, [] as number[]])))
const wrong = BUCKETS.map(() => ({ of: 0, wrong: 0 }))
const bucketOf = (distance: number) => BUCKETS.findIndex((to) => 100 * distance <= to)

function askedOf(values: readonly number[], hypotheses: Hypotheses): Sequence {
  const sequence = new Sequence(hypotheses, { of: values.length, ci: 0.95 })
  for (const value of shuffled(values)) if (sequence.add([value, 1]) !== 'undecided') break
  return sequence
}

/** Items that a single look takes, with a power of 95 %, by one who knows the distance. */
function fixed(values: readonly number[], distance: number): number {
  const n = (2 * 1.645) ** 2 * (varianceOf(values) / distance ** 2)
  return n / (1 + n / values.length) / values.length
}

for (const values of [...runs.values()].map((run) => [...run.values()])) {
  const mean = meanOf(values)
  for (let x = 5; x < 100; x += 5) {
    const bucket = bucketOf(Math.abs(mean - x / 100))
    cells[bucket]!.fixed!.push(Math.min(1, fixed(values, Math.abs(mean - x / 100) || 1e-9)))
    for (let order = 0; order < ORDERS; order++) {
      const { at, decision } = askedOf(values, { gate: x / 100 })
      cells[bucket]!.gate!.push(at / values.length)
      wrong[bucket]!.of++
      if (decision !== (mean >= x / 100 - 1e-12 ? 'pass' : 'fail')) wrong[bucket]!.wrong++
    }
  }
}
const names = [...runs.keys()]
for (const [i, one] of names.entries())
  for (const other of names.slice(i + 1).filter((name) => name.split(' ')[0] === one.split(' ')[0])) {
    const b = runs.get(other)!
    const differences = [...runs.get(one)!].flatMap(([item, value]) =>
      b.has(item) ? [(value - b.get(item)! + 1) / 2] : [],
    )
    const difference = Math.abs(2 * meanOf(differences) - 1)
    for (let order = 0; order < ORDERS; order++) {
      const better = askedOf(differences, { margin: [0.5, 0.5] })
      cells[bucketOf(difference)]!['which is better']!.push(better.at / differences.length)
      const margin = askedOf(differences, { margin: [0.475, 0.525] })
      cells[bucketOf(Math.abs(difference - 0.05))]!['margin 5']!.push(margin.at / differences.length)
    }
  }

const percent = (share: number) => String(Math.round(100 * share))
function cellOf(values: number[], both = true): string {
  if (values.length === 0) return ''
  const sorted = values.sort((a, b) => a - b)
  const at = (share: number) =>
    percent(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!)
  return both ? `${at(0.5)} / ${at(0.9)}` : at(0.5)
}
process.stdout.write(`${runs.size} runs, ${ORDERS} orders of each; % of the items, median / 90 %\n\n`)
process.stdout.write(
  `| points | ${COLUMNS.join(' | ')} | wrong |\n| --- |${' ---: |'.repeat(COLUMNS.length + 1)}\n`,
)
for (const [i, to] of BUCKETS.entries()) {
  const range = i === BUCKETS.length - 1 ? `over ${BUCKETS[i - 1]}` : `${BUCKETS[i - 1] ?? 0}–${to}`
  const line = COLUMNS.map((name) => cellOf(cells[i]![name]!, name !== 'fixed'))
  const { of, wrong: errors } = wrong[i]!
  process.stdout.write(`| ${range} | ${line.join(' | ')} | ${((100 * errors) / of).toFixed(1)} % |\n`)
}
