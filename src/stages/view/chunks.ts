/** Compresses rows, two lines each, in chunks, and stores the chunks in a spool. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Spool } from '../../files/spool.ts'
import type { Latin1 } from '../../rows/bytes.ts'

const compress = promisify(gzip)

/** Bytes compressed together: few enough to unpack fast for one item, enough to compress well. */
const SIZE = 1 << 19
/** Chunks in compression before `room` waits. */
const COMPRESSING = 2

export class Chunks {
  private lines: string[] = []
  private size = 0
  private readonly spool: Spool
  private compressing: Promise<void>[] = []
  private rows = 0
  /** First row of each chunk. */
  readonly begins: number[] = []

  constructor(spool: Spool) {
    this.spool = spool
  }

  /** @param user JSON of the user's keys; empty if an earlier row of the item has the same */
  add(user: Latin1, jb: Latin1): void {
    const needed = user.length + jb.length + 2
    if (this.size > 0 && this.size + needed > SIZE) this.cut()
    if (this.size === 0) this.begins.push(this.rows)
    this.lines.push(user, jb)
    this.size += needed
    this.rows++
  }

  /** Resolves when there is room for more. @throws Fatal (write error) */
  async room(): Promise<void> {
    while (this.compressing.length >= COMPRESSING) await this.compressing.shift()
  }

  async end(): Promise<void> {
    if (this.size > 0) this.cut()
    await Promise.all(this.compressing)
  }

  private cut(): void {
    const before = this.compressing.at(-1)
    const bytes = compress(Buffer.from(this.lines.join('\n'), 'latin1'), { level: 7, memLevel: 9 })
    this.lines = []
    this.size = 0
    const stored = (async () => {
      const chunk = await bytes
      // Chunks are stored in their order.
      await before
      this.spool.add(chunk)
    })()
    // Its error is thrown by `room` and `end`.
    stored.catch(() => {})
    this.compressing.push(stored)
  }
}
