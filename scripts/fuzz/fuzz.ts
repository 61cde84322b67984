/*
 * Random inputs for everything that reads what others wrote (test/fuzz/targets). An input that reaches new code is kept
 * and changed further. A finding is an exit code 70, time out of proportion, a file written elsewhere, or a key in the
 * output; it is left in .fuzz/findings, to be moved to fixtures/fuzz/TARGET, where the tests run it.
 * Usage: node --import tsx scripts/fuzz/fuzz.ts [SECONDS [SEED [TARGET…]]]
 */
import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { finding, loadTarget, TARGETS } from '../../test/fuzz/_target.ts'
import { Choices } from '../../test/helpers/random.ts'
import { Coverage } from './_coverage.ts'
import { guard } from './_guard.ts'
import { mutate } from './_mutate.ts'

const HOME = fileURLToPath(new URL('../../.fuzz', import.meta.url))
const [seconds = '60', seed = String(Date.now() % 1e6), ...names] = process.argv.slice(2)

/** Inputs between looks at what code they reached. */
const BATCH = 12
/** An input that takes longer than this (of CPU or not) is taken for endless. */
const ENDLESS_MS = 300_000
/** A process is followed by a new one after so many ms: modules keep what they have read. */
const TURN_MS = 120_000

const hash = (input: Uint8Array) => createHash('sha256').update(input).digest('hex').slice(0, 12)

/** Fuzzes one target in this process, until its CPU time is used up. */
async function loop(name: string, ms: number, choices: Choices): Promise<void> {
  const target = await loadTarget(name)
  const folder = `${HOME}/work/${name}`
  const corpus = `${HOME}/corpus/${name}`
  process.env.TMPDIR = folder
  for (const path of [folder, corpus, `${HOME}/findings`]) mkdirSync(path, { recursive: true })
  const seeds = (await target.seeds(folder)).map((one) => Buffer.from(one as Uint8Array))
  const pool: Buffer[] = [...seeds, ...readdirSync(corpus).map((file) => readFileSync(`${corpus}/${file}`))]
  const coverage = new Coverage()
  const reported = new Set<string>()
  let count = 0
  const attempt = async (input: Uint8Array) => {
    writeFileSync(`${folder}/.input`, input)
    process.send!({ count: ++count })
    const wrong = await finding(target, Buffer.from(input), folder)
    // The same place in the source is the same finding.
    const kind = wrong?.replaceAll(/\d+/g, '').slice(0, 300)
    if (wrong === undefined || reported.has(kind!)) return
    reported.add(kind!)
    writeFileSync(`${HOME}/findings/${name}-${hash(input)}`, input)
    console.log(`${name}-${hash(input)}: ${wrong}\n`)
  }
  guard(HOME, (path) => {
    console.log(`${name}: writes ${path}`)
    process.exit(1)
  })
  for (const input of pool) await attempt(input)
  coverage.grew()
  const begun = process.cpuUsage()
  const used = () => Object.values(process.cpuUsage(begun)).reduce((a, b) => a + b) / 1000
  while (used() < ms) {
    const made = Array.from({ length: BATCH }, () =>
      mutate(choices.pick(pool), choices.pick(pool), target.words, choices),
    )
    for (const input of made) await attempt(input)
    if (!coverage.grew()) continue
    for (const input of made) {
      if (input.length > 8192) continue
      pool.push(input)
      writeFileSync(`${corpus}/${hash(input)}`, input)
    }
  }
  process.send!({ done: true, count, cpu: used(), blocks: coverage.size, pool: pool.length })
}

/** Fuzzes one target in processes that can be ended, whatever an input does to them. */
async function watch(name: string, ms: number, first: number): Promise<void> {
  let cpu = 0
  let inputs = 0
  let last = ''
  for (let turn = 0; cpu < ms; turn++) {
    const turnSeconds = String(Math.min(TURN_MS, ms - cpu) / 1000)
    const child = fork(fileURLToPath(import.meta.url), [turnSeconds, String(first + turn), name])
    const ended = await follow(child)
    cpu += ended.cpu ?? TURN_MS
    inputs += ended.count
    last = ended.blocks === undefined ? 'ended early' : `${ended.blocks} blocks, ${ended.pool} inputs kept`
    if (ended.blocks === undefined && existsSync(`${HOME}/work/${name}/.input`)) {
      const input = readFileSync(`${HOME}/work/${name}/.input`)
      copyFileSync(`${HOME}/work/${name}/.input`, `${HOME}/findings/${name}-${hash(input)}`)
      console.log(`${name}-${hash(input)}: ended the process, or takes longer than ${ENDLESS_MS / 1000} s`)
    }
  }
  console.log(`${name}: ${inputs} inputs in ${(cpu / 1000).toFixed(0)} s of CPU, ${last}`)
}

interface Ended {
  count: number
  cpu?: number
  blocks?: number
  pool?: number
}

function follow(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve) => {
    let ended: Ended = { count: 0 }
    let heard = performance.now()
    child.on('message', (message: Ended) => {
      ended = message
      heard = performance.now()
    })
    const watch = setInterval(() => {
      if (performance.now() - heard > ENDLESS_MS) child.kill('SIGKILL')
    }, 1000)
    child.on('exit', () => {
      clearInterval(watch)
      resolve(ended)
    })
  })
}

if (process.send) {
  await loop(names[0]!, Number(seconds) * 1000, new Choices(Number(seed)))
  process.exit()
}
for (const name of names.length > 0 ? names : TARGETS) await watch(name, Number(seconds) * 1000, Number(seed))
