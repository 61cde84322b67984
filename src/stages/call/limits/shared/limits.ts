/**
 * `--limits redis://HOST/NAME`: limits that all processes with the same name hold together.
 *
 * Rates are Bottleneck's, with its Redis clustering: a lease is granted to one process at a time. Budgets are taken from
 * Redis in parts, so that a call costs no question. Calls under way are counted here, as Bottleneck's own
 * count keeps the place of a process that died for as long as its longest call may take.
 */

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type Bottleneck from 'bottleneck'
import type { Redis } from 'ioredis'
import { monotonicMs } from '../../../../rows/clock.ts'
import { EXIT, Fatal, usageError } from '../../../../rows/record.ts'
import type { CallOptions } from '../../options.ts'
import type { SharedBudget } from '../budget.ts'
import { type ChannelUse, type Holders, SharedChannel } from './channel.ts'
import { followClock, RedisClock } from './redis_clock.ts'
import { parseRedisUrl, type RedisAddress } from './redis_url.ts'
import { GIVE, JOIN, SYNC, TAKE } from './scripts.ts'

/** ms without a report after which a process counts as dead, and what it held is free. */
const ALIVE_MS = 10_000
const HEARTBEAT_MS = 1000
/** ms without an answer after which Redis is lost: in a run, and at its start. */
const PATIENCE_MS = 5000
const CONNECT_MS = 20_000
/** ms between attempts to connect again. */
const RECONNECT_MS = 500
/** Into how many parts for each process the rest of a budget is divided. */
const PARTS = 8
/** Dollars are counted in billionths. */
const NANO = 1e9
/** Redis' errors where another program's values stand under the name: waiting does not help. */
const FOREIGN = /WRONGTYPE|not an integer|not a valid float|user_script:\d+: attempt to/

/** What is held together. */
type StatedLimits = Partial<Pick<CallOptions, 'concurrency' | 'rpm' | 'tpm' | 'maxCost' | 'maxRequests'>>

interface SharedRun {
  env: Record<string, string | undefined>
  halt: AbortSignal
  note(message: string): void
  end(exitCode: number, message: string): void
}

interface Clients {
  client: Redis
  connection: Bottleneck.IORedisConnection
  Limiter: typeof Bottleneck
}

export class SharedLimits implements SharedBudget, Holders {
  /** Processes that hold the limits, as last counted. */
  processes = 1
  /** Redis does not answer: each process keeps to its own part of the limits. */
  lost = false
  readonly id = randomUUID()
  private readonly address: RedisAddress
  private readonly stated: StatedLimits
  private readonly run: SharedRun
  private readonly continueWhenLost: boolean
  private readonly clients: Clients
  private readonly channels: SharedChannel[] = []
  private readonly listeners: (() => void)[] = []
  private readonly timer: NodeJS.Timeout
  /** When the heartbeat was sent that has no answer yet, by monotonicMs(). */
  private asked: number | undefined
  private closed = false
  /** Nothing more to spend: Redis is lost, or the run ends. */
  private readonly ended: Promise<number>

  /**
   * Connects and joins.
   * @param lost what is done where Redis does not answer any more: `continue` with this process's part, or `stop`
   * @throws Fatal usage: no such URL, or other processes with this name hold other limits; unavailable: no Redis there
   */
  static async open(url: string, lost: string, stated: StatedLimits, run: SharedRun): Promise<SharedLimits> {
    const address = parseRedisUrl(url, run.env)
    const clients = await connect(address)
    const limits = new SharedLimits(address, stated, run, lost === 'continue', clients)
    try {
      await limits.join()
    } catch (error) {
      await limits.close()
      throw error
    }
    return limits
  }

  private constructor(
    address: RedisAddress,
    stated: StatedLimits,
    run: SharedRun,
    continueWhenLost: boolean,
    clients: Clients,
  ) {
    this.address = address
    this.stated = stated
    this.run = run
    this.continueWhenLost = continueWhenLost
    this.clients = clients
    this.ended = new Promise((resolve) => {
      run.halt.addEventListener('abort', () => resolve(0), { once: true })
      this.listeners.push(() => resolve(0))
    })
    this.timer = setInterval(() => this.heartbeat(), HEARTBEAT_MS)
    this.timer.unref()
  }

  /** The part in the limits of one endpoint and model. */
  channel(key: string, concurrency: number, use: ChannelUse): SharedChannel {
    const channel = new SharedChannel(this, key, concurrency, use)
    this.channels.push(channel)
    return channel
  }

  /** Calls back whenever Redis is lost or answers again. */
  changed(listener: () => void): void {
    this.listeners.push(listener)
  }

  /** A limiter that grants one lease in each period, to one of all processes; to this one alone where Redis is lost. */
  async leases(what: string, period: number): Promise<Bottleneck> {
    const { Limiter, connection } = this.clients
    if (this.lost) return new Limiter({ minTime: period })
    const id = `${this.key(what)}:${period}`
    const limiter = new Limiter({ id, connection, minTime: period, timeout: 86_400_000 })
    limiter.on('error', () => {})
    await limiter.ready()
    return limiter
  }

  async sync(channel: string, ...args: number[]): Promise<[number, number, number] | undefined> {
    if (this.closed || this.lost) return undefined
    const keys = ['held', 'expiry', 'starved', 'total', 'signals'].map((name) =>
      this.key(`${channel}:${name}`),
    )
    try {
      const found = await this.clients.client.eval(SYNC, 5, ...keys, this.id, ALIVE_MS, ...args)
      return found as [number, number, number]
    } catch (error) {
      this.failed(error)
      return undefined
    }
  }

