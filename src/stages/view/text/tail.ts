/** Follows a file that another process is writing. */
import { open, readdir, readFile, readlink, realpath } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { isGzip } from '../../../files/files.ts'
import type { Source } from '../../../rows/reader.ts'

const CHUNK = 128 * 1024
/** Milliseconds between checks of a file that has not grown, and checks before its writers are searched. */
const PAUSE = 200
const CHECKS = 10

/** A source that follows a file until no process writes to it (on Linux), or until the signal is aborted; not a compressed one. */
export function tailed(source: Source, signal: AbortSignal): Source {
  const { path } = source
  if (path === undefined || isGzip(path)) return source
  return { name: source.name, path, open: () => Readable.from(growing(path, signal), { objectMode: false }) }
}

async function* growing(path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const file = await open(path)
  try {
    let idle = 0
    let at = 0
    while (!signal.aborted) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, at)
      at += bytesRead
      if (bytesRead > 0) {
        idle = 0
        yield buffer.subarray(0, bytesRead)
        continue
      }
      const { size } = await file.stat()
      if (size > at) continue
      if (++idle % CHECKS === 0 && (await hasWriter(path)) === false && (await file.stat()).size === at)
        return
      await wait(PAUSE, undefined, { signal }).catch(() => {})
    }
  } finally {
    await file.close()
  }
}

/** The flags of files opened for writing. */
const WRITES = 0o3

/** Whether a process has the file open for writing; undefined if the system does not tell. */
async function hasWriter(path: string): Promise<boolean | undefined> {
  if (process.platform !== 'linux') return undefined
  const real = await realpath(path)
  const processes = await readdir('/proc').catch(() => undefined)
  if (!processes) return undefined
  for (const id of processes) {
    if (!/^\d+$/.test(id)) continue
    // Fails for processes of other users, and for those that have ended.
    const files = await readdir(`/proc/${id}/fd`).catch(() => [])
    for (const file of files) {
      if ((await readlink(`/proc/${id}/fd/${file}`).catch(() => '')) !== real) continue
      const info = await readFile(`/proc/${id}/fdinfo/${file}`, 'utf8').catch(() => '')
      const flags = /^flags:\s*([0-7]+)/m.exec(info)?.[1]
      if (flags !== undefined && (Number.parseInt(flags, 8) & WRITES) !== 0) return true
    }
  }
  return false
}
