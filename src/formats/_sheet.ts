/** Lines of CSV and TSV that a spreadsheet opens. */

/** What a spreadsheet takes for a formula, also after what it does not show. One character alone is none. */
const FORMULA =
  /^[\p{White_Space}\p{Cc}\p{Cf}\p{DI}]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b]./su
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** A cell that a spreadsheet shows as it stands: a quote before it makes a formula a text. */
export const sheetCell = (text: string): string =>
  FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text

export interface SheetOptions {
  format?: string | undefined
}

/** @returns a function that writes lines, optionally with a byte order mark before them */
export async function sheetWriter({ format }: SheetOptions) {
  const { stringify } = await import('csv-stringify/sync')
  // A lone \r ends a row of most readers.
  const form = { delimiter: format === 'tsv' ? '\t' : ',', quoted_match: /\r/ }
  return (rows: readonly (readonly string[])[], bom = false): string =>
    stringify(
      rows.map((cells) => cells.map(sheetCell)),
      { ...form, bom },
    )
}