  /** Ends the run where Redis holds something else under the name; the heartbeat notices anything else. */
  failed(error: unknown): void {
    if (FOREIGN.test(String(error))) this.run.end(EXIT.unavailable, this.foreign(error))
  }

  private foreign(error: unknown): string {
    const { name, host } = this.address
    return `--limits: Redis at ${host} holds other values under "${name}" (${(error as Error).message}): give another name`
  }

  async take(field: 'cost' | 'requests', need: number): Promise<number> {
    const unit = field === 'cost' ? NANO : 1
    const taken = this.clients.client
      .eval(TAKE, 1, this.key('left'), field, Math.ceil(need * unit), PARTS * this.processes)
      .then(Number, () => 0)
    const got = await Promise.race([taken, this.ended])
    return Math.max(0, got) / unit
  }

  async give(field: 'cost' | 'requests', amount: number): Promise<void> {
    const unit = field === 'cost' ? NANO : 1
    const whole = Math.floor(amount * unit)
    if (whole === 0 || this.lost) return
    await this.clients.client.eval(GIVE, 1, this.key('left'), field, whole).catch(() => {})
  }

  /** Gives back what this process held. */
  async close(): Promise<void> {
    clearInterval(this.timer)
    const { client, connection } = this.clients
    if (!this.closed && !this.lost) {
      const left = [...this.channels.map((one) => one.close()), client.zrem(this.key('members'), this.id)]
      await Promise.race([Promise.allSettled(left), delay(1000, undefined, { ref: false })])
    }
    this.closed = true
    // False: nothing is sent to a Redis that may not answer.
    await connection.disconnect(false)
  }

  private key(name: string): string {
    return `jb:{${this.address.name}}:${name}`
  }

  /** @throws Fatal */
  private async join(): Promise<void> {
    const [count, others] = await this.ask(true).catch((error) => {
      throw FOREIGN.test(String(error)) ? new Fatal(EXIT.unavailable, this.foreign(error)) : error
    })
    if (count === -1)
      throw usageError(
        `--limits: processes that hold "${this.address.name}" have other limits, ${others}: give all the same, or another name`,
      )
    this.processes = count
  }

  private ask(joining: boolean): Promise<[number, string]> {
    const { concurrency, rpm, tpm, maxCost, maxRequests } = this.stated
    const words = Object.entries({ '-j': concurrency, '--rpm': rpm, '--tpm': tpm })
      .concat(Object.entries({ '--max-cost': maxCost, '--max-requests': maxRequests }))
      .flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]))
      .join(' ')
    const budgets = [
      ...(maxCost === undefined ? [] : ['cost', Math.round(maxCost * NANO)]),
      ...(maxRequests === undefined ? [] : ['requests', maxRequests]),
    ]
    const keys = ['members', 'stated', 'left'].map((name) => this.key(name))
    const args = [this.id, ALIVE_MS, words, joining ? 1 : 0, ...budgets]
    return this.clients.client.eval(JOIN, 3, ...keys, ...args) as Promise<[number, string]>
  }

  private heartbeat(): void {
    if (this.asked !== undefined) {
      if (!this.lost && monotonicMs() - this.asked > PATIENCE_MS) this.lose('does not answer')
      return
    }
    this.asked = monotonicMs()
    this.ask(false)
      .then(
        ([count]) => this.found(count),
        () => {},
      )
      .finally(() => {
        this.asked = undefined
      })
  }

  private found(count: number): void {
    // Its budgets count as spent from now on.
    if (count === -2)
      this.run.note(`--limits: Redis at ${this.address.host} has lost what was spent: no more is`)
    if (count > 0) this.processes = count
    if (!this.lost) return
    this.lost = false
    this.run.note(`--limits: Redis at ${this.address.host} answers again: limits are held together again`)
    for (const listener of this.listeners) listener()
  }

  private lose(why: string): void {
    const words = `--limits: Redis at ${this.address.host} ${why}`
    this.lost = true
    if (this.continueWhenLost) {
      this.run.note(
        `${words}: going on with this process's part of the limits, one of ${this.processes} (--limits-lost)`,
      )
    } else this.run.end(EXIT.stopped, `${words}: run the same command again to go on`)
    for (const listener of this.listeners) listener()
  }
}

/** @throws Fatal unavailable */
async function connect({ options, host }: RedisAddress): Promise<Clients> {
  const [{ default: Limiter }, { Redis }] = await Promise.all([import('bottleneck'), import('ioredis')])
  const client = new Redis({
    ...options,
    // The heartbeat decides whether Redis is lost.
    maxRetriesPerRequest: null,
    retryStrategy: () => RECONNECT_MS,
  })
  const failed = new Promise<never>((_, reject) => {
    client.once('error', reject)
    setTimeout(() => reject(new Error('no answer')), CONNECT_MS).unref()
  })
  failed.catch(() => {})
  let subscriber: () => unknown = () => {}
  try {
    const clock = await Promise.race([RedisClock.of(client), failed])
    client.on('error', () => {})
    // While Redis still loads its file, ioredis asks for its state again, which a client that has subscribed may not.
    const { duplicate } = client
    client.duplicate = (more) => duplicate.call(client, { ...more, enableReadyCheck: false })
    const connection = new Limiter.IORedisConnection({ client })
    subscriber = () => connection.disconnect(false)
    connection.on('error', () => {})
    // A promise, whatever its types say.
    await Promise.race([connection.ready, failed])
    followClock(connection, clock)
    return { client, connection, Limiter }
  } catch (error) {
    client.disconnect()
    subscriber()
    throw new Fatal(EXIT.unavailable, `--limits: no Redis at ${host}: ${(error as Error).message}`)
  }
}
