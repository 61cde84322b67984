/** Files named on the command line: where rows come from and where they go. */
import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  createWriteStream,
  existsSync,
  fstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { isatty } from 'node:tty'
import { CHUNK, fileChunks, pipeChunks } from '../rows/chunks.ts'
import { unzip } from '../rows/gunzip.ts'
import type { Source } from '../rows/reader.ts'
import { EXIT, Fatal } from '../rows/record.ts'
import type { Target } from '../rows/writer.ts'
import { KEY_ADVICE, maskedKey } from './api_key.ts'
import { makeFolder } from './folder.ts'

/**
 * The operands as sources; `-` and none at all are stdin.
 * @param descriptor of stdin, where it has one
 * @param named an operand may be NAME=FILE
 * @throws Fatal where a file cannot be read
 */
export function openSources(files: string[], stdin: () => Readable, descriptor?: 0, named = false): Source[] {
  if (files.length === 0) return [standardInput(stdin, descriptor)]
  return files.map((path) => {
    const [, label, file] = (named && !existsSync(path) && /^([^=]+)=(.+)$/s.exec(path)) || []
    if (file !== undefined) return { ...openSources([file], stdin, descriptor)[0]!, label: label! }
    // Opened again, a socket could not be, and a pipe whose writer is gone would wait for another.
    if (path === '-' || (path === '/dev/stdin' && !isFile(descriptor)))
      return standardInput(stdin, descriptor)
    // Looked at before anything runs: a misspelt second file is found at once.
    return fileSource(path)
  })
}

/** A file as a source; `.gz` is read as it is. @throws Fatal where there is none */
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
    // Node takes a directory for an empty stream.
    if (status?.isDirectory()) throw new Fatal(EXIT.noInput, '(stdin): is a directory')
    return status?.isFile() ? readPlainFile(0) : stdin()
  }
  const source: Source = { name: '(stdin)', open }
  if (status?.isFile()) source.chunks = (_, space) => fileChunks(0, true, space)
  else if (status?.isFIFO() || status?.isSocket()) source.chunks = (signal) => pipeChunks(0, signal)
  return source
}

function named(path: string, status: Stats): Source {
  const zipped = isGzip(path)
  const source: Source = { name: path, path, open: () => openFile(path, status, zipped) }
  if (status.isFile() && !zipped) source.chunks = (_, space) => fileChunks(path, true, space)
  if (status.isFIFO() && !zipped) source.chunks = (signal) => pipeChunks(openPipe(path), signal)
  return source
}

export const isGzip = (path: string) => path.toLowerCase().endsWith('.gz')

function openFile(path: string, status: Stats, zipped: boolean): Readable {
  if (status.isDirectory()) throw new Fatal(EXIT.noInput, `${path}: is a directory`)
  const file: Readable = status.isFile()
    ? readPlainFile(path)
    : status.isFIFO()
      ? readPipe(path)
      : createReadStream(path)
  return zipped ? unzip(file, path, status.isFile()) : file
}

/** A pipe that is named (`<(zcat …)`, mkfifo): neither its writer, who may be still to come, nor its bytes block. */
const openPipe = (path: string) => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)

function readPipe(path: string): Readable {
  const { Socket } = process.getBuiltinModule('node:net')
  return new Socket({ fd: openPipe(path), readable: true, writable: false })
}

const readPlainFile = (file: string | 0): Readable => Readable.from(fileChunks(file, false), BYTES)

/** How a stream of chunks is made. */
const BYTES = { objectMode: false, highWaterMark: CHUNK }

/** Why a file cannot be read, in words. */
export function cannotRead(path: string, error: unknown): Fatal {
  const code = (error as NodeJS.ErrnoException).code
  const reason =
    code === 'ENOENT'
      ? 'no such file'
      : code === 'EACCES'
        ? 'no permission to read it'
        : (error as Error).message
  // Given by mistake where a file is expected; it must not be echoed into a log.
  if (code === 'ENOENT' && KEY.test(path))
    return new Fatal(EXIT.noInput, `${maskedKey(path)}: no such file; it looks like a key: ${KEY_ADVICE}`)
  const variable = code === 'ENOENT' && VARIABLE.exec(path)?.[1]
  if (variable)
    return new Fatal(
      EXIT.noInput,
      `${variable}=…: no such file; a variable stands in front of the command: ${variable}=… jb-call …`,
    )
  return new Fatal(EXIT.noInput, `${path || "''"}: ${reason}`, { cause: error })
}

