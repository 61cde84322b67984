/** `--status DIR`: the progress of all runs with a `--run-file` in a folder, in one line. */
import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { filesEndingIn } from '../../files/folder.ts'
import { clock } from '../../options/clock.ts'
import { inLine } from '../../rows/controls.ts'
import { EXIT, Fatal } from '../../rows/record.ts'
import { dollars } from './limits/money.ts'
import type { RunState } from './run_file.ts'

/** A run that has not written its file for this long, in ms, was killed. */
const SILENT = 60_000

const ENDING = '.run.json'

/**
 * @param now in ms since 1970
 * @param unread gets the names of other files
 * @throws Fatal (no input) if there is no such file
 */
export function statusOf(path: string, now: number, unread: string[]): string {
  const files = runFiles(path)
  const runs = files.flatMap((name) => {
    const state = readState(name)
    const file = inLine(basename(name))
    if (!state) unread.push(file)
    return state ? [{ file, state }] : []
  })
  if (runs.length === 0) return ''
  const ended = runs.filter(({ state }) => state.exit_code !== undefined)
  const fine = ended.filter(({ state }) => state.exit_code === EXIT.ok)
  const open = runs.filter(({ state }) => state.exit_code === undefined)
  const silent = open.filter(({ state }) => now - Date.parse(state.updated) > SILENT)
  const running = open.filter((run) => !silent.includes(run))
  const named = (list: typeof runs, what: (state: RunState) => string) =>
    list.map(({ file, state }) => `${file}: ${what(state)}`).join(', ')
  const parts = [
    `${runs.length} run${runs.length === 1 ? '' : 's'}`,
    `${fine.length} done`,
    `${running.length} running`,
  ]
  const stopped = ended.filter((run) => !fine.includes(run))
  if (stopped.length > 0)
    parts.push(`${stopped.length} ended (${named(stopped, ({ exit_code }) => `exit ${exit_code}`)})`)
  if (silent.length > 0)
    parts.push(`${silent.length} silent (${named(silent, ({ updated }) => `since ${updated}`)})`)
  return `${parts.join(', ')}: ${work(
    runs.map(({ state }) => state),
    running.map(({ state }) => state),
  )}\n`
}

/** Rows, failures, rate, cost, and the time left at the rate of the running ones. */
function work(all: RunState[], running: RunState[]): string {
  const sum = (of: (state: RunState) => number | undefined, states = all) =>
    states.reduce((total, state) => total + (of(state) ?? 0), 0)
  const done = sum((state) => state.done)
  const total = all.every((state) => state.total !== undefined) ? sum((state) => state.total) : undefined
  const rate = sum(rateOf, running)
  const words = [total === undefined ? `${done} row${done === 1 ? '' : 's'}` : `${done} of ${total} rows`]
  const failed = sum((state) => state.failed)
  if (failed > 0) words.push(`${failed} failed`)
  if (rate > 0) words.push(`${rate.toFixed(rate < 10 ? 1 : 0)}/s`)
  const cost = sum((state) => state.cost)
  if (cost > 0) words.push(dollars(cost))
  // The longest of all runs.
  const left = running.map((state) =>
    state.total === undefined ? Number.NaN : (state.total - state.done) / rateOf(state),
  )
  if (running.length > 0 && left.every(Number.isFinite)) words.push(`${clock(Math.max(...left))} left`)
  return words.join(', ')
}

/** Rows a second since the start. */
function rateOf({ started, updated, done }: RunState): number {
  const seconds = (Date.parse(updated) - Date.parse(started)) / 1000
  return seconds > 0 ? done / seconds : 0
}

function runFiles(path: string): string[] {
  let files: string[]
  try {
    files = statSync(path).isDirectory() ? filesEndingIn(path, ENDING) : [path]
  } catch {
    throw new Fatal(EXIT.noInput, `--status: ${path}: no such folder or file`)
  }
  if (files.length === 0)
    throw new Fatal(
      EXIT.noInput,
      `--status: no *${ENDING} in ${path} (jb-call --run-file NAME${ENDING} writes one)`,
    )
  return files
}

/** Undefined if the file is something else, or cannot be read. */
function readState(file: string): RunState | undefined {
  try {
    // Reading a pipe could block.
    if (!statSync(file).isFile()) return undefined
    const state = JSON.parse(readFileSync(file, 'utf8')) as RunState
    const { done, failed, total = 0, cost = 0, exit_code = 0, updated, started } = state
    const numbers = [done, failed, total, cost, exit_code, Date.parse(updated), Date.parse(started)]
    return numbers.every((one) => Number.isFinite(one) && one >= 0) ? state : undefined
  } catch {
    return undefined
  }
}
