/** A lock for drawing on a terminal: a file in the user's cache folder that contains the process's id. */
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../files/folder.ts'

export class TerminalLock {
  private readonly folder: string
  private readonly path: string
  private held = false

  /** @param device the terminal's device number (fstat's rdev) */
  constructor(folder: string, device: number) {
    this.folder = folder
    this.path = join(folder, `terminal-${device}.lock`)
  }

  /** Whether this process may draw from now on; also true if the file cannot be created. */
  take(): boolean {
    for (let tries = 0; tries < 2 && !this.held; tries++) {
      try {
        makeFolder(this.folder, 0o700)
        const file = openSync(this.path, 'wx', 0o600)
        writeSync(file, String(process.pid))
        closeSync(file)
        this.held = true
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return true
        if (this.isTaken()) return false
        rmSync(this.path, { force: true })
      }
    }
    return this.held
  }

  release(): void {
    if (this.held) rmSync(this.path, { force: true })
    this.held = false
  }

  /** Whether the process that created the file still runs: a killed one leaves its file behind. */
  private isTaken(): boolean {
    try {
      const pid = Number(readFileSync(this.path, 'utf8'))
      if (!Number.isInteger(pid) || pid <= 0) return false
      process.kill(pid, 0)
      return true
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM'
    }
  }
}
