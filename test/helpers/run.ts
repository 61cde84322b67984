/**
 * Runs a filter, or a whole pipe of them, as a user would: a real process, its bytes, its exit code.
 * A failed expectation prints the command, how it ended, and what it wrote.
 */
import assert from 'node:assert/strict'
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

/** The project's folder. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
export const BIN = `${ROOT}bin`

export type Filter =
  | 'read'
  | 'render'
  | 'call'
  | 'parse'
  | 'score'
  | 'aggregate'
  | 'compare'
  | 'rank'
  | 'audit'
  | 'view'
  | 'workflow'

export interface Ran {
  command: string
  /** Null where a signal ended it. */
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  bytes: Buffer
}

export interface RunOptions {
  stdin?: string | Uint8Array
  /** Over an environment without settings of the toolkit; undefined takes a variable away. */
  env?: Record<string, string | undefined>
  cwd?: string
}

/** Judge files of tests, by their folder: filters open them as where a user has set JB_JUDGE. See judgeFolder. */
export const judgeFiles = new Map<string, string[]>()

function ownJudges(cwd: string | undefined): string[] {
  const here = judgeFiles.get(cwd ?? '')?.filter((name) => existsSync(`${cwd}/${name}`))
  if (here) return here
  const all = [...judgeFiles].flatMap(([path, names]) => names.map((name) => `${path}/${name}`))
  return all.filter((path) => existsSync(path))
}

/** The environment of a user who has set nothing: no JB_*, no keys, no colours; the bins are on PATH. */
export function cleanEnv(more: RunOptions['env'] = {}, cwd?: string): NodeJS.ProcessEnv {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^(JB|OPENAI|ANTHROPIC|LLM_JUDGE|NODE)_|_API_KEY$|^(NO_COLOR|FORCE_COLOR|COLUMNS|BASE_URL)$/.test(
          name,
        ),
    ),
  )
  const judges = ownJudges(cwd)
  if (judges.length > 0) env.JB_JUDGE = judges.join(':')
  return { ...env, PATH: `${BIN}${delimiter}${process.env.PATH}`, ...more }
}

/** Runs `jb-FILTER ARGS`. */
export function jb(filter: Filter, args: string[] = [], options: RunOptions = {}): Promise<Ran> {
  return collect(`${BIN}/jb-${filter}`, args, `jb-${filter} ${args.map(quoted).join(' ')}`, options)
}

/** Runs a shell command, which may be a whole pipe. */
export function sh(command: string, options: RunOptions = {}): Promise<Ran> {
  return collect('/bin/sh', ['-c', command], command, options)
}

/** The same in bash, where a pipe fails with its first failing command. */
export function pipefail(command: string, options: RunOptions = {}): Promise<Ran> {
  return collect('bash', ['-o', 'pipefail', '-c', command], command, options)
}

/** A filter that the test talks to while it runs; it is ended with the test where it is still there. */
export class Started {
  readonly child: ChildProcessWithoutNullStreams
  stdout = ''
  stderr = ''
  readonly done: Promise<Ran>
  private waiting: (() => void)[] = []

  constructor(t: TestContext, filter: Filter, args: string[] = [], { env, cwd, deaf }: StartOptions = {}) {
    const command = `jb-${filter} ${args.join(' ')}`
    this.child = spawn(`${BIN}/jb-${filter}`, args, { cwd: cwd ?? ROOT, env: cleanEnv(env, cwd) })
    t.after(() => {
      this.child.kill('SIGKILL')
      for (const stream of this.child.stdio) stream?.destroy()
    })
    this.child.stdin.on('error', () => {})
    if (!deaf)
      this.child.stdout.on('data', (chunk: Buffer) => {
        this.stdout += chunk
        for (const look of this.waiting) look()
      })
    this.child.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk))
    this.done = new Promise((resolve) => {
      this.child.on(deaf ? 'exit' : 'close', (code, signal) => {
        const { stdout, stderr } = this
        resolve({ command, code, signal, stdout, stderr, bytes: Buffer.from(stdout) })
      })
    })
  }

  /** Resolves when stdout holds that many lines. */
  lines(count: number): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.stdout.split('\n').length > count) resolve()
      }
      this.waiting.push(look)
      look()
    })
  }
}

export interface StartOptions extends Omit<RunOptions, 'stdin'> {
  /** Its stdout is not read at all. */
  deaf?: boolean
}

function collect(file: string, args: string[], command: string, options: RunOptions): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { env: cleanEnv(options.env, options.cwd), cwd: options.cwd ?? ROOT })
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
    // The filter may end before it has read everything.
    child.stdin.on('error', () => {})
    child.stdin.end(options.stdin ?? '')
    child.on('error', reject)
    child.on('close', (code, signal) => {
      const bytes = Buffer.concat(out)
      resolve({
        command,
        code,
        signal,
        bytes,
        stdout: bytes.toString(),
        stderr: Buffer.concat(err).toString(),
      })
    })
  })
}

const quoted = (arg: string) => (/^[\w./:=@,+-]+$/.test(arg) ? arg : `'${arg}'`)

/** What happened, for a person who reads a failed test. */
export function shown({ command, code, signal, stdout, stderr }: Ran): string {
  return [
    `command: ${command}`,
    `status:  ${signal ?? code}`,
    `stdout:  ${cut(stdout)}`,
    `stderr:  ${cut(stderr)}`,
  ].join('\n')
}

const cut = (text: string) =>
  text.length > 4000 ? `${text.slice(0, 4000)}… (${text.length} characters)` : text

export interface Expected {
  /** 0 where nothing is said. */
  code?: number
  out?: string | RegExp
  err?: string | RegExp
}

/** Checks how a process ended and what it wrote: texts must be equal, patterns match. */
export function expect(ran: Ran, { code = 0, out, err }: Expected): Ran {
  const check = (what: string, found: string, wanted: string | RegExp | undefined) => {
    if (wanted === undefined) return
    const holds = typeof wanted === 'string' ? found === wanted : wanted.test(found)
    assert.ok(holds, `${what} is not as expected: ${wanted}\n${shown(ran)}`)
  }
  assert.equal(
    ran.signal ?? ran.code,
    code,
    `exit code ${ran.signal ?? ran.code}, expected ${code}\n${shown(ran)}`,
  )
  check('stdout', ran.stdout, out)
  check('stderr', ran.stderr, err)
  return ran
}

/** The run was silent on stderr and ended with 0. */
export const fine = (ran: Ran): Ran => expect(ran, { err: '' })
