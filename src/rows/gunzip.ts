/** Decompresses a gzip file, up to the place where it is damaged or something else follows. */
import { Readable } from 'node:stream'
import type { Gunzip } from 'node:zlib'
import { fileChunks } from './chunks.ts'

/**
 * @param file the bytes of the file at `path`
 * @param plain it is a plain file, which can be read a second time
 */
export function unzip(file: Readable, path: string, plain: boolean): Readable {
  const gunzip = newGunzip()
  file.on('error', (error) => gunzip.destroy(error))
  // zlib's errors do not name the file.
  gunzip.on('error', (error) => Object.assign(error, { path }))
  gunzip.on('close', () => file.destroy())
  file.pipe(gunzip)
  // An error discards what a stream has buffered, so it buffers nothing.
  return plain ? Readable.from(withRest(gunzip, path), { objectMode: false, highWaterMark: 1 }) : gunzip
}

function newGunzip(): Gunzip {
  const { createGunzip } = process.getBuiltinModule('node:zlib')
  return createGunzip({ chunkSize: 128 * 1024 })
}

async function* withRest(gunzip: Gunzip, path: string): AsyncGenerator<Buffer> {
  let given = 0
  try {
    for await (const chunk of gunzip) {
      given += chunk.length
      yield chunk
    }
  } catch (error) {
    if (isSound(error)) yield await rest(path, given, gunzip.bytesWritten)
    throw error
  }
}

/** Whether all data before the error is valid: the file is truncated, or something else follows. */
const isSound = (error: unknown) =>
  (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR' || /header check/.test((error as Error).message)

/**
 * The decompressed bytes after the first `given`. zlib discards the output of the step in which it finds an error, so
 * the file is decompressed again: up to that step at once, then byte by byte.
 * @param sound compressed bytes before that step
 */
async function rest(path: string, given: number, sound: number): Promise<Buffer> {
  const found: Buffer[] = []
  let seen = 0
  const gunzip = newGunzip()
  gunzip.on('data', (chunk: Buffer) => {
    seen += chunk.length
    if (seen > given) found.push(chunk.subarray(-Math.min(chunk.length, seen - given)))
  })
  const closed = new Promise<void>((resolve) => gunzip.on('close', resolve).on('error', () => resolve()))
  const write = (bytes: Buffer) =>
    Promise.race([closed, new Promise<unknown>((resolve) => gunzip.write(bytes, resolve))])
  let at = 0
  for await (const chunk of fileChunks(path)) {
    const whole = Math.min(chunk.length, Math.max(0, sound - at))
    if (whole > 0) await write(chunk.subarray(0, whole))
    for (let i = whole; i < chunk.length && !gunzip.destroyed; i++) await write(chunk.subarray(i, i + 1))
    at += chunk.length
    if (gunzip.destroyed) break
  }
  gunzip.end()
  await closed
  return Buffer.concat(found)
}
