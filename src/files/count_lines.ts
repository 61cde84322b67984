/** How many rows files hold, for the progress bar: counted while the run reads them. */
import { createReadStream, statSync } from 'node:fs'
import { isGzip } from './files.ts'

const NEWLINE = 10

/** Lines of plain files; undefined for anything else, and once `halt` aborts. */
export async function countLines(
  paths: (string | undefined)[],
  halt: AbortSignal,
): Promise<number | undefined> {
  let lines = 0
  try {
    for (const path of paths) {
      if (path === undefined || isGzip(path) || !statSync(path).isFile()) return undefined
      let last = NEWLINE
      for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, signal: halt })) {
        for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines++
        last = chunk.at(-1) ?? last
      }
      if (last !== NEWLINE) lines++
    }
    return lines
  } catch {
    return undefined
  }
}
