/**
 * A clock that stands still until everything that is to happen at its time has happened: minutes of waiting pass in a
 * second, and the same way every time. It replaces the timers and clocks of the whole process, libraries included.
 */
const immediate = globalThis.setImmediate

interface Event {
  at: number
  n: number
  run: () => void
  cancelled?: boolean
}

export class VirtualTime {
  now = 0
  private readonly queue: Event[] = []
  private count = 0
  private seed = 1

  /** The clock stands at 0 again, and chance is the same again. */
  restart(seed: number): void {
    this.now = 0
    this.seed = seed
  }

  /** Takes the place of the process's clocks and timers, and of Math.random. */
  install(): void {
    const schedule = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      this.after(ms, () => run(...args))
    Object.assign(globalThis, {
      setTimeout: schedule,
      clearTimeout: (event?: Event) => {
        if (event) event.cancelled = true
      },
    })
    Date.now = () => 1_700_000_000_000 + this.now
    Object.assign(process, { hrtime: () => [Math.floor(this.now / 1000), (this.now % 1000) * 1e6] })
    Math.random = () => {
      this.seed = (this.seed + 0x6d2b79f5) | 0
      let mixed = Math.imul(this.seed ^ (this.seed >>> 15), 1 | this.seed)
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
    }
  }

  after(ms: number, run: () => void): object {
    const event = {
      at: this.now + Math.max(0, ms),
      n: this.count++,
      run,
      unref: () => event,
      ref: () => event,
    }
    this.push(event)
    return event
  }

  /** Lets time pass until `end` ms or until nothing is left to happen. */
  async run(end: number, done: () => boolean): Promise<void> {
    for (;;) {
      // What is imported on the first run takes real time.
      for (let i = 0; this.queue.length === 0 && !done() && i < 2000; i++) await settled()
      if (this.queue.length === 0 || this.queue[0]!.at > end || done()) return
      const event = this.pop()
      if (event.cancelled) continue
      this.now = event.at
      event.run()
      if (this.queue[0]?.at !== this.now) await settled()
    }
  }

  /** Forgets what was still to happen. */
  clear(): void {
    this.queue.length = 0
  }

  private push(event: Event): void {
    const { queue } = this
    let at = queue.push(event) - 1
    for (let up = (at - 1) >> 1; at > 0 && before(event, queue[up]!); up = (at - 1) >> 1) {
      queue[at] = queue[up]!
      at = up
    }
    queue[at] = event
  }

  private pop(): Event {
    const { queue } = this
    const first = queue[0]!
    const last = queue.pop()!
    if (queue.length === 0) return first
    let at = 0
    for (;;) {
      let next = 2 * at + 1
      if (next >= queue.length) break
      if (next + 1 < queue.length && before(queue[next + 1]!, queue[next]!)) next++
      if (!before(queue[next]!, last)) break
      queue[at] = queue[next]!
      at = next
    }
    queue[at] = last
    return first
  }
}

const before = (a: Event, b: Event) => a.at < b.at || (a.at === b.at && a.n < b.n)

/** Lets everything happen that waits for nothing. */
export async function settled(): Promise<void> {
  await new Promise<void>((resolve) => immediate(resolve))
}
