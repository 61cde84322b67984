/**
 * The bytes of consecutive lines. Slices of a Latin-1 string cost next to nothing, but making the string takes as long as
 * checking the bytes. So a block of short rows becomes one string at the first access; of long rows only the slices that
 * are asked for become strings.
 */
import type { Latin1, Sink } from './bytes.ts'
import { BACKSLASH, keyAt, QUOTE } from './text_scan.ts'

export class Block {
  /** The whole block, made on demand. */
  private string: Latin1 | undefined
  /** The bytes, until {@link end}. */
  private buffer: Buffer | undefined

  readonly long: boolean

  private constructor(string: Latin1 | undefined, buffer: Buffer | undefined, long: boolean) {
    this.string = string
    this.buffer = buffer
    this.long = long
  }

  static of(text: Latin1): Block {
    return new Block(text, undefined, false)
  }

  /** A block of a buffer that will be overwritten after a call of {@link end}. @internal */
  static view(buffer: Buffer, long: boolean): Block {
    return new Block(undefined, buffer, long)
  }

  /** The buffer is about to be overwritten: a block without a string can no longer be read. */
  end(): void {
    this.buffer = undefined
  }

  private get valid(): Buffer {
    if (this.buffer) return this.buffer
    throw new Error('a row was kept longer than its batch')
  }

  get text(): Latin1 {
    this.string ??= this.valid.latin1Slice(0, this.valid.length)
    return this.string
  }

  /** Copies the bytes, so that the block can be read after {@link end}. */
  keep(): void {
    this.string = this.text
  }

  slice(from: number, to: number): Latin1 {
    if (this.string === undefined && this.long) return this.valid.latin1Slice(from, to)
    return this.text.slice(from, to) as Latin1
  }

  at(index: number): number {
    return this.string === undefined ? this.buffer![index]! : this.string.charCodeAt(index)
  }

  /** The bytes while there is no string: in loops faster than {@link at}. */
  get bytes(): Uint8Array | undefined {
    return this.string === undefined ? this.buffer : undefined
  }

  /** Whether the block has this text at `from`. */
  isText(from: number, text: Latin1): boolean {
    const { bytes } = this
    if (!bytes) return this.text.startsWith(text, from)
    for (let i = 0; i < text.length; i++) if (bytes[from + i] !== text.charCodeAt(i)) return false
    return true
  }

  /** Index of the last occurrence of an ASCII character before `end`; -1 if there is none. */
  lastIndexOf(byte: string, end: number): number {
    if (this.string !== undefined) return this.string.lastIndexOf(byte, end - 1)
    return this.valid.lastIndexOf(byte, end - 1, 'latin1')
  }

  /** The key whose opening quote is at `at` and whose value begins at `value`, as Latin-1 with its escapes decoded. */
  key(at: number, value: number): string {
    return this.string === undefined ? keyAt(this.slice(at, value), 0) : keyAt(this.string, at)
  }

  /** Whether the key whose opening quote is at `at` equals `key`; false for any key with a backslash. */
  hasKey(at: number, key: string): boolean {
    for (let i = 0; i < key.length; i++) {
      const unit = key.charCodeAt(i)
      if (unit === BACKSLASH || this.at(at + 1 + i) !== unit) return false
    }
    return this.at(at + 1 + key.length) === QUOTE
  }

  write(out: Sink, from: number, to: number): void {
    if (this.string === undefined && out.copy) out.copy(this.valid, from, to)
    else out.bytes(this.slice(from, to))
  }
}
