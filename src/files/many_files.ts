/** Any number of files that are written a piece at a time. */
import { closeSync, openSync } from 'node:fs'

/** Files that are open at a time. */
const MOST_OPEN = 64

/** Descriptors by path: the file that was written longest ago is closed until it is written again. */
export class ManyFiles {
  private readonly begun = new Set<string>()
  /** The open files, the one that was written last at the end. */
  private readonly open = new Map<string, number>()

  /** The file to write to, which is emptied the first time. @throws the system's error */
  at(path: string): number {
    let file = this.open.get(path)
    if (file === undefined) {
      const [oldest] = this.open
      if (oldest && this.open.size === MOST_OPEN) this.close(oldest[0])
      file = openSync(path, this.begun.has(path) ? 'a' : 'w')
      this.begun.add(path)
    } else this.open.delete(path)
    this.open.set(path, file)
    return file
  }

  /** Closes a file. */
  close(path: string): void {
    const file = this.open.get(path)
    if (file !== undefined) closeSync(file)
    this.open.delete(path)
  }

  closeAll(): void {
    for (const path of [...this.open.keys()]) this.close(path)
  }
}
