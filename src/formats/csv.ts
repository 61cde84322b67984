/** CSV and TSV with a header line: one row per record, every value a string. */
import type { Parser } from 'csv-parse'
import { utf8Texts } from '../files/text.ts'
import { RAW_CELLS_OPTION } from '../options/common.ts'
import type { Source } from '../rows/reader.ts'
import { EXIT, Fatal, usageError } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { inPlaceOf } from './_bad_rows.ts'
import type { Format, FormatOptions } from './_format.ts'

interface Found {
  record: string[]
  /** First and last line: a quoted value may span several. */
  line: number
  end: number
  /** Its text in the file, with --bad-rows pass. */
  raw?: string
}

export const format: Format = {
  about: {
    read: 'CSV with a header line (TSV where the name ends so, or --delimiter) → a row a record, all values strings',
    write: 'a spreadsheet as CSV: a line an item, its own fields first',
  },
  readOptions: [
    {
      name: 'delimiter',
      type: 'string',
      value: 'CHAR',
      about:
        'the character between values [a comma, or a semicolon or tab where the header has that and no comma; of .tsv a tab]',
    },
  ],
  async *read(sources, options, context) {
    for (const source of sources) yield* rowsOf(source, options, context)
  },
  unscored: true,
  fields: 'all',
  converts: true,
  writeOptions: [
    {
      name: 'bom',
      type: 'boolean',
      about: 'begin with a byte order mark, which Excel needs to read UTF-8',
    },
    RAW_CELLS_OPTION,
  ],
  async *write(rows, options, context) {
    const { spreadsheet } = await import('./_spreadsheet.ts')
    yield* spreadsheet(rows, options, 'csv', context)
  },
}

/** @throws Fatal (data) after the rows before the record that ends the run */
async function* rowsOf(source: Source, options: FormatOptions, context: Context): AsyncGenerator<Row[]> {
  const file = source.name
  let header: Header | undefined
  for await (const records of filledRecords(source, options, context)) {
    let rows: Row[] = []
    for (const { record, line, raw } of records) {
      if (header === undefined) {
        header = headerOf(record, `${file}:${line}`)
        noteDelimiter(header, `${file}:${line}`, context)
      }
      if (record === header.names) continue
      noteJoined(record, header, { file, line }, context)
      const message = wrongWith(record, header)
      if (message === undefined) rows.push(Row.make(itemOf(record, header), file, line))
      else {
        if (rows.length > 0) yield rows
        const text = (raw ?? '').replace(/^[\r\n]+|[\r\n]+$/g, '')
        rows = inPlaceOf({ text, message, file, line }, options, context)
      }
    }
    if (rows.length > 0) yield rows
    if (context.stop.aborted) return
  }
}

