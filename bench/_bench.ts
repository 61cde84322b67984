/** What the benches share: generated data, paired runs in turn, ratios of medians. */
import { spawn } from 'node:child_process'
import { createWriteStream, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { finished } from 'node:stream/promises'

export const DATA = 'bench/data'
/** Node reads these certificates at each start, which takes longer than the start itself: a matter of the machine, not of what is measured. */
delete process.env.NODE_EXTRA_CA_CERTS
mkdirSync(DATA, { recursive: true })

/** A seeded generator (mulberry32): the same data on every machine. */
export function random(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const WORDS =
  'the of and to in is that for it as was with be by on not he his but at are this have from or had an they which one you were all her she there would their we him been has when who will no more if out so up said what its about than into them can only other time new some could these two may first then do any like my now over such our man me even most made after also did many off before must well back through years where much your way down should because long each just state those people too mr how little good world make very year still see own work men day get here old life both between being under three never know same last another while us might great go come since against right came take used himself few house american use place during high without again home around small however found mrs part school thought went say general once upon war every left got united number hand course water until always away public something fact less though far put head think called set almost enough end took government night yet system better four nothing told eyes city going look asked later point knew next program'.split(
    ' ',
  )

/** About `size` characters of prose with line breaks, quotes and, where asked, other scripts. */
export function prose(draw: () => number, size: number, foreign = false): string {
  let text = ''
  while (text.length < size) {
    const word = WORDS[Math.floor(draw() * WORDS.length)]!
    const roll = draw()
    text +=
      roll < 0.02
        ? `${word}.\n\n`
        : roll < 0.03
          ? `"${word}" `
          : foreign && roll < 0.06
            ? `${word}é → ${word} ≤ λ `
            : `${word} `
  }
  return text.slice(0, size)
}

/** A data file, made once. `rows` yields its lines. */
export async function dataFile(name: string, rows: () => Iterable<string>): Promise<string> {
  const path = `${DATA}/${name}`
  if (existsSync(path)) return path
  const out = createWriteStream(path)
  for (const row of rows())
    if (!out.write(`${row}\n`)) await new Promise<void>((done) => out.once('drain', () => done()))
  out.end()
  await finished(out)
  return path
}

export const megabytes = (path: string) => statSync(path).size / 1e6

export interface Measured {
  seconds: number
  /** User and system time of the whole command, where /usr/bin/time is there. */
  cpu: number
}

/** Runs a shell command and measures it. @throws where it fails */
export async function measure(command: string): Promise<Measured> {
  const started = process.hrtime.bigint()
  const child = spawn('bash', ['-o', 'pipefail', '-c', `TIMEFORMAT='%R %U %S'; time { ${command}; }`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (data) => (stderr += data))
  const code = await new Promise<number | null>((done) => child.on('close', done))
  const seconds = Number(process.hrtime.bigint() - started) / 1e9
  if (code !== 0) throw new Error(`exit ${code}: ${command}\n${stderr}`)
  const [, user, system] = stderr.trim().split('\n').at(-1)!.split(' ').map(Number)
  return { seconds, cpu: user! + system! }
}

export const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

/** Rounds that count, after one that warms caches. */
export const ROUNDS = Number(process.env.ROUNDS ?? 5)

const busy = loadavg()[0]!
/** What else a table should say: how many cores there are, and what else they had to do. */
export const surroundings = () =>
  `${cpus().length} cores, ${busy < 0.5 ? 'otherwise idle' : `${busy.toFixed(1)} other programs on them at the start`}`

/** Runs commands in turn, so that what else the machine does meets all of them. @returns the rounds' measurements of each */
export async function inTurn(
  commands: Record<string, string>,
  rounds = ROUNDS,
): Promise<Record<string, Measured[]>> {
  const runs: Record<string, Measured[]> = {}
  for (let round = 0; round <= rounds; round++) {
    for (const [name, command] of Object.entries(commands)) {
      const measured = await measure(command)
      // The first round warms caches.
      if (round > 0) (runs[name] ??= []).push(measured)
    }
  }
  return runs
}

/**
 * Runs commands in turn and prints how many times as long as the first each took: median of the rounds' ratios, with
 * the smallest and the largest.
 */
export async function race(
  title: string,
  commands: Record<string, string>,
  goals: Record<string, string> = {},
  rounds = ROUNDS,
): Promise<void> {
  const [ours, ...others] = Object.keys(commands)
  const runs = await inTurn(commands, rounds)
  console.log(`\n${title}`)
  const seconds = (name: string) => median(runs[name]!.map((run) => run.seconds))
  const cpu = (name: string) => median(runs[name]!.map((run) => run.cpu))
  console.log(`  ${ours!.padEnd(34)} ${seconds(ours!).toFixed(2)} s  cpu ${cpu(ours!).toFixed(2)} s`)
  for (const name of others) {
    const ratios = runs[name]!.map((run, i) => run.seconds / runs[ours!]![i]!.seconds)
    const goal = goals[name] ? `  goal ${goals[name]}` : ''
    console.log(
      `  ${name.padEnd(34)} ${seconds(name).toFixed(2)} s  cpu ${cpu(name).toFixed(2)} s  wall ${median(ratios).toFixed(2)} x ours (${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}), cpu ${(cpu(name) / cpu(ours!)).toFixed(2)} x${goal}`,
    )
  }
}

/** Puts lines between `<!-- name -->` and `<!-- /name -->` of a page, where `--write` was given. */
export function writeDocs(name: string, lines: string[], path = 'docs/performance.md'): void {
  if (!process.argv.includes('--write')) return
  const [before, after] = readFileSync(path, 'utf8').split(
    new RegExp(`<!-- ${name} -->[\\s\\S]*<!-- /${name} -->`),
  )
  if (after === undefined) throw new Error(`${path} has no <!-- ${name} -->`)
  writeFileSync(path, `${before}<!-- ${name} -->\n${lines.join('\n').trim()}\n\n<!-- /${name} -->${after}`)
}

/** Whether a yardstick is there; says so where it is not. */
export async function available(name: string, command: string): Promise<boolean> {
  try {
    await measure(command)
    return true
  } catch {
    console.log(`  (${name} is not here: left out)`)
    return false
  }
}

/** Highest resident memory of a process so far, in MB; 0 once it is gone. */
export function peakMemory(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/** Highest resident memory of a command, in MB. */
export async function peakOf(command: string, args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  let highest = 0
  const poll = setInterval(() => (highest = Math.max(highest, peakMemory(child.pid!))), 50)
  const code = await new Promise<number | null>((done) => child.on('close', done))
  clearInterval(poll)
  if (code !== 0 && code !== 1) throw new Error(`exit ${code}: ${command} ${args.join(' ')}`)
  return highest
}
