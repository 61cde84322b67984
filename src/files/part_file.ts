/** Files that are written beside their place and take it when they are complete. */
import {
  closeSync,
  fchmodSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { kill, pid } from 'node:process'
import { crypto } from '../rows/crypto.ts'

/** Ends the name of a part: who writes it, and what nobody knows before. */
const ENDING = /^\.([\w-]+)-(\d+)-[0-9a-f]{16}\.part$/
const thisHost = () =>
  process
    .getBuiltinModule('node:os')
    .hostname()
    .replace(/[^\w-]/g, '_')
    .slice(0, 40) || 'host'

export class PartFile {
  readonly descriptor: number
  private readonly part: string
  private readonly target: string

  /** Opens a new file, never one that is there, nor what a link names. It has the mode of the target. @throws the system's error */
  constructor(target: string) {
    const random = crypto().randomBytes(8).toString('hex')
    this.target = target
    this.part = `${beginning(target)}.${thisHost()}-${pid}-${random}.part`
    this.descriptor = openSync(this.part, 'wx')
    const mode = statSync(target, { throwIfNoEntry: false })?.mode
    if (mode !== undefined) fchmodSync(this.descriptor, mode & 0o777)
  }

  /** Puts what is written in the target's place. */
  complete(): void {
    renameSync(this.part, this.target)
  }

  /** Closes the file, and removes it unless it is complete. @param open its descriptor still is */
  close(open = true): void {
    rmSync(this.part, { force: true })
    if (open) closeSync(this.descriptor)
  }
}

/** The target's path, its name cut so that there is room for an ending. */
const beginning = (target: string) =>
  join(
    dirname(target),
    Buffer.from(basename(target))
      .subarray(0, 150)
      .toString()
      .replace(/\ufffd+$/, ''),
  )

/** Writes a whole file in one step. @throws the system's error: then what was there is still there */
export function replaceFile(path: string, text: string): void {
  const file = new PartFile(path)
  try {
    writeFileSync(file.descriptor, text)
    file.complete()
  } finally {
    file.close()
  }
}

/** Removes parts of the file that killed processes of this machine left. */
export function removeStrayParts(target: string): void {
  const start = beginning(target)
  const name = basename(start)
  for (const found of readdirSync(dirname(start))) {
    const [, host, writer] = (found.startsWith(name) && ENDING.exec(found.slice(name.length))) || []
    if (host === thisHost() && !isRunning(Number(writer)))
      rmSync(join(dirname(start), found), { force: true })
  }
}

function isRunning(process: number): boolean {
  try {
    kill(process, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
