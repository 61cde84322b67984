/** Reads files and pipes in chunks, where possible into one buffer that each chunk overwrites. */
import { closeSync, openSync, readSync } from 'node:fs'

/** Bytes of a chunk. */
export const CHUNK = 256 * 1024

/**
 * The bytes of a plain file, of stdin from its position on, read synchronously: a read from the page cache takes less time
 * than handing it to a thread.
 * Each chunk overwrites the one before.
 * @internal
 */
export async function* fileChunks(file: string | 0): AsyncGenerator<Buffer> {
  const chunk = Buffer.allocUnsafeSlow(CHUNK)
  const descriptor = file === 0 ? 0 : openSync(file, 'r')
  try {
    for (;;) {
      // Let signals, timers and pending I/O run between reads.
      await new Promise(setImmediate)
      const length = readSync(descriptor, chunk)
      if (length === 0) return
      yield chunk.subarray(0, length)
    }
  } finally {
    if (descriptor > 0) closeSync(descriptor)
  }
}

/** Whether {@link pipeChunks} reads: Bun's sockets take no descriptor, and say nothing of it; Deno's take none but those of stdio. */
export const readsDescriptors = !process.versions.bun && !process.versions.deno

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

/** Code of the error of a stream that is ended by a signal. */
export const STOPPED = 'ABORT_ERR'

/** The stream, which fails when the signal comes: then its reader ends even while nothing arrives. */
export function stoppable<S extends Bytes>(stream: S, signal: AbortSignal): S {
  const end = () => stream.destroy(Object.assign(new Error('stopped'), { code: STOPPED }))
  signal.addEventListener('abort', end)
  stream.once('close', () => signal.removeEventListener('abort', end))
  return stream
}
