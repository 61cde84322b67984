/** Compresses rows, two lines each, in chunks, and stores the chunks in a spool. */

import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Spool } from '../../files/spool.ts'
import type { Latin1 } from '../../rows/bytes.ts'

const compress = promisify(gzip)

/** Bytes compressed together: few enough to unpack fast for one item, enough to compress well. */
const SIZE = 1 << 19
/** Size of zlib's output buffer; longer results need twice the memory. */
const OUTPUT = 1 << 17
/** Chunks in compression before `room` waits. */
const COMPRESSING = 1
const NEWLINE = 0x0a

export class Chunks {
  /** The current chunk, in the first `used` bytes. */
  private buffer: Buffer = Buffer.allocUnsafe(SIZE)
  private used = 0
  /** Buffers for reuse. */
  private readonly free: Buffer[] = []
  private readonly spool: Spool
  private readonly form: (bytes: Uint8Array) => Uint8Array
  private compressing: Promise<void>[] = []
  private last: Promise<void> = Promise.resolve()
  private rows = 0
  /** First row of each chunk. */
  readonly begins: number[] = []

  /** @param form encodes a compressed chunk; its result is written before the next call */
  constructor(spool: Spool, form: (bytes: Uint8Array) => Uint8Array) {
    this.spool = spool
    this.form = form
  }

  /** @param user JSON of the user's keys; empty if an earlier row of the item has the same */
  add(user: Latin1, jb: Latin1): void {
    const needed = user.length + jb.length + 2
    if (this.used > 0 && this.used + needed > SIZE) this.cut()
    if (needed > this.buffer.length) this.buffer = Buffer.allocUnsafe(needed)
    if (this.used === 0) this.begins.push(this.rows)
    else this.buffer[this.used++] = NEWLINE
    this.used += this.buffer.latin1Write(user, this.used)
    this.buffer[this.used++] = NEWLINE
    this.used += this.buffer.latin1Write(jb, this.used)
    this.rows++
  }

  /** Resolves when there is room for more. @throws Fatal (write error) */
  async room(): Promise<void> {
    while (this.compressing.length > COMPRESSING) await this.compressing[0]
  }

  async end(): Promise<void> {
    if (this.used > 0) this.cut()
    await this.last
  }

  private cut(): void {
    const { buffer, used } = this
    this.buffer = this.free.pop() ?? Buffer.allocUnsafe(SIZE)
    this.used = 0
    const before = this.last
    const packed = compress(buffer.subarray(0, used), { level: 7, memLevel: 9, chunkSize: OUTPUT })
    const one = (async () => {
      const bytes = await packed
      if (buffer.length === SIZE) this.free.push(buffer)
      await before
      this.spool.add(this.form(bytes))
      this.compressing.shift()
    })()
    // Its error is thrown by `room` and `end`.
    one.catch(() => {})
    this.last = one
    this.compressing.push(one)
  }
}
