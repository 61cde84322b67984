/** What keeps bytes from being rows. */
import { isUtf8 } from 'node:buffer'
import { BadRow } from './line_search.ts'
import { RowFailure, type StageName } from './record.ts'
import { Row } from './row.ts'

/** @throws BadRow that names the first byte that is not UTF-8 */
export function checkUtf8(line: string): void {
  const bytes = Buffer.from(line, 'latin1')
  if (isUtf8(bytes)) return
  // Where decoding and encoding again first differs.
  const again = Buffer.from(bytes.toString('utf8'))
  let i = 0
  while (bytes[i] === again[i]) i++
  throw new BadRow(
    `not valid UTF-8 at byte ${i + 1}: convert the file with iconv -t UTF-8 (-f: what it is in)`,
  )
}

/** What else a file may be whose first line is no row. */
export function foreignFile(line: string): string | undefined {
  if (line.startsWith('\x1f\x8b'))
    return 'the input is gzip-compressed: name the file with .gz, or zcat it first'
  if (/^(?:\xff\xfe|\xfe\xff|\{\0|\0\{)/.test(line))
    return 'the input is UTF-16: convert it with iconv -t UTF-8'
  if (line.startsWith('PAR1')) return 'the input is a Parquet file: read it with jb-read parquet'
  if (/^\s*\[/.test(line))
    return 'the input is a JSON array, not one object a line: read it with jb-read json'
  if (/^\s*\{\s*$/.test(line))
    return 'the input is an indented JSON document, not one object a line: read it with jb-read json, or jq -c .'
  if (/^\s*\{\s*'/.test(line)) return "the input is Python's notation, not JSON: write it with json.dumps"
  if (/^[^{}[\]]+$/.test(line) && /[,\t]/.test(line))
    return line.includes(',')
      ? 'the input is no NDJSON; it looks like CSV: read it with jb-read csv'
      : "the input is no NDJSON; it looks like TSV: read it with jb-read csv --delimiter $'\\t'"
  return undefined
}

/** A failed row that holds a line which is no row, given with one character a byte. */
export function unreadRow(
  line: string,
  message: string,
  file: string,
  number: number,
  stage: StageName,
): Row {
  const bytes = Buffer.from(line, 'latin1')
  const row = Row.make({}, file, number).fail(stage, new RowFailure('bad_row', message))
  return isUtf8(bytes)
    ? row.set('raw', bytes.toString('utf8'))
    : row.set('raw_base64', bytes.toString('base64'))
}
