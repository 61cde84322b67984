/**
 * The corpus of replies in fixtures/readings: what jb reads, beside what a person reads. `make readings` prints
 * the score for each judge; `node --import tsx scripts/readings.ts -v` also what is read otherwise.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { loadJudge } from '../src/judges/_load.ts'
import { RowFailure, type Verdict } from '../src/rows/record.ts'
import { readerOf } from '../src/verdicts/_read.ts'

/** A reply and its right reading: a decision or a score; null where it must be refused. */
export interface Reading {
  reply: string
  reading: string | number | null
  /** What a judge with options was offered. */
  options?: string[]
}

export interface Score {
  judge: string
  replies: number
  right: number
  /** Read as something else: worse than not read at all. */
  wrong: [reading: Reading, read: string | number | null][]
  missed: Reading[]
}

const FOLDER = fileURLToPath(new URL('../fixtures/readings', import.meta.url))

/** Of every judge in the folder: NAME.ndjson holds replies to the built-in judge NAME, or to NAME.yaml beside it. */
export async function readings(): Promise<Score[]> {
  const names = readdirSync(FOLDER).flatMap((file) => /^(.*)\.ndjson$/.exec(file)?.[1] ?? [])
  return Promise.all(names.sort().map(scoreOf))
}

export const repliesOf = (judge: string): Reading[] =>
  readFileSync(join(FOLDER, `${judge}.ndjson`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Reading)

async function scoreOf(name: string): Promise<Score> {
  const own = join(FOLDER, `${name}.yaml`)
  const read = await readerOf(await loadJudge(existsSync(own) ? own : name))
  const score: Score = { judge: name, replies: 0, right: 0, wrong: [], missed: [] }
  for (const one of repliesOf(name)) {
    score.replies++
    const trial = { n: 0, of: 1, options: one.options }
    const found = outcome(() => read(one.reply, { item: () => ({}), trial }))
    if (found === one.reading) score.right++
    else if (found === null) score.missed.push(one)
    else score.wrong.push([one, found])
  }
  return score
}

function outcome(read: () => Verdict): string | number | null {
  try {
    const { decision, score, label } = read()
    return decision ?? score ?? label ?? null
  } catch (error) {
    if (error instanceof RowFailure) return null
    throw error
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const scores = await readings()
  for (const { judge, replies, right, wrong, missed } of scores) {
    console.log(`${judge.padEnd(18)} ${right} of ${replies}, ${wrong.length} read wrongly`)
    if (!process.argv.includes('-v')) continue
    for (const { reading, reply } of missed) console.log(`  not read: ${reading} ${JSON.stringify(reply)}`)
    for (const [{ reading, reply }, found] of wrong)
      console.log(`  read as ${found}: ${reading} ${JSON.stringify(reply)}`)
  }
  const sum = (of: (score: Score) => number) => scores.reduce((all, score) => all + of(score), 0)
  console.log(
    `${'all'.padEnd(18)} ${sum(({ right }) => right)} of ${sum(({ replies }) => replies)}, ${sum(({ wrong }) => wrong.length)} read wrongly`,
  )
}
