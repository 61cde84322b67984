/** Compresses rows, two lines each, in chunks, and stores the chunks in a spool. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Spool } from '../../files/spool.ts'

const compress = promisify(gzip)

/** Bytes compressed together: few enough to unpack fast for one item, enough to compress well. */
const SIZE = 1 << 19
/** zlib's level: of real texts 7 takes 1.6 times as long for 1 % less, of others up to 5 times for 12 %. */
const LEVEL = 5
/** Size of zlib's output buffer; longer results need twice the memory. */
const OUTPUT = 1 << 17
/** Chunks in compression before `room` waits. */
const COMPRESSING = 1
const NEWLINE = 0x0a

export class Chunks {
  /** The current chunk, in the first `used` bytes: strings would be kept until it is full. */
  private buffer: Buffer = Buffer.allocUnsafeSlow(SIZE)
  private used = 0
  /** Buffers for reuse: memory outside of the heap is freed late. */
  private readonly free: Buffer[] = []
  private readonly spool: Spool
  private compressing: Promise<void>[] = []
  private rows = 0
  /** First row of each chunk. */
  readonly begins: number[] = []

  constructor(spool: Spool) {
    this.spool = spool
  }

  /** @param user JSON of the user's keys; empty if an earlier row of the item has the same */
  add(user: string, jb: string): void {
    const needed = Buffer.byteLength(user) + Buffer.byteLength(jb) + 2
    if (this.used > 0 && this.used + needed > SIZE) this.cut()
    if (needed > this.buffer.length) this.buffer = Buffer.allocUnsafeSlow(needed)
    if (this.used === 0) this.begins.push(this.rows)
    else this.buffer[this.used++] = NEWLINE
    this.used += this.buffer.write(user, this.used)
    this.buffer[this.used++] = NEWLINE
    this.used += this.buffer.write(jb, this.used)
    this.rows++
  }

  /** Resolves when there is room for more. @throws Fatal (write error) */
  async room(): Promise<void> {
    while (this.compressing.length >= COMPRESSING) await this.compressing.shift()
  }

  async end(): Promise<void> {
    if (this.used > 0) this.cut()
    await Promise.all(this.compressing)
  }

  private cut(): void {
    const before = this.compressing.at(-1)
    const { buffer, used } = this
    const bytes = compress(buffer.subarray(0, used), { level: LEVEL, memLevel: 9, chunkSize: OUTPUT })
    this.buffer = this.free.pop() ?? Buffer.allocUnsafeSlow(SIZE)
    this.used = 0
    const stored = (async () => {
      const chunk = await bytes
      if (buffer.length === SIZE) this.free.push(buffer)
      // Chunks are stored in their order.
      await before
      this.spool.add(chunk)
    })()
    // Its error is thrown by `room` and `end`.
    stored.catch(() => {})
    this.compressing.push(stored)
  }
}
