/**
 * Claims on calls, so that processes with the same cache do not make the same call twice: one makes it, the others wait for
 * the reply in the journal.
 *
 * A folder beside the journal has a file for each process, named by host and process id. After a header, each line is a call
 * in flight: 32 hex digits and the time of the claim, 0 until it is set; a free line is blank. A process writes its claim,
 * then reads the others' claims; the earliest one wins. The file of a process that has ended, or that was not touched for
 * minutes, is ignored. A process without others keeps its claims in memory and checks for others now and then; a process
 * that starts later waits until the others' headers show that they have noticed it.
 */

import {
  closeSync,
  constants,
  futimesSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../../files/folder.ts'
import { monotonicMs } from '../../../rows/clock.ts'
import { sha256 } from '../sha256.ts'
import { openOwn } from './journal.ts'

const DIGITS = 32
/** A claim, a space, 13 digits of ms, a newline. */
const LINE = DIGITS + 1 + 13 + 1
const FREE = `${' '.repeat(LINE - 1)}\n`
/** The first line, written after all claims. */
const HEADER = `+${FREE.slice(1)}`
/** Attempts to create a file in a folder that another process removes. */
const OPEN_ATTEMPTS = 20
/** ms between checks for other processes. */
const CHECK_MS = 50
/** The longest wait of a new process for the others to notice it, in ms: a stopped one never does. */
const NOTICED_MS = 30_000
/** The coarsest resolution of a file system's clock, in ms. */
const TICK_MS = 20

interface Claim {
  /** The name of the call. */
  what: string
  time: number
  slot: number
}

export class Claims {
  private readonly folder: string
  private readonly own: string
  private readonly host =
    process
      .getBuiltinModule('node:os')
      .hostname()
      .replace(/[^\w.-]/g, '') || 'host'
  /** ms after which a file that was not touched is ignored. */
  private readonly stale: number
  private readonly claims = new Set<Claim>()
  private readonly free: number[] = []
  /** The first line is the header. */
  private slots = 1
  private file: number | undefined
  /** The time of the last check, by monotonicMs(), and the folder's mtime then. */
  private checked = 0
  private seen = Number.NaN
  /** No other process has been seen yet, so none reads this one's file. */
  alone = true
  /** How often the set of processes has changed. */
  changes = 0
  private peers: string[] = []
  private timer: NodeJS.Timeout | undefined
  private touched = 0
  /** Until when this process waits to be noticed, by monotonicMs(). */
  private newUntil = 0

  /** @param journal the path of the replies' file; @param stale ms */
  constructor(journal: string, stale: number) {
    this.folder = `${journal}.busy`
    this.own = `${this.host}-${process.pid}`
    this.stale = stale
  }

  /** Whether another process may be making calls without claims, because it has not noticed this one yet. */
  get unnoticed(): boolean {
    try {
      this.check()
      if (monotonicMs() < this.newUntil && this.peers.some((peer) => this.silent(peer))) return true
    } catch {
      return false
    }
    this.newUntil = 0
    return false
  }

  /** Claims a call. @returns undefined if the claim cannot be written: the call may then be made twice */
  take(what: string): Claim | undefined {
    try {
      return this.taken(what)
    } catch {
      return undefined
    }
  }

  private taken(what: string): Claim {
    const claim = { what, time: 0, slot: this.free.pop() ?? this.slots++ }
    this.claims.add(claim)
    // Written before the check: a process that starts after the check will read it.
    if (!this.alone) this.write(claim)
    this.check()
    const now = Date.now()
    if (this.alone) claim.time = now
    else {
      // Lamport's bakery algorithm: the time is later than all that are seen, and others wait while it is 0.
      claim.time = Math.max(now, ...this.timesOf(what).map(({ time }) => time + 1))
      this.write(claim)
    }
    return claim
  }

  drop(claim: Claim): void {
    this.claims.delete(claim)
    this.free.push(claim.slot)
    if (this.alone) return
    try {
      writeSync(this.file!, FREE, claim.slot * LINE)
    } catch {
      // The others ignore the claim when the file is stale.
    }
  }

  /** Whether a live process has an earlier claim on the same call. */
  earlier({ what, time }: Claim): boolean {
    return this.timesOf(what).some(
      (other) =>
        (other.time < time || (other.time === time && other.peer < this.own)) && this.alive(other.peer),
    )
  }

  /** The other processes' claims on a call. */
  private timesOf(what: string): { peer: string; time: number }[] {
    const name = nameOf(what)
    const times = []
    for (const peer of this.peers) {
      const text = read(join(this.folder, peer))
      for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + DIGITS))
        times.push({ peer, time: Number(text.slice(at + DIGITS + 1, at + LINE - 1)) })
    }
    return times
  }

  close(): void {
    if (this.file === undefined) return
    clearInterval(this.timer)
    closeSync(this.file)
    this.file = undefined
    try {
      rmSync(join(this.folder, this.own), { force: true })
      rmdirSync(this.folder)
    } catch {
      // Other processes still use the folder.
    }
  }

  private write({ what, time, slot }: Claim): void {
    writeSync(this.file!, `${nameOf(what)} ${String(time).padStart(13, '0')}\n`, slot * LINE)
  }

  /** Checks for other processes. When the first one is found, writes all claims. */
  private check(): void {
    const first = this.file === undefined
    const now = monotonicMs()
    if (first) {
      this.file = this.open()
      this.timer = setInterval(() => this.checkAndTouch(), CHECK_MS).unref()
    } else if (this.alone && now - this.checked < CHECK_MS) return
    this.checked = now
    const wall = Date.now()
    const { mtimeMs } = statSync(this.folder)
    if (mtimeMs === this.seen) return
    this.changes++
    // A process that starts within the same tick of the file system's clock would not change the mtime.
    this.seen = wall - mtimeMs < TICK_MS ? Number.NaN : mtimeMs
    this.peers = readdirSync(this.folder).filter((name) => name !== this.own && this.alive(name))
    if (first && this.peers.length > 0) this.newUntil = now + NOTICED_MS
    if (this.alone && this.peers.length === 0) return
    this.alone = false
    for (const claim of this.claims) this.write(claim)
    // Last, because the others now rely on the file.
    writeSync(this.file!, HEADER, 0)
  }

  /** Opens this process's file. Another process that ends may remove the folder meanwhile. */
  private open(): number {
    for (let attempt = 1; ; attempt++)
      try {
        makeFolder(this.folder, 0o700)
        return openOwn(join(this.folder, this.own), constants.O_WRONLY | constants.O_TRUNC)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === OPEN_ATTEMPTS) throw error
      }
  }

  private checkAndTouch(): void {
    const now = Date.now()
    try {
      if (Math.abs(now - this.touched) > this.stale / 4) {
        this.touched = now
        futimesSync(this.file!, now / 1000, now / 1000)
      }
      this.check()
    } catch {
      // `take` handles the error.
    }
  }

  /** Whether a live process has not noticed any other yet. */
  private silent(peer: string): boolean {
    return !read(join(this.folder, peer)).startsWith('+') && this.alive(peer)
  }

  /** Whether a process is alive. Removes the file of one on this host that has ended. */
  private alive(peer: string): boolean {
    const path = join(this.folder, peer)
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found || Date.now() - found.mtimeMs > this.stale) return false
    if (!peer.startsWith(`${this.host}-`)) return true
    try {
      process.kill(Number(peer.slice(this.host.length + 1)), 0)
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EPERM') return true
      rmSync(path, { force: true })
      return false
    }
  }
}

const nameOf = (what: string) => sha256(what).slice(0, DIGITS)

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
