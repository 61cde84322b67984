/** The clock that all machines share: Redis' own, carried on by the monotonic clock, which cannot be set. */

import type Bottleneck from 'bottleneck'
import type { Redis } from 'ioredis'
import { monotonicMs } from '../../../../rows/clock.ts'

/** ms by which this machine's clock was set, or it slept: Redis is asked again. */
const SET_MS = 1000

export class RedisClock {
  private readonly client: Pick<Redis, 'time'>
  /** Redis' clock minus the monotonic one, and this machine's minus it, in ms. */
  private ahead = 0
  private offset = 0

  static async of(client: Pick<Redis, 'time'>): Promise<RedisClock> {
    const clock = new RedisClock(client)
    await clock.ask()
    return clock
  }

  private constructor(client: Pick<Redis, 'time'>) {
    this.client = client
  }

  /** ms since 1970. */
  now(): number {
    if (Math.abs(Date.now() - monotonicMs() - this.offset) > SET_MS) this.ask().catch(() => {})
    return Math.floor(monotonicMs() + this.ahead)
  }

  private async ask(): Promise<void> {
    this.offset = Date.now() - monotonicMs()
    const [seconds, micros] = await this.client.time()
    this.ahead = Number(seconds) * 1000 + Number(micros) / 1000 - monotonicMs()
  }
}

/** Bottleneck tells its scripts the time of this machine's clock: they get Redis' own. */
export function followClock(connection: Bottleneck.IORedisConnection, clock: RedisClock): void {
  type Scripts = { __scriptArgs__(name: string, id: string, args: unknown[], done: unknown): unknown[] }
  const inner = connection as unknown as Scripts
  const original = inner.__scriptArgs__.bind(connection)
  inner.__scriptArgs__ = (name, id, [, ...more], done) => original(name, id, [clock.now(), ...more], done)
}
