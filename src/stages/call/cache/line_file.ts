/** Lines of a file: found in one pass, and read by their offsets. */
import { readSync } from 'node:fs'

const NEWLINE = 0x0a
/** Bytes read at once in a pass, and for one line. */
const CHUNK = 4 * 1024 * 1024
const PAGE = 8 * 1024

/** Called with a line's offset, and its bytes if they are in one chunk. */
type LineVisit = (offset: number, line: Buffer | undefined) => void

/**
 * Visits the complete lines of a file from `from`, the beginning of a line, up to `size`.
 * @returns the offset of the first incomplete line
 */
export function scanLines(file: number, from: number, size: number, visit: LineVisit): number {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(0, size - from)))
  let begin = from
  let at = from
  while (at < size) {
    const length = readSync(file, chunk, 0, Math.min(chunk.length, size - at), at)
    if (length === 0) break
    const bytes = chunk.subarray(0, length)
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      visit(begin, begin < at ? undefined : bytes.subarray(start, end))
      start = end + 1
      begin = at + start
    }
    at += length
  }
  return begin
}

/** The text of the line at an offset, without newline; '' at the end of the file. */
export const lineAt = (file: number, offset: number): string => lineBytesAt(file, offset).toString()

/** The bytes of the line at an offset. */
export function lineBytesAt(file: number, offset: number): Buffer {
  let page = Buffer.allocUnsafe(PAGE)
  let length = 0
  for (;;) {
    const more = readSync(file, page, length, page.length - length, offset + length)
    const end = page.subarray(0, length + more).indexOf(NEWLINE, length)
    length += more
    if (end >= 0 || more === 0) return page.subarray(0, end >= 0 ? end : length)
    if (length === page.length) page = Buffer.concat([page, Buffer.allocUnsafe(page.length)])
  }
}
