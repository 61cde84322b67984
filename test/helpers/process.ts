/** Runs a filter, or a shell line, as a user would: real processes, where pipes, files, sockets or signals are the point. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { TestContext } from 'node:test'
import { BIN, cleanEnv, type Filter, quoted, type Ran, ROOT, type RunOptions } from './ran.ts'

/** Runs `jb-FILTER ARGS`. */
export function jbProcess(filter: Filter, args: string[] = [], options: RunOptions = {}): Promise<Ran> {
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

interface StartOptions extends Omit<RunOptions, 'stdin'> {
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
