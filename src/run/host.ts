/** The process of a run: `process` itself, or a stand-in with its own streams, to run a filter inside another process. */
import type { Readable, Writable } from 'node:stream'
import type { Context } from '../rows/stage.ts'

/** A stream that may be a terminal. */
export interface Out extends Writable {
  isTTY?: boolean
  columns?: number
}

export interface Host {
  /** As process.argv: the arguments begin at index 2. */
  argv: string[]
  env: Record<string, string | undefined>
  stdin: Readable
  stdout: Out
  stderr: Out
  exitCode?: number | string | null | undefined
  pid: number
  on(signal: 'SIGHUP' | 'SIGINT' | 'SIGTERM', listener: () => void): unknown
  removeAllListeners(signal: string): unknown
  kill(pid: number, signal: string): unknown
}

/** Descriptors of stdin and stdout; a stand-in has none. */
export const descriptorsOf = (host: Host): { input?: 0; output?: 1 } =>
  host === process ? { input: 0, output: 1 } : {}

/** First signal: stop reading, finish what is in progress. Second signal: end at once, by the signal itself. */
export function listen(host: Host, stop: AbortController): void {
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
    host.on(signal, () => {
      if (stop.signal.aborted) {
        host.removeAllListeners(signal)
        host.kill(host.pid, signal)
      }
      stop.abort(signal)
    })
  }
}

/** stderr, opened on demand: that takes half a millisecond. */
export function stderrOf({ stderr }: Host): Out {
  if (!stderr.listeners('error').includes(ignoreError)) stderr.on('error', ignoreError)
  return stderr
}

/** A failed write to stderr cannot be reported anywhere. */
const ignoreError = () => {}

/** The terminal that output is written to. @param toStdout output goes to stdout, not to a file */
export function terminalOf({ stdout, env }: Host, color: string, toStdout: boolean): Context['terminal'] {
  const output = toStdout && stdout.isTTY === true
  return {
    output,
    get columns() {
      return stdout.columns ?? process.stderr.columns
    },
    color: color === 'always' || (color === 'auto' && output && !env.NO_COLOR && env.TERM !== 'dumb'),
  }
}
