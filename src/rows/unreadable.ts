/** Messages for bytes that are not rows. */
import { isUtf8 } from 'node:buffer'
import { BadRow } from './errors.ts'
import { cutShort } from './line.ts'
import { RowFailure, type StageName } from './record.ts'
import { Row } from './row.ts'

/** @throws BadRow that names the first byte of a line that is not UTF-8, or says that the line ends inside a character */
export function checkUtf8(bytes: Buffer): void {
  if (isUtf8(bytes)) return
  const valid = validLength(bytes)
  const isCut = bytes[0] === 0x7b && valid >= bytes.length - 3 && BEGUN.test(bytes.toString('latin1', valid))
  throw new BadRow(isCut ? cutShort(bytes.length) : notUtf8(valid + 1))
}

/** The first bytes of a character. */
const BEGUN = /^[\xc2-\xf4][\x80-\xbf]{0,2}$/

/** What a message says of the first byte that is not UTF-8; bytes count from 1. */
export const notUtf8 = (byte: number) =>
  `not valid UTF-8 at byte ${byte}: convert the file with iconv -t UTF-8 (-f: what it is in)`

/** How many bytes at the beginning are valid UTF-8: up to the first that decoding and encoding changes. */
export function validLength(bytes: Buffer): number {
  const again = Buffer.from(bytes.toString('utf8'))
  let i = 0
  while (i < bytes.length && bytes[i] === again[i]) i++
  // U+FFFD may begin with the byte it replaced, and the prefix must not end inside a character.
  while (i > 0 && i < bytes.length && !isUtf8(bytes.subarray(0, i))) i--
  return i
}

/** A byte order mark, or a character below U+0100 in two bytes. */
const UTF_16 = /^(?:\xff\xfe|\xfe\xff|[^\0]\0(?:[^\0]\0|$)|\0[^\0](?:\0[^\0]|$))/

/** First bytes of files that hold no text, and what to do with them. */
const SIGNATURES: [bytes: string, kind: string][] = [
  ['\x1f\x8b', 'gzip-compressed: name the file with .gz, or zcat it first'],
  ['PK\x03\x04', 'a ZIP archive: unzip it first (a spreadsheet, .xlsx: save it as CSV)'],
  ['\x28\xb5\x2f\xfd', 'zstd-compressed: zstdcat it first'],
  ['\xfd7zXZ\0', 'xz-compressed: xzcat it first'],
  ['BZh91AY', 'bzip2-compressed: bzcat it first'],
  ['version https://git-lfs', 'a Git LFS pointer, not the file itself: git lfs pull fetches it'],
  ['<!DOCTYPE html', 'a web page, perhaps of an error or a login, not the file itself'],
  ['PAR1', 'a Parquet file: read it with jb-read parquet'],
]

/** What a file is that begins with these bytes, given with one character a byte; undefined for text. */
export function binaryFile(bytes: string): string | undefined {
  if (UTF_16.test(bytes)) return 'the input is UTF-16: convert it with iconv -f UTF-16 -t UTF-8'
  const found = SIGNATURES.find(([first]) => bytes.startsWith(first))
  return found && `the input is ${found[1]}`
}

/** Characters between the values of tables, and how to read these. */
const BETWEEN = [
  [',', 'CSV: read it with jb-read csv'],
  ['\t', "TSV: read it with jb-read csv --delimiter $'\\t'"],
  [';', "CSV: read it with jb-read csv --delimiter ';'"],
] as const

/** Whether a line begins an object that goes on in the next: it ends where a value or a key has to follow. */
export function opensDocument(line: string): boolean {
  const text = line.trim()
  return text.startsWith('{') && /[{[,:]$/.test(text) && !isWhole(text.slice(0, -1))
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** What else a file may be whose first line is no row. */
export function foreignFile(line: string): string | undefined {
  const binary = binaryFile(line)
  if (binary) return binary
  if (/^\s*\[/.test(line))
    return 'the input is a JSON array, not one object a line: read it with jb-read json'
  if (/^\s*\{\s*$/.test(line))
    return 'the input is an indented JSON document, not one object a line: read it with jb-read json, or jq -c .'
  if (/^\s*\{\s*'/.test(line)) return "the input is Python's notation, not JSON: write it with json.dumps"
  if (opensDocument(line))
    return 'the input is a JSON document of several lines (or its first row is cut short): read it with jb-read json, or with the format of the program that wrote it (jb-read --list)'
  if (/^\{.*\},\s*$/.test(line))
    return 'a comma ends the line: NDJSON has one object a line and nothing between (an array is read by jb-read json)'
  if (/\r\s*\{/.test(line))
    return "the lines end in a carriage return alone: convert the file with tr '\\r' '\\n'"
  const table = /^[^{}[\]]+$/.test(line) ? BETWEEN.find(([mark]) => line.includes(mark)) : undefined
  return table && `the input is no NDJSON; it looks like ${table[1]}`
}

/** A failed row that contains a bad line. */
export function unreadRow(
  bytes: Buffer,
  message: string,
  file: string,
  number: number,
  stage: StageName,
): Row {
  const row = Row.make({}, file, number).fail(stage, new RowFailure('bad_row', message))
  return isUtf8(bytes)
    ? row.set('raw', bytes.toString('utf8'))
    : row.set('raw_base64', bytes.toString('base64'))
}
