/** Collects pieces of rows and writes them in large blocks, with back-pressure. */
import { writeSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { encode, type Latin1, type Sink } from './bytes.ts'

/** Where rows go. */
export interface Target {
  stream: Writable
  /** The descriptor, if it can be written to directly, without the stream. */
  descriptor?: number | undefined
  /** The descriptor blocks (a file); else a write fails with EAGAIN when it would block. */
  blocking?: boolean | undefined
}

/** Pieces shorter than this are joined in a string before they become bytes; characters of such a string. */
const SHORT = 1024
const PIECES = 32 * 1024
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches ASCII
const NOT_ASCII = /[^\x00-\x7f]/

/** A growing buffer of output. */
export class OutputBuffer implements Sink {
  protected buffer: Buffer
  /** Short pieces as one Latin-1 string: one write for all of them. */
  private pieces = '' as Latin1
  protected used = 0

  constructor(initialSize: number) {
    this.buffer = Buffer.allocUnsafeSlow(initialSize)
  }

  get size(): number {
    return this.used + this.pieces.length
  }

  /** Returns the collected bytes and continues with the buffer `next`. */
  take(next: Buffer): Buffer {
    this.settle()
    const taken = this.buffer.subarray(0, this.used)
    this.buffer = next
    this.used = 0
    return taken
  }

  bytes(text: Latin1): void {
    if (text.length < SHORT) {
      this.pieces = (this.pieces + text) as Latin1
      if (this.pieces.length >= PIECES) this.settle()
      return
    }
    this.settle()
    this.reserve(text.length)
    this.used += this.buffer.latin1Write(text, this.used)
  }

  text(text: string): void {
    if (text.length < SHORT) {
      this.bytes(NOT_ASCII.test(text) ? encode(text) : (text as Latin1))
      return
    }
    this.settle()
    this.reserve(text.length * 3)
    this.used += this.buffer.utf8Write(text, this.used)
  }

  copy(bytes: Uint8Array, from: number, to: number): void {
    this.settle()
    this.reserve(to - from)
    this.buffer.set(new Uint8Array(bytes.buffer, bytes.byteOffset + from, to - from), this.used)
    this.used += to - from
  }

  /** Moves the short pieces into the buffer. */
  protected settle(): void {
    const { pieces } = this
    if (pieces === '') return
    this.pieces = '' as Latin1
    this.reserve(pieces.length)
    this.used += this.buffer.latin1Write(pieces, this.used)
  }

  private reserve(size: number): void {
    if (this.used + size <= this.buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.used + size))
    this.buffer.copy(larger, 0, 0, this.used)
    this.buffer = larger
  }
}

/** Writes collected bytes in large blocks; waits for a slow reader. */
export class Output extends OutputBuffer {
  private readonly target: Target
  private readonly onIdleFailure: () => void
  private spare: Buffer | undefined
  private pending: Promise<void> | undefined
  private idle: NodeJS.Timeout | undefined
  private failed: Error | undefined

  /** Bytes to collect before a write: with one more row they still fit into a pipe's buffer (64 KB on Linux). */
  static readonly SIZE = 48 * 1024

  /** @param onIdleFailure called when a write of {@link flushSoon} fails */
  constructor(target: Target, onIdleFailure: () => void) {
    super(Output.SIZE * 2)
    this.target = target
    this.onIdleFailure = onIdleFailure
    target.stream.on('error', (error) => {
      this.failed ??= error
    })
  }

  get full(): boolean {
    return this.size >= Output.SIZE
  }

  /** Starts writing the collected bytes; resolves when the block before is written. @throws the stream's error */
  async flush(): Promise<void> {
    while (this.pending) await this.pending
    if (this.failed) throw this.failed
    this.settle()
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
    this.pending = new Promise((resolve) => {
      this.target.stream.write(buffer.subarray(written, used), (error) => {
        if (error) this.failed ??= error
        if (buffer.length === Output.SIZE * 2) this.spare = buffer
        this.pending = undefined
        resolve()
      })
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
    if (this.size === 0 || this.idle) return
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
