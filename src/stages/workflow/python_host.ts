/**
 * Runs Python judges: bridge.py in one process per Python. A server on 127.0.0.1 has two endpoints, each with its own token:
 * steps of the Makefile run a phase (POST /judge), judges request chat completions (see call_gateway.ts).
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { lineSplitter } from '../../files/text.ts'
import { getOrInsert } from '../../rows/maps.ts'
import { EXIT, isObject, type JsonObject } from '../../rows/record.ts'
import { CallGateway, type HttpAnswer } from './call_gateway.ts'

export interface PythonStep extends JsonObject {
  /** The request for bridge.py as JSON text, which preserves numbers. */
  ask: string
  python: string
  /** Options of jb-call for the judge's own calls. */
  call: string[]
  /** Environment variables that the judge gets, besides {@link PASSED}. */
  pass: string[]
}

/** Of a step that failed, or that succeeded (`exit` 0) with a message. */
export interface StepOutcome extends JsonObject {
  exit: number
  message: string
}

/** Environment variables that a judge gets; of the others, some hold keys. */
const PASSED = /^(PATH|HOME|LANG|LC_.*|TMPDIR|PYTHON.*|VIRTUAL_ENV|CUDA_.*|CACHE_DIR)$/

/** What of the user's environment a judge gets. */
export const judgeEnv = (
  env: Record<string, string | undefined>,
  pass: readonly string[],
): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => PASSED.test(name) || pass.includes(name)))

export class PythonHost {
  private readonly env: Record<string, string | undefined>
  private readonly gateway: CallGateway
  private readonly ticket = randomBytes(16).toString('hex')
  private readonly key = `jb-${randomBytes(16).toString('hex')}`
  private readonly pythons = new Map<string, Python>()
  private server: Server | undefined
  private before: Promise<unknown> = Promise.resolve()

  constructor(env: Record<string, string | undefined>) {
    this.env = env
    this.gateway = new CallGateway(env)
  }

  /** Starts the server. @returns an environment variable with which steps find it */
  async open(): Promise<{ JB_PYTHON_JUDGES: string }> {
    this.server = createServer((request, response) => {
      this.answer(request).then(
        ({ status, body }) => {
          response.writeHead(status, { 'content-type': 'application/json' })
          response.end(JSON.stringify(body))
        },
        () => response.destroy(),
      )
    })
    // A judge may take hours.
    this.server.requestTimeout = 0
    await new Promise<void>((resolve) => this.server!.listen(0, '127.0.0.1', resolve))
    return { JB_PYTHON_JUDGES: `${this.port} ${this.ticket}` }
  }

  private get port(): number {
    return (this.server!.address() as AddressInfo).port
  }

  private async answer(request: IncomingMessage): Promise<HttpAnswer> {
    const [path] = (request.url ?? '').split('?')
    const given = request.headers.authorization?.replace(/^Bearer /, '')
    if (path === '/judge' && given === this.ticket) {
      const outcome = await this.run((await bodyOf(request)) as PythonStep)
      return { status: 200, body: outcome ?? {} }
    }
    if (given !== this.key)
      return { status: 401, body: { error: { message: 'the key is not that of this run' } } }
    if (path === '/v1/models') return { status: 200, body: { object: 'list', data: [] } }
    if (path !== '/v1/chat/completions')
      return { status: 404, body: { error: { message: `${path}: only chat completions are supported` } } }
    const body = await bodyOf(request)
    return body
      ? this.gateway.complete(body)
      : { status: 400, body: { error: { message: 'not a JSON object' } } }
  }

  /** Runs a step after the previous ones, because judges may not support concurrency. */
  run(step: PythonStep): Promise<StepOutcome | undefined> {
    const { python: name, call, pass, ask } = step
    const done = this.before.then(() => {
      this.gateway.options = call
      const python = getOrInsert(this.pythons, name, () => new Python(name, this.pythonEnv(pass)))
      return python.ask(ask)
    })
    this.before = done
    return done
  }

  /** What of the user's environment a judge gets; its calls go to the gateway. */
  private pythonEnv(pass: readonly string[]): Record<string, string | undefined> {
    const env = judgeEnv(this.env, pass)
    const url = `http://127.0.0.1:${this.port}/v1`
    const direct = [env.NO_PROXY, '127.0.0.1'].filter(Boolean).join(',')
    return {
      ...env,
      OPENAI_BASE_URL: url,
      OPENAI_API_BASE: url,
      OPENAI_API_KEY: this.key,
      NO_PROXY: direct,
      no_proxy: direct,
      PYTHONUNBUFFERED: '1',
    }
  }

  async close(): Promise<void> {
    for (const python of this.pythons.values()) python.close()
    this.server?.close()
    this.server?.closeAllConnections()
    await this.gateway.close()
  }
}

/** Exit codes of a shell whose command is not there, or is no program. */
const NOT_FOUND = 127
const NOT_EXECUTABLE = 126

/** A Python process with bridge.py, which answers each line with a line. */
class Python {
  private readonly child: ChildProcess
  private ended: StepOutcome | undefined
  private respond: ((failure: StepOutcome | undefined) => void) | undefined

  /** A shell with the same environment is the parent: what a process was started with stands in /proc, for all of its user. */
  constructor(name: string, env: Record<string, string | undefined>) {
    const bridge = fileURLToPath(new URL('./python/bridge.py', import.meta.url))
    const words = ['-c', '"$@"; exit', 'sh', name, bridge]
    this.child = spawn('/bin/sh', words, { stdio: ['pipe', 'pipe', 'inherit'], env, detached: true })
    this.child.stdin!.on('error', () => {})
    const lines = lineSplitter()
    this.child.stdout!.setEncoding('utf8').on('data', (piece) => {
      for (const line of lines(piece)) this.take(line)
    })
    this.child.on('error', (error) => this.end(EXIT.config, `${name} cannot be started: ${error.message}`))
    this.child.on('close', (code, signal) => {
      if (code === NOT_FOUND || code === NOT_EXECUTABLE) this.end(EXIT.config, `${name} cannot be started`)
      else this.end(EXIT.bug, `${name} has ended (${signal ?? `exit code ${code}`})`)
    })
  }

  private end(exit: number, message: string): void {
    this.ended ??= { exit, message }
    this.respond?.(this.ended)
    this.respond = undefined
  }

  private take(line: string): void {
    const { error, note } = JSON.parse(line) as { error?: { kind: string; message: string }; note?: string }
    const respond = this.respond
    this.respond = undefined
    if (error) respond?.({ exit: error.kind === 'refused' ? EXIT.config : EXIT.bug, message: error.message })
    else respond?.(note === undefined ? undefined : { exit: 0, message: note })
  }

  ask(step: string): Promise<StepOutcome | undefined> {
    if (this.ended) return Promise.resolve(this.ended)
    return new Promise((resolve) => {
      this.respond = resolve
      this.child.stdin!.write(`${step}\n`)
    })
  }

  /** Ends the shell and the judge. */
  close(): void {
    const { pid, exitCode, signalCode } = this.child
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGTERM')
  }
}

/** A request's JSON object; undefined if it has none. */
async function bodyOf(request: IncomingMessage): Promise<JsonObject | undefined> {
  const body = await json(request).catch(() => undefined)
  return isObject(body) ? body : undefined
}
