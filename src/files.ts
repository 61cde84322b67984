/** Files named on the command line: where rows come from and where they go. */
import {
  closeSync,
  createReadStream,
  createWriteStream,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs'
import { Readable, type Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Source } from './lines.ts'
import { EXIT, Fatal } from './record.ts'

/** The operands as sources; `-` and none at all are stdin. @throws Fatal where a file cannot be read */
export function openSources(files: string[], stdin: () => Readable): Source[] {
  const standard = (): Source => ({
    name: '(stdin)',
    open: (passing) => {
      // Node takes a directory for an empty stream.
      if (isDirectory(0)) throw new Fatal(EXIT.noInput, '(stdin): is a directory')
      return isFile(0) ? readPlainFile(0, passing) : stdin()
    },
  })
  if (files.length === 0) return [standard()]
  return files.map((path) => {
    if (path === '-') return standard()
    try {
      // Looked at before anything runs: a misspelt second file is found at once.
      const found = statSync(path, { throwIfNoEntry: true })
      return { name: path, path, open: (passing) => openFile(path, found, passing) }
    } catch (error) {
      throw cannotRead(path, error)
    }
  })
}

function openFile(path: string, status: Stats, passing?: boolean): Readable {
  if (status.isDirectory()) throw new Fatal(EXIT.noInput, `${path}: is a directory`)
  const zipped = path.toLowerCase().endsWith('.gz')
  // A pipe may be named too (`<(zcat …)`): it has to be waited for.
  const file: Readable = status.isFile() ? readPlainFile(path, passing && !zipped) : createReadStream(path)
  if (!zipped) return file
  const { createGunzip } = process.getBuiltinModule('node:zlib')
  const unzipped = createGunzip({ chunkSize: 128 * 1024 })
  file.on('error', (error) => unzipped.destroy(error))
  unzipped.on('close', () => file.destroy())
  return file.pipe(unzipped)
}

/** V8 keeps longer strings apart, where each costs fresh pages: 64 KB of text are six times as cheap to make as 256. */
const CHUNK = 64 * 1024

/**
 * The bytes of a plain file. They are there at once, and waiting for a thread to fetch them takes longer than that.
 * @param passing see Source
 */
async function* plainFile(file: string | 0, passing = false): AsyncGenerator<Buffer> {
  const descriptor = file === 0 ? 0 : openSync(file, 'r')
  try {
    let chunk = Buffer.allocUnsafeSlow(CHUNK)
    for (;;) {
      // In a turn of the event loop of its own: signals and timers are not kept waiting.
      await new Promise(setImmediate)
      const length = readSync(descriptor, chunk, 0, CHUNK, null)
      if (length === 0) return
      yield chunk.subarray(0, length)
      if (!passing) chunk = Buffer.allocUnsafeSlow(CHUNK)
    }
  } finally {
    if (descriptor > 0) closeSync(descriptor)
  }
}

const readPlainFile = (file: string | 0, passing?: boolean): Readable =>
  Readable.from(plainFile(file, passing), { objectMode: false, highWaterMark: CHUNK })

/** Why a file cannot be read, in words. */
export function cannotRead(path: string, error: unknown): Fatal {
  const code = (error as NodeJS.ErrnoException).code
  const reason =
    code === 'ENOENT'
      ? 'no such file'
      : code === 'EACCES'
        ? 'no permission to read it'
        : (error as Error).message
  return new Fatal(EXIT.noInput, `${path}: ${reason}`, { cause: error })
}

export interface Output {
  stream: Writable
  close(complete: boolean): Promise<void>
}

/** stdout, or `-o FILE`: written beside it and renamed when complete, so no half file is taken for a whole one. */
export function openOutput(path: string | undefined, stdout: Writable): Output {
  if (path === undefined || path === '-') return { stream: stdout, close: async () => {} }
  const part = `${path}.${process.pid}.part`
  const stream = createWriteStream(part)
  return {
    stream,
    async close(complete: boolean) {
      stream.end()
      await finished(stream)
      if (complete) renameSync(part, path)
      else rmSync(part, { force: true })
    },
  }
}

/** Whether a descriptor of this process is a plain file. */
export const isFile = (descriptor: number) => statusOf(descriptor)?.isFile() === true
const isDirectory = (descriptor: number) => statusOf(descriptor)?.isDirectory() === true

function statusOf(descriptor: number): Stats | undefined {
  try {
    return fstatSync(descriptor)
  } catch {
    return undefined
  }
}

/** Bytes of all sources together, where all are plain files. */
export function totalSize(sources: Source[]): number | undefined {
  let total = 0
  for (const { path } of sources) {
    if (path === undefined ? !isFile(0) : path.endsWith('.gz')) return undefined
    const status = path === undefined ? fstatSync(0) : statSync(path)
    if (!status.isFile()) return undefined
    total += status.size
  }
  return total
}