/** What a key may look like: there is no such file. */
const KEY = /^(?:sk|pk|rk|gsk|xai|hf|key|AIza)[-_]?[\w-]{14,}$/
/** A variable with a key, as it is set in front of a command. */
const VARIABLE = /^([A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD))=./

export interface OutputTarget extends Target {
  /** @param complete asked when all is written: whether that is the whole */
  close(complete: () => boolean): Promise<void>
}

/**
 * stdout, or `-o FILE`: written beside it and renamed when complete, so no half file is taken for a whole one. What
 * is no plain file (a device, a named pipe) is written to as it is. @throws Fatal (write error) where that cannot be
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
  const part = `${path}.${process.pid}.part`
  const stream = createWriteStream(part)
  return {
    stream,
    async close(complete) {
      let whole = false
      try {
        await ended(stream)
        whole = complete()
      } finally {
        if (whole) renameSync(part, path)
        else rmSync(part, { force: true })
      }
    },
  }
}

async function ended(stream: Writable): Promise<void> {
  stream.end()
  await finished(stream)
}

/** The file a symbolic link leads to, also where there is none yet; any other path as it is. */
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
  // Node has made writing to a pipe not block.
  return { stream, descriptor, close: async () => closeEarly(stream) }
}

/** Whether what is written to a descriptor is there at once: a file, or a device that is no terminal. */
export function isPlain(descriptor: number | undefined): boolean {
  const status = statusOf(descriptor)
  return status?.isFile() === true || (status?.isCharacterDevice() === true && !isatty(descriptor!))
}

/**
 * Closes stdout when all is written: who reads it goes on while this process still comes to its end. Others may write
 * to the same pipe, so it is left as it was found, blocking; Node does that at its end, for what is still open then.
 *
 * Not on a terminal: Node sets its modes back when the process ends, and by then the reader (a shell, a pager) may
 * have changed them.
 */
function closeEarly(stream: Writable): void {
  if (isatty(0) || isatty(2)) return
  const { _handle: handle } = stream as { _handle?: { setBlocking?(on: boolean): number } }
  if (handle?.setBlocking?.(true) === 0) closeSync(1)
}

/** Whether a descriptor of this process is a plain file. */
export const isFile = (descriptor: number | undefined) => statusOf(descriptor)?.isFile() === true

function statusOf(descriptor: number | undefined): Stats | undefined {
  if (descriptor === undefined) return undefined
  try {
    return fstatSync(descriptor)
  } catch {
    return undefined
  }
}

/**
 * Output that is appended to its own input would be read again, without end.
 * @param input,output the descriptors of stdin and stdout, where they have one
 * @throws Fatal (usage) where stdout is one of the files that are read
 */
export function checkOutputIsNoInput(sources: Source[], input?: 0, output?: 1): void {
  if (!isFile(output)) return
  const { dev, ino } = fstatSync(output!, { bigint: true })
  for (const { name, path } of sources) {
    if (path === undefined && !isFile(input)) continue
    const file = path === undefined ? fstatSync(0, { bigint: true }) : statSync(path, { bigint: true })
    if (file.dev === dev && file.ino === ino)
      throw new Fatal(EXIT.usage, `${name}: the input is the output as well: write to another file`)
  }
}

/** Bytes of all sources together, where all are plain files. */
export function totalSize(sources: Source[], stdin?: 0): number | undefined {
  let total = 0
  for (const { path } of sources) {
    if (path === undefined ? !isFile(stdin) : isGzip(path)) return undefined
    const status = path === undefined ? fstatSync(0) : statSync(path)
    if (!status.isFile()) return undefined
    total += status.size
  }
  return total
}
