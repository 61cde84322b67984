/** `--run-file FILE`: the options, progress and exit code of a run, for schedulers, `jq` and `--status`. */
import { replaceFile } from '../../files/part_file.ts'
import { VERSION } from '../../options/version.ts'
import type { Context } from '../../rows/stage.ts'
import type { CallTally } from './limits/tally.ts'
import type { CallOptions } from './options.ts'

/** ms between writes. */
const EVERY = 2000

/** The file's content, one JSON object. Times are ISO 8601. */
export interface RunState {
  jb: string
  pid: number
  /** The options in OPTIONS that were given: no keys, headers or URLs. */
  options: Record<string, unknown>
  input: string[]
  started: string
  /** Time of the last write. A running process writes every two seconds. */
  updated: string
  /** Rows of the whole run, if known. */
  total?: number
  /** Rows answered or failed. */
  done: number
  failed: number
  /** Requests sent, each attempt counted. */
  requests: number
  prompt_tokens: number
  completion_tokens: number
  /** In dollars, if a price is known. */
  cost?: number
  /** Absent while the process runs. */
  exit_code?: number
}

const OPTIONS = [
  'model',
  'api',
  'concurrency',
  'temperature',
  'maxTokens',
  'rpm',
  'tpm',
  'maxCost',
  'maxRequests',
  'retries',
  'repair',
  'limit',
  'maxErrorRate',
  'refresh',
  'noCache',
] as const satisfies readonly (keyof CallOptions)[]

export class RunFile {
  private readonly path: string
  private readonly tally: CallTally
  private readonly fixed: Pick<RunState, 'jb' | 'pid' | 'options' | 'input' | 'started'>
  private readonly timer: NodeJS.Timeout
  private readonly note: (message: string) => void

  /** @throws the system's error where the file cannot be written */
  constructor(path: string, options: CallOptions, { sources, note }: Context, tally: CallTally) {
    this.path = path
    this.tally = tally
    this.note = note
    const given = OPTIONS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]]))
    this.fixed = {
      jb: VERSION,
      pid: process.pid,
      options: Object.fromEntries(given),
      input: sources.map(({ name }) => name),
      started: new Date().toISOString(),
    }
    tally.countTotal()
    this.write()
    this.timer = setInterval(() => this.writeAgain(), EVERY)
    this.timer.unref()
  }

  /** Writes the final state. */
  end(exitCode: number): void {
    clearInterval(this.timer)
    this.writeAgain(exitCode)
  }

  private writeAgain(exitCode?: number): void {
    try {
      this.write(exitCode)
    } catch (error) {
      clearInterval(this.timer)
      this.note(`--run-file ${this.path}: ${(error as Error).message}: going on without it`)
    }
  }

  /** Replaces the file atomically. */
  private write(exitCode?: number): void {
    const { total, done, failed, requests, promptTokens, completionTokens, cost, priced } = this.tally
    const state: RunState = {
      ...this.fixed,
      updated: new Date().toISOString(),
      ...(total !== undefined && { total }),
      done,
      failed,
      requests,
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      ...(priced && { cost }),
      ...(exitCode !== undefined && { exit_code: exitCode }),
    }
    replaceFile(this.path, `${JSON.stringify(state)}\n`)
  }
}
