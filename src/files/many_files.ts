/** Any number of files that are written a line at a time. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from './folder.ts'

/** Files that are open at a time. */
const MOST_OPEN = 64

export class ManyFiles {
  /** Files that cannot be made, and why. */
  readonly failed = new Map<string, string>()
  private readonly begun = new Set<string>()
  /** Descriptors of the open files by path, the one that was written last at the end. */
  private readonly open = new Map<string, number>()

  /** Adds to a file, which the first text replaces. */
  add(path: string, text: string): void {
    if (this.failed.has(path)) return
    let file: number
    try {
      file = this.open.get(path) ?? this.opened(path)
    } catch (error) {
      this.failed.set(path, (error as Error).message)
      return
    }
    this.open.delete(path)
    this.open.set(path, file)
    writeSync(file, text)
  }

  private opened(path: string): number {
    const [oldest] = this.open
    if (oldest && this.open.size === MOST_OPEN) {
      closeSync(oldest[1])
      this.open.delete(oldest[0])
    }
    makeFolder(dirname(path))
    const file = openSync(path, this.begun.has(path) ? 'a' : 'w')
    this.begun.add(path)
    return file
  }

  close(): void {
    for (const file of this.open.values()) closeSync(file)
    this.open.clear()
  }
}
