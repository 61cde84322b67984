/** A temporary file that is deleted with the process. */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT, Fatal } from '../rows/record.ts'

/** Stores pieces of bytes and reads them in any order. Close it when done. */
export class Spool {
  /** Bytes that were free on its disk when it was made. */
  readonly free: number
  private readonly folder: string
  private readonly file: number
  private readonly begins: number[] = [0]

  /** @throws Fatal (write error) if no temporary file can be created */
  constructor() {
    try {
      this.folder = mkdtempSync(join(process.getBuiltinModule('node:os').tmpdir(), 'jb-'))
      this.file = openSync(join(this.folder, 'spool'), 'w+', 0o600)
      const { bavail, bsize } = statfsSync(this.folder)
      this.free = bavail * bsize
    } catch (error) {
      throw cannotWrite(error)
    }
    // An open file can be deleted, except on Windows: then even a killed process leaves nothing behind.
    if (process.platform !== 'win32') rmSync(this.folder, { recursive: true, force: true })
  }

  get pieces(): number {
    return this.begins.length - 1
  }

  /** @throws Fatal (write error), such as a full disk */
  add(bytes: Uint8Array): void {
    const begin = this.begins.at(-1)!
    try {
      for (let written = 0; written < bytes.length; )
        written += writeSync(this.file, bytes, written, bytes.length - written, begin + written)
    } catch (error) {
      throw cannotWrite(error)
    }
    this.begins.push(begin + bytes.length)
  }

  read(piece: number): Buffer {
    const [from, to] = [this.begins[piece]!, this.begins[piece + 1]!]
    const bytes = Buffer.allocUnsafe(to - from)
    for (let read = 0; read < bytes.length; )
      read += readSync(this.file, bytes, read, bytes.length - read, from + read)
    return bytes
  }

  close(): void {
    closeSync(this.file)
    rmSync(this.folder, { recursive: true, force: true })
  }
}

const cannotWrite = (error: unknown) =>
  new Fatal(EXIT.io, `cannot write a temporary file: ${(error as Error).message}`, { cause: error })
