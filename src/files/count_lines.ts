/** Counts the rows of files for the progress bar, while the run reads them. */
import { closeSync, openSync, read, statSync } from 'node:fs'
import { promisify } from 'node:util'
import { isGzip } from './files.ts'

const NEWLINE = 10
const readInto = promisify(read)

/** The number of lines of plain files; undefined for other files, and if `halt` aborts. */
export async function countLines(
  paths: (string | undefined)[],
  halt: AbortSignal,
): Promise<number | undefined> {
  let lines = 0
  try {
    for (const path of paths) {
      if (path === undefined || isGzip(path) || !statSync(path).isFile()) return undefined
      const found = await linesOf(path, halt)
      if (found === undefined) return undefined
      lines += found
    }
    return lines
  } catch {
    return undefined
  }
}

/** Without a stream: loading one takes longer than reading a small file. */
async function linesOf(path: string, halt: AbortSignal): Promise<number | undefined> {
  const descriptor = openSync(path, 'r')
  try {
    const chunk = Buffer.allocUnsafeSlow(Math.min(statSync(path).size + 1, 1 << 20))
    let lines = 0
    let last = NEWLINE
    for (;;) {
      if (halt.aborted) return undefined
      const { bytesRead } = await readInto(descriptor, chunk, 0, chunk.length, null)
      if (bytesRead === 0) return last === NEWLINE ? lines : lines + 1
      const bytes = chunk.subarray(0, bytesRead)
      for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines++
      last = bytes.at(-1)!
    }
  } finally {
    closeSync(descriptor)
  }
}
