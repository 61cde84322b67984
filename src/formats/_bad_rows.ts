/** --bad-rows for formats that parse their files themselves, and records that fail. */

import { writtenJson } from '../rows/exact_json.ts'
import { EXIT, Fatal, isObject, type Json, type JsonObject, RowFailure } from '../rows/record.ts'
import { BadRow, Row } from '../rows/row.ts'
import { type Context, misfit, rowFailure } from '../rows/stage.ts'
import { unreadRow } from '../rows/unreadable.ts'
import type { OnBadLine } from '../trec/topics.ts'
import type { FormatOptions } from './_format.ts'
import { markedFormat } from './_marks.ts'

/** A record that cannot become a row, and why; `text` is its text in the file. */
interface BadRecord {
  text: string
  message: string
  file: string
  line: number
}

/** The rows that replace it: a failed row (`pass`) or none (`skip`). @throws Fatal (data) for `stop` */
export function inPlaceOf(bad: BadRecord, { badRows }: FormatOptions, context: Context): Row[] {
  const { text, message, file, line } = bad
  if (badRows === 'stop') throw new Fatal(EXIT.data, `${file}:${line}: ${message}`)
  if (badRows === 'pass') return [unreadRow(Buffer.from(text), message, file, line, context.stage)]
  context.badRow(message, file, line)
  return []
}

/** What becomes of the lines of a source that cannot be read, and the rows that replace them; under `stop` the first ends the run. */
export function badLines(file: string, options: FormatOptions, context: Context) {
  const rows: Row[] = []
  const onBad: OnBadLine = ({ text, n }, message) =>
    rows.push(...inPlaceOf({ text, message, file, line: n }, options, context))
  return { rows, onBad: options.badRows === 'stop' ? undefined : onBad }
}

/** Sorts rows by line number. */
export const inOrder = (rows: Row[]) => rows.sort((a, b) => a.line - b.line)

/** The row, failed because it lacks a field that the format needs; the message names another format that it looks like. */
export function lacking(row: Row, format: string, message: string): Row {
  const other = markedFormat(row)
  const hint =
    other === undefined || other === format ? '' : `; it looks like a row of ${other} (jb-read ${other})`
  return row.bare().fail('read', new RowFailure('missing_field', message + hint))
}

/**
 * A row of what another program recorded. Where that program says that it failed, the row fails: an error of a service is no
 * answer of the model or agent that is judged.
 * @param error the program's words: a text, or an object with a message, a code or a type; null or undefined if it did not
 *   fail
 */
export function recordedRow(item: JsonObject, error: Json | undefined, { file, line }: Row): Row {
  const words = errorWords(error)
  if (words === undefined) return Row.make(item, file, line)
  return Row.make({ ...item, error: words }, file, line).fail('read', new RowFailure('source_failed', words))
}

/** `CODE: MESSAGE`. */
function errorWords(error: Json | undefined): string | undefined {
  if (error === undefined || error === null || error === false || error === '') return undefined
  if (!isObject(error)) return typeof error === 'string' ? error : writtenJson(error)
  const parts = [error.code ?? error.type, error.message].filter((part) => (part ?? '') !== '')
  return parts.length > 0 ? parts.join(': ') : writtenJson(error)
}

/** The trial, failed because what is recorded of it is no verdict. @param what what the value is called there */
export const withoutVerdict = (row: Row, what: string, value: Json | undefined, more?: JsonObject): Row =>
  row.fail('read', new RowFailure('no_verdict', `recorded ${what} ${JSON.stringify(value ?? null)}`, more))

/**
 * The rows that a format makes of a record, of which it gets the exact row. A record that failed before passes
 * unchanged; one that holds a value of the wrong type, in its own fields or in `jb.error`, becomes a failed row.
 * @throws BadRow as `make`
 */
export function rowsMade(row: Row, make: (row: Row) => Row | Row[]): Row[] {
  try {
    if (row.get('error')) return [row]
    return [make(row.exact())].flat()
  } catch (error) {
    if (error instanceof BadRow) throw error
    const wrong = misfit(error)
    const failure = wrong === undefined ? rowFailure(error, row) : new RowFailure('bad_record', wrong)
    return [row.bare().fail('read', failure)]
  }
}
