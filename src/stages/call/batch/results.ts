/** The files that a provider's batch API gives back. */
import { closeSync, fstatSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { cannotRead } from '../../../files/files.ts'
import type { JsonObject } from '../../../rows/record.ts'
import { foreignJson } from '../../../rows/scan.ts'
import { lineAt, scanLines } from '../cache/line_file.ts'
import { OffsetIndex } from '../cache/offset_index.ts'
import { sha256 } from '../sha256.ts'

/** A file, or the .jsonl files of a folder. @throws Fatal where there is none */
export function resultFiles(path: string): string[] {
  try {
    const status = statSync(path)
    if (!status.isDirectory() && !status.isFile())
      throw new Error('no file: results are read where they stand, again and again')
    if (status.isFile()) return [path]
    const names = readdirSync(path).filter((name) => name.endsWith('.jsonl'))
    return names.sort().map((name) => join(path, name))
  } catch (error) {
    throw cannotRead(path, error)
  }
}

/** Result files, indexed by the ids of requests: their lines are read one at a time. */
export class BatchResults {
  private readonly files: number[] = []
  private readonly offsets = new OffsetIndex()
  private readonly used = new OffsetIndex()
  private readonly salt = Math.random().toString(36)
  private total = 0
  private matched = 0
  /** Lines that are no results: of another file, or cut short. */
  broken = 0

  /** @throws Fatal where one cannot be read */
  constructor(paths: readonly string[]) {
    for (const path of paths)
      try {
        this.index(openSync(path, 'r'))
      } catch (error) {
        throw cannotRead(path, error)
      }
  }

  /** Answers that no row asked for. */
  get unused(): number {
    return this.total - this.matched
  }

  /** Results with an id, which stands under this key, the latest first. */
  all(id: string, key: string): JsonObject[] {
    const hash = this.hashOf(id)
    const found: JsonObject[] = []
    for (const offset of this.offsets.find(hash)) {
      const result = parse(lineAt(this.files[Math.floor(offset / FILE)]!, offset % FILE))
      if (result?.[key] !== id) continue
      if (!this.used.find(hash).includes(offset)) {
        this.used.add(hash, offset)
        this.matched++
      }
      found.push(result)
    }
    return found
  }

  /** 32 bits, salted, so that no file can be written whose ids collide. */
  private hashOf(id: string): number {
    return Number.parseInt(sha256(this.salt + id).slice(0, 8), 16)
  }

  close(): void {
    for (const file of this.files) closeSync(file)
  }

  private index(file: number): void {
    const base = this.files.push(file) - 1
    const { size } = fstatSync(file)
    const visit = (offset: number, line: string) => {
      const text = line.trim()
      if (text === '') return
      if (!text.startsWith('{') || !text.endsWith('}')) {
        this.broken++
        return
      }
      this.total++
      const id = ID.exec(text)?.[1]
      if (id === undefined) return
      const hash = this.hashOf(id)
      if (this.offsets.find(hash).length < MOST_RESULTS) this.offsets.add(hash, base * FILE + offset)
    }
    const end = scanLines(file, 0, size, (offset, line) =>
      visit(offset, line?.latin1Slice(0, line.length) ?? lineAt(file, offset)),
    )
    if (end < size) visit(end, lineAt(file, end))
  }
}

/** The id that `--batch emit` gave a request, whatever a format's key for it is. In a text its quotes would be escaped. */
const ID = /:\s*"(jb-[0-9a-f]{40})"/

/** Results of one request that are looked at: those that stand first. */
const MOST_RESULTS = 100

/** Offsets in the next file begin here. */
const FILE = 2 ** 40

function parse(line: string): JsonObject | undefined {
  try {
    return foreignJson(line) as JsonObject
  } catch {
    return undefined
  }
}
