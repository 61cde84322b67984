/**
 * `--limits redis://HOST/NAME`: limits that all processes with the same name share.
 *
 * Rates use Bottleneck's Redis clustering, which grants each lease to one process. Budgets are taken from Redis in parts, so
 * that a call needs no request to Redis. Calls in flight are counted here: Bottleneck would keep the slots of a process
 * that died for as long as its longest call may take.
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

/** ms without a heartbeat after which a process counts as dead. */
const ALIVE_MS = 10_000
const HEARTBEAT_MS = 1000
/** ms without an answer after which Redis is lost: in a run, and at its start. */
const PATIENCE_MS = 5000
const CONNECT_MS = 20_000
const RECONNECT_MS = 500
/** Parts per process into which the rest of a budget is divided. */
const PARTS = 8
/** Dollars are stored in billionths. */
const NANO = 1e9
/** Errors of Redis if another program uses the name. */
const NAME_IN_USE = /WRONGTYPE|not an integer|not a valid float|user_script:\d+: attempt to/

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
  /** Processes that share the limits, as last counted. */
  processes = 1
  /** Redis does not answer. */
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
  /** When the unanswered heartbeat was sent, by monotonicMs(). */
  private sentAt: number | undefined
  private closed = false
  /** Resolves with 0 when Redis is lost or the run ends. */
  private readonly ended: Promise<number>

  /**
   * Connects and joins.
   * @param lost `continue` with this process's part if Redis stops answering, or `stop`
   * @throws Fatal usage: invalid URL, or other processes with this name have other limits; unavailable: no Redis there
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

  /** The limits of one endpoint and model. */
  channel(key: string, concurrency: number, use: ChannelUse): SharedChannel {
    const channel = new SharedChannel(this, key, concurrency, use)
    this.channels.push(channel)
    return channel
  }

  /** Calls the listener when Redis is lost or answers again. */
  changed(listener: () => void): void {
    this.listeners.push(listener)
  }

  /** A limiter that grants one lease per period (ms) to one of the processes; only to this one while Redis is lost. */
  async leases(what: string, period: number): Promise<Bottleneck> {
    const { Limiter, connection } = this.clients
    if (this.lost) return new Limiter({ minTime: period })
    const id = `${this.key(what)}:${period}`
    const limiter = new Limiter({ id, connection, minTime: period, timeout: 86_400_000 })
    limiter.on('error', () => {})
    await limiter.ready()
    return limiter
  }

  async sync(channel: string, ...args: number[]): Promise<[number, number] | undefined> {
    if (this.closed || this.lost) return undefined
    const keys = ['held', 'expiry', 'starved', 'total', 'signals'].map((name) =>
      this.key(`${channel}:${name}`),
    )
    try {
      const found = await this.clients.client.eval(SYNC, 5, ...keys, this.id, ALIVE_MS, ...args)
      return found as [number, number]
    } catch (error) {
      this.failed(error)
      return undefined
    }
  }

  /** Ends the run if another program uses the name; the heartbeat notices other errors. */
  failed(error: unknown): void {
    if (NAME_IN_USE.test(String(error))) this.run.end(EXIT.unavailable, this.nameInUse(error))
  }

  private nameInUse(error: unknown): string {
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

  /** Returns this process's part. */
  async close(): Promise<void> {
    clearInterval(this.timer)
    const { client, connection } = this.clients
    if (!this.closed && !this.lost) {
      const left = [...this.channels.map((one) => one.close()), client.zrem(this.key('members'), this.id)]
      await Promise.race([Promise.allSettled(left), delay(1000, undefined, { ref: false })])
    }
    this.closed = true
    // False: without waiting for a Redis that may not answer.
    await connection.disconnect(false)
  }

  private key(name: string): string {
    return `jb:{${this.address.name}}:${name}`
  }

  /** @throws Fatal */
  private async join(): Promise<void> {
    const [count, others] = await this.report(true).catch((error) => {
      throw NAME_IN_USE.test(String(error)) ? new Fatal(EXIT.unavailable, this.nameInUse(error)) : error
    })
    if (count === -1)
      throw usageError(
        `--limits: other processes use "${this.address.name}" with other limits, ${others}: give all the same, or another name`,
      )
    this.processes = count
  }

  private report(joining: boolean): Promise<[number, string]> {
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
    if (this.sentAt !== undefined) {
      if (!this.lost && monotonicMs() - this.sentAt > PATIENCE_MS) this.lose()
      return
    }
    this.sentAt = monotonicMs()
    this.report(false)
      .then(
        ([count]) => this.found(count),
        () => {},
      )
      .finally(() => {
        this.sentAt = undefined
      })
  }

  private found(count: number): void {
    if (count === -2)
      this.run.note(
        `--limits: Redis at ${this.address.host} lost its record of what was spent: the budgets count as used up`,
      )
    if (count > 0) this.processes = count
    if (!this.lost) return
    this.lost = false
    this.run.note(`--limits: Redis at ${this.address.host} answers again: limits are shared again`)
    for (const listener of this.listeners) listener()
  }

  private lose(): void {
    const words = `--limits: Redis at ${this.address.host} does not answer`
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
    // The heartbeat detects a lost Redis.
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
    // A subscribed client must not check, as ioredis does while Redis is loading, whether Redis is ready.
    const { duplicate } = client
    client.duplicate = (more) => duplicate.call(client, { ...more, enableReadyCheck: false })
    const connection = new Limiter.IORedisConnection({ client })
    subscriber = () => connection.disconnect(false)
    connection.on('error', () => {})
    // A promise, contrary to its type.
    await Promise.race([connection.ready, failed])
    followClock(connection, clock)
    return { client, connection, Limiter }
  } catch (error) {
    client.disconnect()
    subscriber()
    throw new Fatal(EXIT.unavailable, `--limits: no Redis at ${host}: ${(error as Error).message}`)
  }
}
