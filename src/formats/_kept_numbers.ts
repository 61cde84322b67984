/** Numbers of a record as it writes them (1.0, 1e5, twenty digits), for formats that make other rows of its values. */
import { randomBytes } from 'node:crypto'
import { encode, Row } from '../rows/row.ts'
import { rowsMade } from './_bad_rows.ts'

/** Before a number that JavaScript would write otherwise, and which is a text until its row is made. No file can know it. */
const MARK = `number-${randomBytes(8).toString('hex')}:`
/** The text of such a number, also in a JSON text within a JSON text. */
const MARKED = new RegExp(`(\\\\*)"${MARK}([^"\\\\]+)\\1"`, 'g')

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[-+.\deE]*/g

/** A number beyond JavaScript's, of its digits. */
export const numberOf = (digits: string): string => MARK + digits

/** JSON text in which such numbers are marked texts. */
export const withMarks = (json: string): string =>
  json.replace(TOKEN, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${numberOf(token)}"`,
  )

/** The text with the numbers in the place of their marks. */
export const withoutMarks = (text: string): string =>
  text.includes(MARK) ? text.replace(MARKED, '$2').replaceAll(MARK, '') : text

/** The row with its numbers marked. */
export function markedRow(row: Row): Row {
  const text = row.itemText()
  const changed = withMarks(text)
  return changed === text ? row : Row.read(encode(changed), row.file, row.line)
}

/** As rowsMade, with all numbers of the record as it writes them. @throws BadRow as `make` */
export function rowsKept(row: Row, make: (row: Row) => Row | Row[]): Row[] {
  return rowsMade(row, () => make(row.get('error') ? row : markedRow(row))).map((one) => {
    const text = one.itemText()
    const kept = withoutMarks(text)
    return kept === text || one.get('error') ? one : Row.read(encode(kept), one.file, one.line)
  })
}
