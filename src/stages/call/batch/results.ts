/** A provider's files of batch results. */
import { closeSync, fstatSync, openSync, statSync } from 'node:fs'
import { cannotRead } from '../../../files/cannot_read.ts'
import { filesEndingIn } from '../../../files/folder.ts'
import { foreignObject } from '../../../rows/foreign_json.ts'
import { getOrInsert } from '../../../rows/maps.ts'
import type { JsonObject } from '../../../rows/record.ts'
import { lineAt, scanLines } from '../cache/line_file.ts'

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
  /** By request id, the latest last. */
  private readonly offsets = new Map<string, number[]>()
  private readonly used = new Set<number>()
  private total = 0
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
    return this.total - this.used.size
  }

  /** The results with an id under this key, the latest first. */
  all(id: string, key: string): JsonObject[] {
    const found: JsonObject[] = []
    for (const offset of this.offsets.get(id)?.toReversed() ?? []) {
      const result = foreignObject(lineAt(this.files[Math.floor(offset / FILE)]!, offset % FILE))
      if (result?.[key] !== id) continue
      this.used.add(offset)
      found.push(result)
    }
    return found
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
      const offsets = getOrInsert(this.offsets, id, () => [])
      if (offsets.length < MOST_RESULTS) offsets.push(base * FILE + offset)
    }
    const end = scanLines(file, 0, size, (offset, line) =>
      visit(offset, line?.toString('latin1') ?? lineAt(file, offset)),
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