/** The records that have a value: spreadsheets write lines of commas for rows that were once filled. */
async function* filledRecords(
  source: Source,
  options: FormatOptions,
  context: Context,
): AsyncGenerator<Found[]> {
  let left = 0
  let first = 0
  for await (const records of recordsOf(source, options)) {
    const filled = records.filter(({ record }) => record.some((value) => value !== ''))
    if (left === 0 && filled.length < records.length)
      first = records.find((one) => !filled.includes(one))!.line
    left += records.length - filled.length
    yield filled
  }
  if (left > 0)
    context.note(`${counted(left, 'record')} without a value left out, the first at line ${first}`, {
      file: source.name,
    })
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

interface Header {
  names: string[]
  /** Columns without a name, where there are several: trailing commas, which spreadsheets write. */
  nameless: ReadonlySet<number>
}

/** @throws Fatal (data) for JSON, for two columns of one name (a row would keep only the second), or for one called `jb` */
function headerOf(names: string[], place: string): Header {
  if (/^\s*(\{"|\[\s*(\{|$))/.test(names[0] ?? ''))
    throw new Fatal(EXIT.data, `${place}: this is JSON, not CSV: read it with jb-read json, or as rows`)
  if (names.every((name) => name.trim() === ''))
    throw new Fatal(EXIT.data, `${place}: the header line names no column`)
  if (names.includes('jb'))
    throw new Fatal(EXIT.data, `${place}: a column is called "jb", which is reserved: rename it`)
  const seen = new Set<string>()
  const twice = names.find((name) => name !== '' && seen.size === seen.add(name).size)
  if (twice !== undefined)
    throw new Fatal(EXIT.data, `${place}: two columns are called ${JSON.stringify(twice)}: rename one`)
  const nameless = names.flatMap((name, i) => (name === '' ? [i] : []))
  return { names, nameless: new Set(nameless.length > 1 ? nameless : []) }
}

/** Notes a header of one name that may be several. */
function noteDelimiter({ names }: Header, place: string, { note }: Context): void {
  if (names.length === 1 && names[0]!.includes('|'))
    note(`${place}: one column, ${JSON.stringify(names[0])}: is --delimiter '|' meant?`)
}

/** Why a record cannot become a row. */
function wrongWith(record: string[], { names, nameless }: Header): string | undefined {
  if (record.length !== names.length)
    return `${counted(record.length, 'value')}, the header has ${counted(names.length, 'column')}`
  const lost = record.find((value, i) => nameless.has(i) && value !== '')
  return lost === undefined ? undefined : `${JSON.stringify(lost)} is in a column without a name`
}

/** Notes a record of TSV whose lines would all be records without its quotation marks. */
function noteJoined(
  record: string[],
  { names }: Header,
  place: { file: string; line: number },
  { note }: Context,
): void {
  if (!record.some((value) => value.includes('\t'))) return
  const lines = record.join('\t').split(/\r?\n/)
  if (lines.length === 1 || lines.some((line) => line.split('\t').length !== names.length)) return
  note(
    `a quotation mark takes ${lines.length} lines, each with a value for every column, into one row (docs/input.md: quotation marks that are text)`,
    { ...place, kind: 'joined lines' },
  )
}

const itemOf = (record: string[], { names, nameless }: Header) =>
  Object.fromEntries(names.flatMap((name, i) => (nameless.has(i) ? [] : [[name, record[i]]])))

/**
 * The records of a source, including the header, one batch per piece of text read.
 * @throws Fatal (data) at text that is not UTF-8 or not CSV, after yielding the records before it
 */
async function* recordsOf(source: Source, options: FormatOptions): AsyncGenerator<Found[]> {
  const { CsvError } = await import('csv-parse')
  let found: Found[] = []
  /** The line after the last record. */
  let next = 1
  const add = (one: Found) => {
    found.push(one)
    next = one.end + 1
  }
  let parser: Parser | undefined
  let begun = ''
  const taken = () => {
    const records = found
    found = []
    return records
  }
  try {
    for await (const piece of utf8Texts(source)) {
      begun += piece
      // The header line says what the delimiter is.
      if (!parser && !/[^\r\n][\r\n]/.test(begun)) continue
      parser ??= await parserOf(source, options, begun, add)
      await give(parser, begun)
      begun = ''
      yield taken()
    }
    parser ??= await parserOf(source, options, begun, add)
    if (begun !== '') await give(parser, begun)
    await give(parser, undefined)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    yield taken()
    const open = error.code === 'CSV_QUOTE_NOT_CLOSED'
    const reason = open ? 'a quote opened in this record is never closed' : error.message
    throw new Fatal(EXIT.data, `${source.name}:${next}: ${reason}`, { cause: error })
  }
  yield taken()
}

/** The delimiter of a header line without a comma, as spreadsheets write it where a comma is the decimal point. */
function delimiterIn(text: string): string {
  const header = /[^\r\n]+/.exec(text)?.[0].replace(/"[^"]*"/g, '') ?? ''
  const [one, ...others] = [',', ';', '\t'].filter((character) => header.includes(character))
  return one !== undefined && others.length === 0 ? one : ','
}

/** A parser that calls back for each record. @param begin the beginning of the text @throws Fatal (usage) for an invalid delimiter */
async function parserOf(
  source: Source,
  options: FormatOptions,
  begin: string,
  found: (one: Found) => void,
): Promise<Parser> {
  const { parse } = await import('csv-parse')
  const raw = options.badRows === 'pass'
  const given = options.delimiter as string | undefined
  const delimiter =
    given?.replace('\\t', '\t') ?? (/\.tsv(\.gz)?$/i.test(source.name) ? '\t' : delimiterIn(begin))
  if ([...delimiter].length !== 1)
    throw usageError(`--delimiter ${JSON.stringify(given)}: expected one character, or \\t`)
  /** CRLFs inside values: the parser counts each as two lines. */
  let twice = 0
  try {
    const parser = parse({
      delimiter,
      raw,
      // wrongWith compares the count with the header's, so that --bad-rows applies.
      relax_column_count: true,
      // A quote inside an unquoted field is data: 5" disk.
      relax_quotes: true,
      skip_empty_lines: true,
      on_record: (one: unknown, { lines }) => {
        const { record, raw: text } = raw ? (one as Found) : { record: one as string[], raw: undefined }
        const within = record.flatMap((value) => value.match(/\r\n|[\r\n]/g) ?? [])
        twice += within.filter((lineEnd) => lineEnd === '\r\n').length
        const end = lines - twice
        found({ record, line: end - within.length, end, raw: text })
        return null
      },
    })
    // `give` reports errors; without a listener Node would throw them.
    return parser.on('error', () => {})
  } catch (error) {
    throw usageError(`--delimiter ${JSON.stringify(delimiter)}: ${(error as Error).message}`)
  }
}

/** Writes a piece of text to the parser, or ends it. @throws CsvError for text that is not CSV */
function give(parser: Parser, text: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null) => (error ? reject(error) : resolve())
    if (text === undefined) parser.end(done)
    else parser.write(text, done)
  })
}
