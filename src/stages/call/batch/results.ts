/** A provider's files of batch results. */
import { closeSync, fstatSync, openSync, statSync } from 'node:fs'
import { cannotRead } from '../../../files/files.ts'
import { filesEndingIn } from '../../../files/folder.ts'
import type { JsonObject } from '../../../rows/record.ts'
import { foreignObject } from '../../../rows/scan.ts'
import { lineAt, scanLines } from '../cache/line_file.ts'
import { OffsetIndex } from '../cache/offset_index.ts'
import { sha256 } from '../sha256.ts'

/** The file, or the .jsonl files of the folder. @throws Fatal if there is none */
export function resultFiles(path: string): string[] {
  try {
    const status = statSync(path)
    if (!status.isDirectory() && !status.isFile())
      throw new Error('not a regular file: results are read in any order')
    return status.isFile() ? [path] : filesEndingIn(path, '.jsonl')
  } catch (error) {
    throw cannotRead(path, error)
  }
}

/** Files of results, indexed by request id. Their lines are read one at a time. */
export class BatchResults {
  private readonly files: number[] = []
  private readonly offsets = new OffsetIndex()
  private readonly used = new OffsetIndex()
  private readonly salt = Math.random().toString(36)
  private total = 0
  private matched = 0
  /** Lines that are not results. */
  broken = 0
  /** A file whose first line is a row. */
  ofRows: string | undefined

  /** @throws Fatal if a file cannot be read */
  constructor(paths: readonly string[]) {
    for (const path of paths)
      try {
        this.index(openSync(path, 'r'), path)
      } catch (error) {
        throw cannotRead(path, error)
      }
  }

  /** Results without a row. */
  get unused(): number {
    return this.total - this.matched
  }

  /** The results with an id under this key, the latest first. */
  all(id: string, key: string): JsonObject[] {
    const hash = this.hashOf(id)
    const found: JsonObject[] = []
    for (const offset of this.offsets.find(hash)) {
      const result = foreignObject(lineAt(this.files[Math.floor(offset / FILE)]!, offset % FILE))
      if (result?.[key] !== id) continue
      if (!this.used.find(hash).includes(offset)) {
        this.used.add(hash, offset)
        this.matched++
      }
      found.push(result)
    }
    return found
  }

  /** 32 bits, salted against files with colliding ids. */
  private hashOf(id: string): number {
    return Number.parseInt(sha256(this.salt + id).slice(0, 8), 16)
  }

  close(): void {
    for (const file of this.files) closeSync(file)
  }

  private index(file: number, path: string): void {
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
      if (this.total === 1 && /"jb":\s*\{/.test(text)) this.ofRows = path
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

/** The id of a request, under any key. In a string its quotes would be escaped. */
const ID = /:\s*"(jb-[0-9a-f]{40})"/

/** The most results of one request; further ones are ignored. */
const MOST_RESULTS = 100

/** The distance of offsets in one file and the next. */
const FILE = 2 ** 40
