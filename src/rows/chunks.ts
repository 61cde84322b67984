/** Streams of bytes. */

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
