/** Reads files and pipes in chunks, where possible into one buffer that each chunk overwrites. */
import { closeSync, openSync, readSync } from 'node:fs'

/** Bytes of a chunk. V8 allocates larger strings in fresh pages: a byte of 256 KB costs six times that of 64 KB. */
export const CHUNK = 64 * 1024
const NEWLINE = 0x0a

/** A byte range of a file. */
interface Part {
  from?: number | undefined
  to?: number | undefined
}

/** The buffer into which the next bytes should be read; undefined: any. @internal */
type Space = () => Buffer | undefined

/**
 * The bytes of a plain file, read synchronously: a read from the page cache takes less time than handing it to a thread.
 * @param again each chunk overwrites the one before
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
      // Let signals, timers and pending I/O run between reads.
      await new Promise(setImmediate)
      const into = space() ?? chunk
      // Another process may have read the beginning of stdin: continue at the descriptor's position.
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

/** The offset at which the line that contains byte `at` of a file begins. */
export function lineBegin(path: string, at: number): number {
  return searchBack(path, at, 0) ?? 0
}

/** Whether a file has a line end in [from, to). */
export const hasLineEnd = (path: string, from: number, to: number): boolean =>
  searchBack(path, to, from) !== undefined

/** The offset after the last line end in [from, to) of a file. */
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

/** An offset in a file, and how many lines end before it, counted from the first of several such places. */
export interface LinePlace {
  at: number
  lines: number
}

/**
 * The lines of a file with these numbers, without line ends. Each line is searched from the last place before it.
 * @param places in ascending order
 * @param numbers in ascending order, counted from 1 at the first place
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

/** The lines with these ascending numbers, counted from 1 at the offset `from`, where a line begins. */
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

/** The bytes of a pipe or socket until its end or the signal. Each chunk overwrites the one before. @internal */
export async function* pipeChunks(descriptor: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  const chunk = Buffer.allocUnsafeSlow(CHUNK)
  let length = 0
  let ended = false
  let failed: Error | undefined
  let wake = () => {}
  // `onread` reuses one buffer; a stream allocates one for each read.
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

/** A Readable of bytes, declared here so that users of the library do not need @types/node. */
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
