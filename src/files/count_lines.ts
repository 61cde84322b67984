/** Counts the rows of files for the progress bar, while the run reads them. */
import { statSync } from 'node:fs'
import { isGzip, readPlainFile } from './files.ts'

const NEWLINE = 10

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

async function linesOf(path: string, halt: AbortSignal): Promise<number | undefined> {
  let lines = 0
  let last = NEWLINE
  for await (const bytes of readPlainFile(path)) {
    if (halt.aborted) return undefined
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines++
    last = bytes.at(-1)!
  }
  return last === NEWLINE ? lines : lines + 1
}
