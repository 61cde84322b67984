/**
 * The calls that processes with the same cache are making just now, so that none pays for a reply that another is
 * getting: it waits for it to appear in the journal.
 *
 * Beside the journal stands a folder with a file for each process, named by host and process id. Its lines,
 * all of one length, are the calls under way: 32 hex digits and the time of the claim, 0 while it is not known
 * yet; a free line is blank, the first one a header. A process writes its claim first and looks at the others' then; the earlier one
 * goes ahead. The file of a process that is gone, or has not moved for minutes, counts for nothing. A process
 * that has always been alone keeps its claims in memory, its file empty, and looks now and then whether it still is;
 * a newcomer waits until the files of the others show that they have noticed it.
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
/** The first line, once all claims follow it. */
const HEADER = `+${FREE.slice(1)}`
/** Attempts to make a file in a folder that another process takes away. */
const OPEN_ATTEMPTS = 20
/** ms between looks for company. */
const LOOK_MS = 50
/** And the longest that a newcomer waits for a living process to notice it: one that is stopped never does. */
const NOTICED_MS = 30_000
/** Resolution of the coarsest clock that a file system may have. */
const TICK_MS = 20

interface Claim {
  /** What is asked for, in any words. */
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
  /** ms after which an unmoved file is no longer believed. */
  private readonly stale: number
  private readonly held = new Set<Claim>()
  private readonly free: number[] = []
  /** The first line is the header. */
  private slots = 1
  private file: number | undefined
  /** When this process last looked, by monotonicMs(). */
  private looked = 0
  private seen = Number.NaN
  /** No other process has been seen yet, so none reads this one's file. */
  alone = true
  /** How often other processes were seen to come or go. */
  changes = 0
  private peers: string[] = []
  private looking: NodeJS.Timeout | undefined
  private moved = 0
  /** Until when this process waits to be noticed, by monotonicMs(). */
  private newUntil = 0

  /** @param journal the file the replies go to; @param stale ms that a process may take between two steps */
  constructor(journal: string, stale: number) {
    this.folder = `${journal}.busy`
    this.own = `${this.host}-${process.pid}`
    this.stale = stale
  }

  /** Whether another process may be asking without a claim, as it has not noticed this one yet. */
  get unnoticed(): boolean {
    try {
      this.look()
      if (monotonicMs() < this.newUntil && this.peers.some((peer) => this.silent(peer))) return true
    } catch {
      return false
    }
    this.newUntil = 0
    return false
  }

  /** Claims what this process is about to ask for; undefined where it cannot be written: the reply may be paid for twice. */
  take(what: string): Claim | undefined {
    try {
      return this.taken(what)
    } catch {
      return undefined
    }
  }

  private taken(what: string): Claim {
    const claim = { what, time: 0, slot: this.free.pop() ?? this.slots++ }
    this.held.add(claim)
    // Written before the look: a process that comes after the look sees it, one that came before is seen.
    if (!this.alone) this.write(claim)
    this.look()
    const now = Date.now()
    if (this.alone) claim.time = now
    else {
      // Lamport's bakery: a claim without a time is waited for, and a time is later than all that are seen.
      claim.time = Math.max(now, ...this.timesOf(what).map(({ time }) => time + 1))
      this.write(claim)
    }
    return claim
  }

  drop(claim: Claim): void {
    this.held.delete(claim)
    this.free.push(claim.slot)
    if (this.alone) return
    try {
      writeSync(this.file!, FREE, claim.slot * LINE)
    } catch {
      // The reply is there all the same. The others take the claim for given up when it is old.
    }
  }

  /** Whether a living process claimed the same before. */
  earlier({ what, time }: Claim): boolean {
    return this.timesOf(what).some(
      (other) =>
        (other.time < time || (other.time === time && other.peer < this.own)) && this.alive(other.peer),
    )
  }

  /** What the others claim of it. */
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
    clearInterval(this.looking)
    closeSync(this.file)
    this.file = undefined
    try {
      rmSync(join(this.folder, this.own), { force: true })
      rmdirSync(this.folder)
    } catch {
      // Others are still there.
    }
  }

  private write({ what, time, slot }: Claim): void {
    writeSync(this.file!, `${nameOf(what)} ${String(time).padStart(13, '0')}\n`, slot * LINE)
  }

  /** Looks for other processes; the first one found gets what is under way here. */
  private look(): void {
    const first = this.file === undefined
    const now = monotonicMs()
    if (first) {
      this.file = this.open()
      // Also while all its calls are in flight it takes note of who comes.
      this.looking = setInterval(() => this.lookAgain(), LOOK_MS).unref()
    } else if (this.alone && now - this.looked < LOOK_MS) return
    this.looked = now
    const wall = Date.now()
    const { mtimeMs } = statSync(this.folder)
    if (mtimeMs === this.seen) return
    this.changes++
    // Who comes within the same tick of the file system's clock changes no time.
    this.seen = wall - mtimeMs < TICK_MS ? Number.NaN : mtimeMs
    this.peers = readdirSync(this.folder).filter((name) => name !== this.own && this.alive(name))
    if (first && this.peers.length > 0) this.newUntil = now + NOTICED_MS
    if (this.alone && this.peers.length === 0) return
    this.alone = false
    for (const claim of this.held) this.write(claim)
    // Last of all: from here on the others believe what stands in the file.
    writeSync(this.file!, HEADER, 0)
  }

  /** The last of several processes takes the folder away, maybe just now. */
  private open(): number {
    for (let attempt = 1; ; attempt++)
      try {
        makeFolder(this.folder, 0o700)
        return openOwn(join(this.folder, this.own), constants.O_WRONLY | constants.O_TRUNC)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === OPEN_ATTEMPTS) throw error
      }
  }

  private lookAgain(): void {
    const now = Date.now()
    try {
      // A living process's file moves, however long its calls take.
      if (Math.abs(now - this.moved) > this.stale / 4) {
        this.moved = now
        futimesSync(this.file!, now / 1000, now / 1000)
      }
      this.look()
    } catch {
      // The next claim that is taken says so.
    }
  }

  /** A live process that has not seen another yet. */
  private silent(peer: string): boolean {
    return !read(join(this.folder, peer)).startsWith('+') && this.alive(peer)
  }

  /** A process of this host that is gone leaves its file behind: it is taken away. */
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
