/** What a run has of its process: `process` itself, or a stand-in with streams of its own, to run within another. */
import type { Readable, Writable } from 'node:stream'
import type { Context } from '../rows/stage.ts'
import type { ThreadSetup, WorkerPort } from './threads/protocol.ts'

/** A stream that may be a terminal. */
export interface Out extends Writable {
  isTTY?: boolean
  columns?: number
  rows?: number
}

export interface Host {
  /** The arguments follow the first two words. */
  argv: string[]
  env: Record<string, string | undefined>
  stdin: Readable
  stdout: Out
  stderr: Out
  exitCode?: number | string | null | undefined
  pid: number
  /**
   * Bytes that a thread is given at once, where threads come from, and on what their number depends; the process's own
   * where nothing is said.
   */
  threads?: {
    range: number
    hire(filter: string, setting: ThreadSetup): WorkerPort
    rowsAThread?: number
    cores?: number
  }
  on(signal: 'SIGHUP' | 'SIGINT' | 'SIGTERM', listener: () => void): unknown
  removeAllListeners(signal: string): unknown
  kill(pid: number, signal: string): unknown
}

/** Descriptors of stdin and stdout; a stand-in has none. */
export const descriptorsOf = (host: Host): { input?: 0; output?: 1 } =>
  host === process ? { input: 0, output: 1 } : {}

/** First interrupt, or the terminal is gone: take no more rows. Second: end at once, as the signal says. */
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

/** stderr, opened where there is something to say: that takes half a millisecond. */
export function stderrOf({ stderr }: Host): Out {
  if (!stderr.listeners('error').includes(unheard)) stderr.on('error', unheard)
  return stderr
}

/** Where messages cannot be written, there is no reader to report that to. */
const unheard = () => {}

/** The terminal that rows are written to. @param toStdout they go there, where that may be one */
export function terminalOf({ stdout, env }: Host, color: string, toStdout: boolean): Context['terminal'] {
  const output = toStdout && stdout.isTTY === true
  return {
    output,
    get columns() {
      return stdout.columns ?? process.stderr.columns
    },
    get rows() {
      return stdout.rows
    },
    color: color === 'always' || (color === 'auto' && output && !env.NO_COLOR && env.TERM !== 'dumb'),
  }
}
