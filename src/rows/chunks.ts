/** Bytes of files and pipes at little cost: in one buffer, which is used up before the next of them come. */
import { closeSync, openSync, readSync } from 'node:fs'

/** V8 keeps longer strings apart, where each costs fresh pages: 64 KB of text are six times as cheap to make as 256. */
export const CHUNK = 64 * 1024
const NEWLINE = 0x0a

/** Where to read a file: the bytes from one place on, up to another. */
interface Part {
  from?: number | undefined
  to?: number | undefined
}

/** Where the next bytes are best put; undefined: anywhere. @internal */
export type Space = () => Buffer | undefined

/**
 * The bytes of a plain file. They are there at once, and waiting for a thread to fetch them takes longer than that.
 * @param again chunks are overwritten by the next
 * @internal
 */
export async function* fileChunks(
  file: string | 0,
  again: boolean,
  space: Space = () => undefined,
  { from, to = Number.POSITIVE_INFINITY }: Part = {},
): AsyncGenerator<Buffer> {
  const descriptor = file === 0 ? 0 : openSync(file, 'r')
  try {
    let chunk = Buffer.allocUnsafeSlow(CHUNK)
    for (let at = from ?? 0; at < to; ) {
      // In a turn of the event loop of its own: signals, timers and what is under way are not kept waiting.
      await new Promise(setImmediate)
      const into = space() ?? chunk
      // Of a stdin that is a file, others may have read the beginning: it is read from where they left it.
      const place = from === undefined ? null : at
      const length = readSync(descriptor, into, 0, Math.min(into.length, to - at), place)
      if (length === 0) return
      yield into.subarray(0, length)
      at += length
      if (!again) chunk = Buffer.allocUnsafeSlow(CHUNK)
    }
  } finally {
    if (descriptor > 0) closeSync(descriptor)
  }
}

/** Where the line begins in which a byte of a file stands, or that begins there. */
export function lineBegin(path: string, at: number): number {
  return searchBack(path, at, 0) ?? 0
}

/** Whether a line ends between two bytes of a file. */
export const hasLineEnd = (path: string, from: number, to: number): boolean =>
  searchBack(path, to, from) !== undefined

/** The place after the last line end between two bytes of a file. */
function searchBack(path: string, to: number, from: number): number | undefined {
  const descriptor = openSync(path, 'r')
  try {
    const chunk = Buffer.allocUnsafeSlow(CHUNK)
    for (let end = to; end > from; ) {
      const begin = Math.max(from, end - CHUNK)
      const length = readSync(descriptor, chunk, 0, end - begin, begin)
      const found = chunk.subarray(0, length).lastIndexOf(NEWLINE)
      if (found >= 0) return begin + found + 1
      end = begin
    }
    return undefined
  } finally {
    closeSync(descriptor)
  }
}

/** A place in a file, and how many lines end before it, counted from an earlier one. */
export interface LinePlace {
  at: number
  lines: number
}

/**
 * Lines of a file by their numbers, which are in order; without their ends. Each is looked for from the last place before it.
 * @param places in order; lines count from 1 at the first
 * @internal
 */
export function linesAmong(path: string, places: readonly LinePlace[], numbers: readonly number[]): Buffer[] {
  const found: Buffer[] = []
  for (let i = places.length - 1, end = numbers.length; i >= 0 && end > 0; i--) {
    const { at, lines } = places[i]!
    const first = numbers.findIndex((number) => number > lines)
    if (first < 0 || first >= end) continue
    const wanted = numbers.slice(first, end).map((number) => number - lines)
    found.unshift(...linesAt(path, lineBegin(path, at), wanted))
    end = first
  }
  return found
}

/** Lines of a file by their numbers, which are in order and count from 1 at a place where one begins; without their ends. */
function linesAt(path: string, from: number, numbers: readonly number[]): Buffer[] {
  const descriptor = openSync(path, 'r')
  try {
    const chunk = Buffer.allocUnsafeSlow(CHUNK)
    const lines: Buffer[] = []
    let begun: Buffer[] = []
    let number = 1
    for (let at = from; lines.length < numbers.length; ) {
      const length = readSync(descriptor, chunk, 0, CHUNK, at)
      at += length
      for (let begin = 0; begin < length && lines.length < numbers.length; ) {
        const end = chunk.subarray(0, length).indexOf(NEWLINE, begin)
        if (number === numbers[lines.length])
          begun.push(Buffer.from(chunk.subarray(begin, end < 0 ? length : end)))
        if (end < 0) break
        if (begun.length > 0) lines.push(Buffer.concat(begun))
        begun = []
        begin = end + 1
        number++
      }
      // The last line may have no end.
      if (length === 0) return lines.concat(Buffer.concat(begun))
    }
    return lines
  } finally {
    closeSync(descriptor)
  }
}

/** The bytes of a pipe or socket, each chunk overwritten by the next, until its end or until the signal. @internal */
export async function* pipeChunks(descriptor: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  const chunk = Buffer.allocUnsafeSlow(CHUNK)
  let length = 0
  let ended = false
  let failed: Error | undefined
  let wake = () => {}
  // As a stream it would have a new buffer for every read.
  const callback = (read: number) => {
    length = read
    wake()
    return false
  }
  const options = { fd: descriptor, readable: true, writable: false, onread: { buffer: chunk, callback } }
  const { Socket } = process.getBuiltinModule('node:net')
  const pipe = new Socket(options)
  const end = (error?: Error) => {
    ended = true
    failed ??= error
    wake()
  }
  pipe
    .on('end', () => end())
    .on('close', () => end())
    .on('error', end)
  const stop = () => end()
  signal.addEventListener('abort', stop)
  try {
    while (!signal.aborted) {
      if (length > 0) {
        const read = length
        length = 0
        yield chunk.subarray(0, read)
      } else if (failed) throw failed
      else if (ended) return
      else
        await new Promise<void>((resolve) => {
          wake = resolve
          pipe.resume()
        })
    }
  } finally {
    signal.removeEventListener('abort', stop)
    pipe.destroy()
  }
}

/** A stream of bytes, as Node's are: their own type would ask users of the library for @types/node. */
export interface Bytes extends AsyncIterable<Uint8Array> {
  destroy(error?: Error): unknown
  once(event: 'close', listener: () => void): unknown
}

/** The bytes of a stream, until the signal. */
export async function* streamChunks(stream: Bytes, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const close = () => stream.destroy()
  signal.addEventListener('abort', close)
  try {
    yield* stream
  } finally {
    signal.removeEventListener('abort', close)
    stream.destroy()
  }
}
