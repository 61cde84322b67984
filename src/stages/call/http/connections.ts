/** Connections to endpoints, each of which answers one request at a time. */

import type { Dispatcher } from 'undici'
import type { ProxyServer } from './proxy.ts'

/** Longest wait for a connection, in ms, where the timeout is longer. */
const CONNECT_MS = 30_000
/** Connections unused for so long, in ms, are closed. */
const IDLE_MS = 30_000

/**
 * V8's flags, by its version, with which WebAssembly is not optimized that is compiled while they are set; then those it
 * has without them: once the parser is made, and once its functions are compiled, which is when they are first called. An
 * engine that no longer knows one would say so on stderr.
 */
const PARSER_FLAGS: Record<string, { making: string[]; made: string; read?: string }> = {
  11: {
    making: ['--no-wasm-dynamic-tiering', '--no-wasm-tier-up'],
    made: '--wasm-dynamic-tiering',
    read: '--wasm-tier-up',
  },
  // What a function may do before it is optimized.
  12: { making: ['--wasm-tiering-budget=1000000000'], made: '--wasm-tiering-budget=1800000' },
  13: { making: ['--wasm-tiering-budget=1000000000'], made: '--wasm-tiering-budget=13000000' },
}

/** Gives a connection for each request, and takes it back. */
export interface Connections {
  take(): Dispatcher
  give(connection: Dispatcher): void
  close(): Promise<unknown>
  /** What stands between, in messages. */
  through?: string
}

/** @param count at most; @param timeout ms a request may take */
export async function connectionsTo(
  origin: string,
  count: () => number,
  timeout: number,
  proxy: ProxyServer | undefined,
): Promise<Connections> {
  const settings = { pipelining: 1, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: IDLE_MS }
  const connect = { timeout: Math.min(timeout, CONNECT_MS) }
  if (proxy) {
    const { ProxyAgent } = await import('undici')
    // Plain HTTP is forwarded by the proxy, as curl has it: many refuse to open tunnels for it.
    const agent = new ProxyAgent({
      ...settings,
      connections: count(),
      connect,
      proxyTunnel: false,
      uri: proxy.url.href,
    })
    agent.once('connect', (_, targets) => ignoreContinue(targets.at(-1)))
    return { take: () => agent, give: () => {}, close: () => agent.destroy(), through: proxy.label }
  }
  const { default: Client } = await import('undici/lib/dispatcher/client.js')
  return new Direct(() => new Client(origin, { ...settings, connect }), count)
}

/** undici's pool looks through all connections for one that is free, twice for every request. */
class Direct implements Connections {
  private readonly open: () => Dispatcher
  private readonly count: () => number
  private readonly all: Dispatcher[] = []
  private readonly free: Dispatcher[] = []
  private next = 0
  /** To be called once there was an answer. */
  private onAnswer: (() => void) | undefined

  constructor(open: () => Dispatcher, count: () => number) {
    this.open = open
    this.count = count
  }

  take(): Dispatcher {
    const free = this.free.pop()
    if (free) return free
    // Where all are taken, a request waits for the one before it.
    if (this.all.length >= this.count()) return this.all[this.next++ % this.all.length]!
    const made = this.open()
    if (this.all.length === 0) {
      this.onAnswer = leaveParser(made)
      made.once('connect', () => ignoreContinue(made))
    }
    this.all.push(made)
    return made
  }

  give(connection: Dispatcher): void {
    this.onAnswer?.()
    this.onAnswer = undefined
    if (this.free.length < this.all.length) this.free.push(connection)
  }

  close(): Promise<unknown> {
    return Promise.all(this.all.map((connection) => connection.destroy()))
  }
}

/**
 * A client must ignore an interim answer that it did not ask for (RFC 9110, section 15.2): undici does so with all but
 * "100 Continue", at which it closes the connection. Its parser takes that one for another from here on.
 */
function ignoreContinue(client: unknown): void {
  const parser = memberOf(memberOf(client, 'socket'), 'parser')
  const prototype = parser && Object.getPrototypeOf(parser)
  const read = prototype?.onHeadersComplete
  if (typeof read !== 'function' || read.name === 'ignoringContinue') return
  prototype.onHeadersComplete = function ignoringContinue(status: number, ...rest: unknown[]) {
    return read.call(this, status === CONTINUE ? EARLY_HINTS : status, ...rest)
  }
}

const CONTINUE = 100
const EARLY_HINTS = 103

/** A member under one of undici's own symbols. */
function memberOf(owner: unknown, name: string): object | undefined {
  if (owner === null || typeof owner !== 'object') return undefined
  const symbol = Object.getOwnPropertySymbols(owner).find(({ description }) => description === name)
  return symbol && (owner as Record<symbol, object>)[symbol]
}

/**
 * undici's parser of answers is WebAssembly, made with the first connection: optimizing it takes 30 MB, and more time than
 * it saves in twenty thousand calls.
 * @returns to be called when it has read an answer
 */
function leaveParser(first: Dispatcher): () => void {
  const flags = PARSER_FLAGS[process.versions.v8.split('.')[0]!]
  if (!flags) return () => {}
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  for (const flag of flags.making) setFlagsFromString(flag)
  // Code that is kept at the end (launch.ts) is for processes with V8's own flags.
  first.once('connect', () => setFlagsFromString(flags.made))
  return () => {
    if (flags.read) setFlagsFromString(flags.read)
  }
}
