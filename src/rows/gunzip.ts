/** Decompresses a gzip file. */
import type { Readable } from 'node:stream'

/** @param file the bytes of the file at `path` */
export function unzip(file: Readable, path: string): Readable {
  const { createGunzip } = process.getBuiltinModule('node:zlib')
  // An error discards what the stream has buffered, so it buffers nothing: what stands before a cut is read.
  const gunzip = createGunzip({ chunkSize: 128 * 1024, readableHighWaterMark: 1 } as object)
  file.on('error', (error) => gunzip.destroy(error))
  // zlib's errors do not name the file.
  gunzip.on('error', (error) => Object.assign(error, { path }))
  gunzip.on('close', () => file.destroy())
  return file.pipe(gunzip)
}
