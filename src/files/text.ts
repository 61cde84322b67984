/** Text of files and programs that is not read row by row. */
import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import type { Source } from '../rows/reader.ts'
import { EXIT, Fatal } from '../rows/record.ts'
import { binaryFile, notUtf8, validLength } from '../rows/unreadable.ts'
import { cannotRead } from './cannot_read.ts'
import { isGzip } from './files.ts'

/** The number of bytes that identify a binary format. */
const SIGNATURE = 32
const NEWLINE = 0x0a

/** @throws Fatal if a file begins like one of a binary format */
function refuseBinary(bytes: Buffer, place: string, exitCode: number): void {
  const binary = binaryFile(bytes.toString('latin1', 0, SIGNATURE))
  if (binary) throw new Fatal(exitCode, `${place}: ${binary}`)
}

const withoutBom = (text: string) => text.replace(/^\ufeff+/, '')

/**
 * The text of a file's bytes, without its byte order mark.
 * @throws Fatal (data) with the line and byte of what is not UTF-8, which a decoder would silently replace by U+FFFD
 */
function decoded(bytes: Buffer, file: string, exitCode: number = EXIT.data): string {
  refuseBinary(bytes, file, exitCode)
  if (isUtf8(bytes)) return withoutBom(bytes.toString('utf8'))
  const at = validLength(bytes)
  const { line, begin } = lastLine(bytes.subarray(0, at))
  throw new Fatal(exitCode, `${file}:${line}: ${notUtf8(at - begin + 1)}`)
}

/** The number of a text's last line, counted from `line`, and where it begins. */
function lastLine(bytes: Buffer, line = 1): { line: number; begin: number } {
  let begin = 0
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, begin)) {
    line++
    begin = end + 1
  }
  return { line, begin }
}

/**
 * The text of a file, decompressed if its name ends in .gz, without its byte order mark.
 * @param exitCode of all errors; by default no input, or data as in `decoded`
 * @throws Fatal
 */
export function readText(path: string, exitCode?: number): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
    if (isGzip(path)) bytes = process.getBuiltinModule('node:zlib').gunzipSync(bytes)
  } catch (error) {
    // zlib's errors do not name the file; the run says what they mean.
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw Object.assign(error as Error, { path })
    const { message, cause } = cannotRead(path, error)
    throw new Fatal(exitCode ?? EXIT.noInput, message, { cause })
  }
  return decoded(bytes, path, exitCode)
}

/**
 * A source's text, piece by piece, without its byte order mark.
 * @throws Fatal (data) as `decoded`, after yielding the text before the first byte that is not UTF-8
 */
export async function* utf8Texts(source: Source): AsyncGenerator<string> {
  const stream = source.open()
  /** Bytes of an incomplete character; where they begin in their line, and its number. */
  let rest: Buffer = Buffer.alloc(0)
  let at = 0
  let line = 1
  try {
    let first = true
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      if (first) refuseBinary(bytes, source.name, EXIT.data)
      const valid = isUtf8(bytes) ? bytes.length : validLength(bytes)
      const text = bytes.toString('utf8', 0, valid)
      yield first ? withoutBom(text) : text
      first &&= text === ''
      const last = lastLine(bytes.subarray(0, valid), line)
      at = (last.line === line ? at : 0) + valid - last.begin
      line = last.line
      rest = bytes.subarray(valid)
      // A character has four bytes at most.
      if (rest.length > 3) break
    }
  } finally {
    stream.destroy()
  }
  if (rest.length === 0) return
  throw new Fatal(EXIT.data, `${source.name}:${line}: ${notUtf8(at + 1)}`)
}

/** The whole text of a source. @throws Fatal (data) as `decoded` */
export async function utf8Text(source: Source): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of source.open() as AsyncIterable<Buffer>) pieces.push(piece)
  return decoded(Buffer.concat(pieces), source.name)
}

/**
 * Returns a function that takes pieces of text in turn and returns the lines that each completes. Unlike node:readline it
 * ends no line at U+2028, which may stand in JSON.
 */
export function lineSplitter(): (piece: string) => string[] {
  let begun = ''
  return (piece) => {
    const lines = (begun + piece).split('\n')
    begun = lines.pop()!
    return lines
  }
}
