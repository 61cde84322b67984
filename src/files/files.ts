/** The command line's files: sources of rows, and the output. */
import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  createWriteStream,
  existsSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { unzip } from '../rows/gunzip.ts'
import type { Source } from '../rows/reader.ts'
import { EXIT, Fatal, usageError } from '../rows/record.ts'
import type { Target } from '../rows/writer.ts'
import { cannotRead } from './cannot_read.ts'
import { isFile, isPlain, isTerminal, statusOf } from './descriptor.ts'
import { makeFolder } from './folder.ts'
import { PartFile, removeStrayParts } from './part_file.ts'

/**
 * The file operands as sources; `-` or no operand is stdin.
 * @param descriptor of stdin, if it has one
 * @param named an operand may be NAME=FILE
 * @throws Fatal (no input) if there is no such file
 */
export function openSources(files: string[], stdin: () => Readable, descriptor?: 0, named = false): Source[] {
  if (files.length === 0) return [standardInput(stdin, descriptor)]
  const sources = files.map((path) => {
    const [, label, file] = (named && !existsSync(path) && /^([^=]+)=(.+)$/s.exec(path)) || []
    if (file !== undefined) return { ...openSources([file], stdin, descriptor)[0]!, label: label! }
    // Opening /dev/stdin again fails for a socket, and hangs for a pipe whose writer is gone.
    if (path === '-' || (path === '/dev/stdin' && !isFile(descriptor)))
      return standardInput(stdin, descriptor)
    // Checked before anything runs, so that a misspelt second file is reported at once.
    return fileSource(path)
  })
  const names = sources.map(({ name }) => name)
  const twice = names.find((name, i) => names.indexOf(name) < i)
  // Its rows would count twice where they have no ids, and be a run beside itself.
  if (twice !== undefined) throw usageError(`${twice} is given twice`)
  return sources
}

/** A file as a source; `.gz` is decompressed. @throws Fatal (no input) if there is no such file */
export function fileSource(path: string): Source {
  try {
    return named(path, statSync(path, { throwIfNoEntry: true }))
  } catch (error) {
    throw cannotRead(path, error)
  }
}

function standardInput(stdin: () => Readable, descriptor?: 0): Source {
  const status = statusOf(descriptor)
  const open = () => {
    // Node reads a directory as an empty stream.
    if (status?.isDirectory()) throw new Fatal(EXIT.noInput, '(stdin): is a directory')
    return status?.isFile() ? readPlainFile(0) : stdin()
  }
  return { name: '(stdin)', open }
}

function named(path: string, status: Stats): Source {
  const zipped = isGzip(path)
  return { name: path, path, open: () => openFile(path, status, zipped) }
}

export const isGzip = (path: string) => path.toLowerCase().endsWith('.gz')

function openFile(path: string, status: Stats, zipped: boolean): Readable {
  if (status.isDirectory()) throw new Fatal(EXIT.noInput, `${path}: is a directory`)
  const file = status.isFIFO() ? readPipe(path) : readPlainFile(path)
  return zipped ? unzip(file, path) : file
}

/** Opens a named pipe (`<(zcat …)`, mkfifo) without blocking: its writer may not have opened it yet. */
function readPipe(path: string): Readable {
  const { Socket } = process.getBuiltinModule('node:net')
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return new Socket({ fd, readable: true, writable: false })
}

/** The bytes of a plain file, of stdin from its position on. */
export const readPlainFile = (file: string | 0): Readable =>
  file === 0
    ? createReadStream('', { fd: 0, autoClose: false, highWaterMark: CHUNK })
    : createReadStream(file, { highWaterMark: CHUNK })

/** Bytes of a chunk. */
const CHUNK = 256 * 1024

/** The first bytes of a source, and a source that begins with them. */
export async function peek(source: Source): Promise<{ start: Buffer; again: Source }> {
  const stream = source.open()
  const pieces = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  const first = await pieces.next()
  const start = first.done ? Buffer.alloc(0) : first.value
  if (source.path !== undefined && statSync(source.path).isFile()) {
    stream.destroy()
    return { start, again: source }
  }
  const all = async function* () {
    for (let piece = first; !piece.done; piece = await pieces.next()) yield piece.value
  }
  return {
    start,
    again: { ...source, open: () => Readable.from(all(), { objectMode: false, highWaterMark: CHUNK }) },
  }
}

