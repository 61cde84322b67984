/**
 * Judges that are Python classes: one Python process for a run, which bridge.py makes of the user's own environment, and
 * a server on 127.0.0.1 with two ways in. Steps of the Makefile ask for a phase (POST /judge), the judges themselves for
 * chat completions (POST /v1/chat/completions, see call_gateway.ts). Each has a token of its own.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { getOrInsert } from '../../rows/maps.ts'
import { EXIT, isObject, type JsonObject } from '../../rows/record.ts'
import { CallGateway, type HttpAnswer } from './call_gateway.ts'

export interface PythonStep extends JsonObject {
  /** What is asked of a judge: the JSON text that bridge.py reads, in which numbers keep their form. */
  ask: string
  /** The Python that runs it. */
  python: string
  /** Options of jb-call for the judge's own calls. */
  call: string[]
}

/** What became of it: undefined for success. */
export interface Failure extends JsonObject {
  exit: number
  message: string
}

/** Variables with keys that jb-call reads: they are its own. */
const KEY = /(^|_)API_KEY$|^OPENAI_TOKEN$/

export class PythonHost {
  private readonly env: Record<string, string | undefined>
  private readonly door: CallGateway
  private readonly ticket = randomBytes(16).toString('hex')
  private readonly key = `jb-${randomBytes(16).toString('hex')}`
  private readonly pythons = new Map<string, Python>()
  private server: Server | undefined
  private before: Promise<unknown> = Promise.resolve()

  constructor(env: Record<string, string | undefined>) {
    this.env = env
    this.door = new CallGateway(env)
  }

  /** Listens. @returns what a step needs to find it, for its environment */
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
      const failure = await this.run((await bodyOf(request)) as PythonStep)
      return { status: 200, body: failure ?? {} }
    }
    if (given !== this.key) return { status: 401, body: { error: { message: 'not the key of this run' } } }
    if (path === '/v1/models') return { status: 200, body: { object: 'list', data: [] } }
    if (path !== '/v1/chat/completions')
      return { status: 404, body: { error: { message: `${path}: chat completions are all there is here` } } }
    const body = await bodyOf(request)
    return body
      ? this.door.complete(body)
      : { status: 400, body: { error: { message: 'not a JSON object' } } }
  }

  /** Runs one step, when those before it are done: a judge need not stand two at once. */
  run(step: PythonStep): Promise<Failure | undefined> {
    const { python: name, call, ask } = step
    const done = this.before.then(() => {
      this.door.options = call
      const python = getOrInsert(this.pythons, name, () => new Python(name, this.pythonEnv(call)))
      return python.ask(ask)
    })
    this.before = done
    return done
  }

  /** The user's environment, but for the keys: the judge's calls go to the door. */
  private pythonEnv(call: readonly string[]): Record<string, string | undefined> {
    const named = call.flatMap((word, i) =>
      word === '--api-key-env' ? (call[i + 1] ?? []) : word.replace(/^--api-key-env=/, ''),
    )
    const env = Object.fromEntries(
      Object.entries(this.env).filter(([name]) => !KEY.test(name) && !named.includes(name)),
    )
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
    await this.door.close()
  }
}

/** An interpreter with bridge.py: a line in, a line out. */
class Python {
  private readonly child: ChildProcess
  private over: Failure | undefined
  private give: ((failure: Failure | undefined) => void) | undefined

  constructor(name: string, env: Record<string, string | undefined>) {
    const bridge = fileURLToPath(new URL('./python/bridge.py', import.meta.url))
    this.child = spawn(name, [bridge], { stdio: ['pipe', 'pipe', 'inherit'], env })
    this.child.stdin!.on('error', () => {})
    createInterface({ input: this.child.stdout! }).on('line', (line) => this.take(line))
    this.child.on('error', (error) => this.end(EXIT.config, `${name} cannot be started: ${error.message}`))
    this.child.on('close', (code, signal) =>
      this.end(EXIT.bug, `${name} has ended (${signal ?? `exit code ${code}`})`),
    )
  }

  private end(exit: number, message: string): void {
    this.over ??= { exit, message }
    this.give?.(this.over)
    this.give = undefined
  }

  private take(line: string): void {
    const { error, nothing } = JSON.parse(line) as {
      error?: { kind: string; message: string }
      nothing?: boolean
    }
    const give = this.give
    this.give = undefined
    if (error) give?.({ exit: error.kind === 'refused' ? EXIT.config : EXIT.bug, message: error.message })
    else give?.(nothing ? { exit: 0, message: 'the judge made nothing' } : undefined)
  }

  ask(step: string): Promise<Failure | undefined> {
    if (this.over) return Promise.resolve(this.over)
    return new Promise((resolve) => {
      this.give = resolve
      this.child.stdin!.write(`${step}\n`)
    })
  }

  close(): void {
    this.child.kill('SIGTERM')
  }
}

/** A request's JSON object; undefined where it is not valid. */
async function bodyOf(request: IncomingMessage): Promise<JsonObject | undefined> {
  const body = await json(request).catch(() => undefined)
  return isObject(body) ? body : undefined
}
