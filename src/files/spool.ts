/** A temporary file that is deleted with the process. */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT, Fatal } from '../rows/record.ts'

/** Bytes that wait in memory: there is no file until there are more. */
const BLOCK = 1024 * 1024
/** Room for them at first: a library's calls may be many and their inputs small. */
const FIRST = BLOCK / 16
/** Bytes of a write: with 64 KB the system takes a sixth longer, with 256 KB and more at times twice as long. */
const WRITE = 128 * 1024

/** Stores pieces of bytes and reads them in any order. Close it when done. */
export class Spool {
  /** Bytes that were free on the disk when the file was made. */
  free = Number.POSITIVE_INFINITY
  /** Bytes that were added. */
  size = 0
  /** Those of them that are in the file; the others are in the block. */
  private written = 0
  private block = Buffer.allocUnsafeSlow(FIRST)
  /** Where each piece begins and ends: two numbers take a quarter of the room of an object with them. */
  private readonly places: number[] = []
  private folder = ''
  private file: number | undefined

  get pieces(): number {
    return this.places.length / 2
  }

  /** @throws Fatal (write error), such as a full disk: the piece is not stored, those before it are */
  add(text: Uint8Array | string): void {
    const piece = typeof text === 'string' ? Buffer.from(text) : text
    const { size: from } = this
    if (this.block.length < BLOCK && from + piece.length > this.block.length) this.grow()
    const { block } = this
    for (let done = 0; done < piece.length; ) {
      if (this.size - this.written === BLOCK) this.write()
      const used = this.size - this.written
      const end = Math.min(piece.length, done + BLOCK - used)
      block.set(piece.subarray(done, end), used)
      this.size += end - done
      done = end
    }
    this.places.push(from, this.size)
  }

  private grow(): void {
    const { block } = this
    this.block = Buffer.allocUnsafeSlow(BLOCK)
    block.copy(this.block)
  }

  private write(): void {
    try {
      this.file ??= this.open()
      for (let done = 0; done < BLOCK; )
        done += writeSync(this.file, this.block, done, Math.min(WRITE, BLOCK - done), this.written + done)
    } catch (error) {
      throw new Fatal(EXIT.io, `cannot write a temporary file: ${(error as Error).message}`, { cause: error })
    }
    this.written += BLOCK
  }

  private open(): number {
    this.folder = mkdtempSync(join(process.getBuiltinModule('node:os').tmpdir(), 'jb-'))
    const file = openSync(join(this.folder, 'spool'), 'w+', 0o600)
    const { bavail, bsize } = statfsSync(this.folder)
    this.free = bavail * bsize
    // An open file can be deleted, except on Windows: then even a killed process leaves nothing behind.
    if (process.platform !== 'win32') rmSync(this.folder, { recursive: true, force: true })
    return file
  }

  read(piece: number): Buffer {
    const [from, to] = [this.places[2 * piece]!, this.places[2 * piece + 1]!]
    const bytes = Buffer.allocUnsafe(to - from)
    const inFile = Math.max(0, Math.min(to, this.written) - from)
    for (let read = 0; read < inFile; ) read += readSync(this.file!, bytes, read, inFile - read, from + read)
    if (to > this.written) this.block.copy(bytes, inFile, from + inFile - this.written, to - this.written)
    return bytes
  }

  close(): void {
    if (this.file === undefined) return
    closeSync(this.file)
    rmSync(this.folder, { recursive: true, force: true })
  }
}
