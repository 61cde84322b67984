/** Reads files in chunks, into one buffer that each chunk overwrites. */
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
