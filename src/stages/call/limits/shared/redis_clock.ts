/** Redis' clock, which all machines share, continued by the monotonic clock. */

import type Bottleneck from 'bottleneck'
import type { Redis } from 'ioredis'
import { monotonicMs } from '../../../../rows/clock.ts'

/** Redis' time is read again if this machine's clock was adjusted by more ms, or the machine slept. */
const ADJUSTED_MS = 1000

export class RedisClock {
  private readonly client: Pick<Redis, 'time'>
  /** Redis' clock, and this machine's, minus the monotonic one, in ms. */
  private ahead = 0
  private offset = 0

  static async of(client: Pick<Redis, 'time'>): Promise<RedisClock> {
    const clock = new RedisClock(client)
    await clock.read()
    return clock
  }

  private constructor(client: Pick<Redis, 'time'>) {
    this.client = client
  }

  /** ms since 1970. */
  now(): number {
    if (Math.abs(Date.now() - monotonicMs() - this.offset) > ADJUSTED_MS) this.read().catch(() => {})
    return Math.floor(monotonicMs() + this.ahead)
  }

  private async read(): Promise<void> {
    this.offset = Date.now() - monotonicMs()
    const [seconds, micros] = await this.client.time()
    this.ahead = Number(seconds) * 1000 + Number(micros) / 1000 - monotonicMs()
  }
}

/** Makes Bottleneck pass Redis' time to its scripts, instead of this machine's. */
export function followClock(connection: Bottleneck.IORedisConnection, clock: RedisClock): void {
  type Scripts = { __scriptArgs__(name: string, id: string, args: unknown[], done: unknown): unknown[] }
  const inner = connection as unknown as Scripts
  const original = inner.__scriptArgs__.bind(connection)
  inner.__scriptArgs__ = (name, id, [, ...more], done) => original(name, id, [clock.now(), ...more], done)
}
