/** Collects pieces of rows and writes them in large blocks, with back-pressure. */
import { writeSync } from 'node:fs'
import type { Writable } from 'node:stream'
import type { Sink } from './row.ts'

/** Where rows go. */
export interface Target {
  stream: Writable
  /** The descriptor, if it can be written to directly, without the stream. */
  descriptor?: number | undefined
  /** The descriptor blocks (a file); else a write fails with EAGAIN when it would block. */
  blocking?: boolean | undefined
}

/** Collects rows and writes them in large blocks; waits for a slow reader. */
export class Output implements Sink {
  /** Bytes to collect before a write: with one more row they still fit into a pipe's buffer (64 KB on Linux). */
  static readonly SIZE = 48 * 1024

  private readonly target: Target
  private readonly onIdleFailure: () => void
  private spare: Buffer | undefined
  private pending: Promise<void> | undefined
  private idle: NodeJS.Timeout | undefined
  private failed: Error | undefined

  private buffer: Buffer = Buffer.allocUnsafeSlow(Output.SIZE * 2)
  private used = 0

  /** @param onIdleFailure called when a write of {@link flushSoon} fails */
  constructor(target: Target, onIdleFailure: () => void) {
    this.target = target
    this.onIdleFailure = onIdleFailure
    target.stream.on('error', (error) => {
      this.failed ??= error
    })
  }

  get full(): boolean {
    return this.used >= Output.SIZE
  }

  text(text: string): void {
    // Of a long text the bytes are counted: three times its length may be more than there is.
    this.reserve(text.length < Output.SIZE ? text.length * 3 : Buffer.byteLength(text))
    this.used += this.buffer.write(text, this.used)
  }

  bytes(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.buffer.set(bytes, this.used)
    this.used += bytes.length
  }

  private reserve(size: number): void {
    if (this.used + size <= this.buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.used + size))
    this.buffer.copy(larger, 0, 0, this.used)
    this.buffer = larger
  }

  /** Starts writing the collected bytes; resolves when the block before is written. @throws the stream's error */
  async flush(): Promise<void> {
    while (this.pending) await this.pending
    if (this.failed) throw this.failed
    if (this.used === 0) return
    const { buffer, used } = this
    const written = this.attempt(buffer.subarray(0, used))
    if (written === used) {
      this.used = 0
      return
    }
    this.buffer = this.spare ?? Buffer.allocUnsafeSlow(Output.SIZE * 2)
    this.spare = undefined
    this.used = 0
    // A stream may call back at once.
    const block = new Promise<void>((resolve) => {
      this.target.stream.write(buffer.subarray(written, used), (error) => {
        if (error) this.failed ??= error
        if (buffer.length === Output.SIZE * 2) this.spare = buffer
        resolve()
      })
    })
    this.pending = block.then(() => {
      this.pending = undefined
    })
  }

  /** Writes directly, as much as the reader has room for: faster than the stream. @returns bytes written */
  private attempt(bytes: Buffer): number {
    const { descriptor, blocking } = this.target
    if (descriptor === undefined) return 0
    try {
      if (!blocking) return writeSync(descriptor, bytes)
      writeWhole(descriptor, bytes)
      return bytes.length
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN' && !blocking) return 0
      this.failed = error as Error
      throw error
    }
  }

  /** Flushes within 10 ms, so that rows of a slow source do not wait for a full buffer. */
  flushSoon(): void {
    if (this.used === 0 || this.idle) return
    this.idle = setTimeout(() => {
      this.idle = undefined
      this.flush().catch(this.onIdleFailure)
    }, 10)
  }

  /** Writes the rest; leaves the stream open. */
  async end(): Promise<void> {
    clearTimeout(this.idle)
    await this.flush()
    await this.pending
    if (this.failed) throw this.failed
  }
}

/** Writes all bytes. A full disk takes only some of them, and the error comes with the next write. */
export function writeWhole(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
}
