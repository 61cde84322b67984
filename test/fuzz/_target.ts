/** What is fuzzed, and what counts as a finding. `make fuzz` makes inputs; the tests run those that were found. */
import { readdirSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { EXIT, Fatal, RowFailure } from '../../src/rows/record.ts'
import { jb, type Ran, type RunOptions } from '../helpers/run.ts'

export interface Target {
  /** Words that mean something in its inputs. */
  words: readonly string[]
  /** Sound inputs, from which others are made. @param folder for files */
  seeds(folder: string): (string | Uint8Array)[] | Promise<(string | Uint8Array)[]>
  /** Gives the input to filters, or to a function. */
  run(input: Buffer, folder: string): Promise<Ran[]>
}

/** In the environment of every filter, and never in what it writes. */
const KEY = 'sk-fuzz-7Qm2xR9vLk4TzW8n'

/** ms of CPU that 8 KB may take: a hundred times the usual. Longer inputs may take as much more as they are longer. */
const LONGEST_MS = 2000
const LONGEST_OF = 8192

export const TARGETS = readdirSync(new URL('targets', import.meta.url))
  .map((file) => file.replace(/\.ts$/, ''))
  .sort()

export const loadTarget = async (name: string): Promise<Target> =>
  (await import(`./targets/${name}.ts`)).target

/** Runs a filter with a key in its environment. */
export const filter = (name: string, args: string[], options: RunOptions = {}): Promise<Ran> =>
  jb(name, args, { ...options, env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: undefined, ...options.env } })

/** What is wrong with how the target takes an input, in words. */
export async function finding(target: Target, input: Buffer, folder: string): Promise<string | undefined> {
  const took: number[] = []
  const longest = LONGEST_MS * Math.max(1, input.length / LONGEST_OF)
  // Slow at first may be the machine, or code that is not compiled yet.
  for (let times = 0; times < 3; times++) {
    const before = process.cpuUsage()
    const begun = performance.now()
    const wrong = await wrongWith(target, input, folder)
    if (wrong !== undefined) return wrong
    const { user, system } = process.cpuUsage(before)
    took.push(Math.min((user + system) / 1000, performance.now() - begun))
    if (took.at(-1)! < longest) return undefined
  }
  return `${input.length} bytes take ${Math.min(...took).toFixed(0)} ms`
}

async function wrongWith(target: Target, input: Buffer, folder: string): Promise<string | undefined> {
  try {
    for (const { command, code, stdout, stderr } of await target.run(input, folder)) {
      if (code === EXIT.bug) return `${command}: exit 70: ${stderr.slice(0, 1000)}`
      if (stdout.includes(KEY) || stderr.includes(KEY)) return `${command}: the key is in its output`
    }
    return undefined
  } catch (error) {
    if (error instanceof RowFailure || (error instanceof Fatal && error.exitCode !== EXIT.bug))
      return undefined
    return String((error as Error).stack)
  }
}
