/**
 * `--limits redis://HOST/NAME`: --rpm and --tpm are those of all processes with this URL together, by Bottleneck's clustering:
 * Redis grants each lease of permits to one process.
 */
import type Bottleneck from 'bottleneck'
import type { Redis } from 'ioredis'
import { sha256 } from '../../../rows/crypto.ts'
import { EXIT, Fatal, usageError } from '../../../rows/record.ts'
import { parseRedisUrl, type RedisAddress } from './redis_url.ts'

/** ms without an answer after which Redis is lost: in a run, and at its start. */
const PATIENCE_MS = 5000
const CONNECT_MS = 20_000
/** ms for which an unused rate is kept under its name, and between signs that it is used. */
const KEPT_MS = 60_000
const USED_MS = 20_000

interface SharingRun {
  env: Record<string, string | undefined>
  end(exitCode: number, message: string): void
}

interface Clients {
  client: Redis
  connection: Bottleneck.IORedisConnection
  Limiter: typeof Bottleneck
}

export class SharedRates {
  private readonly address: RedisAddress
  private readonly clients: Clients
  private readonly run: SharingRun
  private readonly rates = new Set<string>()
  private readonly timer: NodeJS.Timeout
  private closed = false

  /** @throws Fatal usage: not such a URL; unavailable: no Redis there */
  static async open(url: string, run: SharingRun): Promise<SharedRates> {
    const address = parseRedisUrl(url, run.env)
    return new SharedRates(address, await connect(address), run)
  }

  private constructor(address: RedisAddress, clients: Clients, run: SharingRun) {
    this.address = address
    this.clients = clients
    this.run = run
    clients.client.on('end', () => this.lost())
    this.timer = setInterval(() => {
      for (const key of this.rates) clients.client.pexpire(key, KEPT_MS).catch(this.lost)
    }, USED_MS).unref()
  }

  /**
   * A limiter that grants one lease per period to one of the processes.
   * @param endpoint with the model
   * @param period in ms
   * @throws Fatal usage if other processes have another rate under this name
   */
  async leases(endpoint: string, what: 'rpm' | 'tpm', period: number): Promise<Bottleneck> {
    const { client, connection, Limiter } = this.clients
    const key = `jb:{${this.address.name}}:${sha256(endpoint).slice(0, 16)}:${what}`
    await client.set(key, period, 'PX', KEPT_MS, 'NX')
    if (Number(await client.get(key)) !== period)
      throw usageError(
        `--limits: other processes use "${this.address.name}" with another --${what}: give all the same, or another name`,
      )
    this.rates.add(key)
    const limiter = new Limiter({ id: `${key}:${period}`, connection, minTime: period, timeout: KEPT_MS })
    limiter.on('error', this.lost)
    await limiter.ready()
    return limiter
  }

  /** Ends the run: without Redis nobody knows what the others send. */
  readonly lost = (error?: unknown): void => {
    if (this.closed) return
    if (error instanceof Fatal) this.run.end(error.exitCode, error.message)
    else
      this.run.end(
        EXIT.stopped,
        `--limits: Redis at ${this.address.host} is lost${error instanceof Error ? ` (${error.message})` : ''}: run the same command again to go on`,
      )
  }

  async close(): Promise<void> {
    this.closed = true
    clearInterval(this.timer)
    // Without waiting for a Redis that may not answer.
    await this.clients.connection.disconnect(false)
  }
}

/** @throws Fatal unavailable */
async function connect({ options, host }: RedisAddress): Promise<Clients> {
  const [{ default: Limiter }, { Redis }] = await Promise.all([import('bottleneck'), import('ioredis')])
  const client = new Redis({ ...options, commandTimeout: PATIENCE_MS, retryStrategy: () => null })
  const failed = new Promise<never>((_, reject) => {
    client.once('error', reject)
    setTimeout(() => reject(new Error('no answer')), CONNECT_MS).unref()
  })
  failed.catch(() => {})
  let connection: Bottleneck.IORedisConnection | undefined
  try {
    await Promise.race([client.ping(), failed])
    client.on('error', () => {})
    connection = new Limiter.IORedisConnection({ client })
    connection.on('error', () => {})
    // A promise, contrary to its type.
    await Promise.race([connection.ready, failed])
    return { client, connection, Limiter }
  } catch (error) {
    client.disconnect()
    connection?.disconnect(false)
    throw new Fatal(EXIT.unavailable, `--limits: no Redis at ${host}: ${(error as Error).message}`)
  }
}
