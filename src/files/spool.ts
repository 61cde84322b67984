/** A file for what has to wait until the whole is known: it is gone with the process. */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT, Fatal } from '../rows/record.ts'

/** Pieces of bytes, read in any order. Close it when done. */
export class Spool {
  private readonly folder: string
  private readonly file: number
  private readonly begins: number[] = [0]

  /** @throws Fatal (write error) where there is no room for temporary files */
  constructor() {
    try {
      this.folder = mkdtempSync(join(process.getBuiltinModule('node:os').tmpdir(), 'jb-'))
      this.file = openSync(join(this.folder, 'spool'), 'w+', 0o600)
    } catch (error) {
      throw cannotWrite(error)
    }
    // Where the system allows it, the name goes at once: a killed process leaves nothing.
    if (process.platform !== 'win32') rmSync(this.folder, { recursive: true, force: true })
  }

  get pieces(): number {
    return this.begins.length - 1
  }

  /** @throws Fatal (write error) where the disk is full */
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