interface OutputTarget extends Target {
  /** @param complete called when everything is written: whether the output is complete */
  close(complete: () => boolean): Promise<void>
}

/**
 * stdout, or `-o FILE`, which is written under a temporary name and renamed when complete. A device or a named pipe is
 * written to directly. @throws Fatal (write error)
 */
export function openOutput(path: string | undefined, stdout: Writable): OutputTarget {
  if (path === undefined || path === '-' || path === '/dev/stdout') return standardOutput(stdout)
  try {
    const status = statSync(path, { throwIfNoEntry: false })
    if (status?.isDirectory()) throw new Error('is a directory')
    if (status && !status.isFile()) return straightTo(path)
    const target = linked(path)
    makeFolder(dirname(target))
    return besideOf(target)
  } catch (error) {
    throw new Fatal(EXIT.io, `cannot write ${path}: ${(error as Error).message}`, { cause: error })
  }
}

function straightTo(path: string): OutputTarget {
  accessSync(path, constants.W_OK)
  const stream = createWriteStream(path)
  return { stream, close: () => ended(stream) }
}

function besideOf(path: string): OutputTarget {
  removeStrayParts(path)
  const part = new PartFile(path)
  const stream = createWriteStream('', { fd: part.descriptor })
  return {
    stream,
    async close(complete) {
      try {
        await ended(stream)
        if (complete()) part.complete()
      } finally {
        part.close(false)
      }
    },
  }
}

async function ended(stream: Writable): Promise<void> {
  stream.end()
  await finished(stream)
}

/** The target of a symbolic link, even if it does not exist yet; any other path unchanged. */
function linked(path: string): string {
  let link: string
  try {
    link = readlinkSync(path)
  } catch {
    return path
  }
  try {
    return realpathSync(path)
  } catch {
    return linked(resolve(dirname(path), link))
  }
}

function standardOutput(stream: Writable): OutputTarget {
  const { fd: descriptor } = stream as { fd?: number }
  const close = async () => {}
  if (isPlain(descriptor)) return { stream, descriptor, blocking: true, close }
  if (!statusOf(descriptor)?.isFIFO()) return { stream, close }
  // Node has made the pipe non-blocking.
  return { stream, descriptor, close: async () => closeEarly(stream) }
}

/**
 * Closes stdout when everything is written, so that the next filter does not wait for this process to exit. Other
 * processes may share the pipe, so it is made blocking again, as Node does at exit for descriptors that are still open.
 *
 * Not with a terminal: Node restores the terminal's modes when the process exits, and by then the reader (a shell, a
 * pager) may have changed them.
 */
function closeEarly(stream: Writable): void {
  if (isTerminal(0) || isTerminal(2)) return
  const { _handle: handle } = stream as { _handle?: { setBlocking?(on: boolean): number } }
  if (handle?.setBlocking?.(true) === 0) closeSync(1)
}

/**
 * A filter that appends to its own input would never end, and a report in its place would replace the rows.
 * @param input,output the descriptors of stdin and stdout, if they have one, or the file that is written
 * @throws Fatal (usage) if the output is one of the input files
 */
export function checkOutputIsNoInput(sources: Source[], input?: 0, output?: 1 | string): void {
  const written = identityOf(output)
  const same = sources.find(({ path }) => written !== undefined && identityOf(path ?? input) === written)
  if (same)
    throw new Fatal(EXIT.usage, `${same.name}: the input is the output as well: write to another file`)
}

/** Tells a plain file, named or open, from all others; undefined for anything else. */
function identityOf(file: string | number | undefined): string | undefined {
  const status = statusOf(file)
  return status?.isFile() ? `${status.dev}:${status.ino}` : undefined
}

/** Total bytes of the sources; undefined unless all are plain files. */
export function totalSize(sources: Source[], stdin?: 0): number | undefined {
  let total = 0
  for (const { path } of sources) {
    const status = path !== undefined && isGzip(path) ? undefined : statusOf(path ?? stdin)
    if (!status?.isFile()) return undefined
    total += Number(status.size)
  }
  return total
}
