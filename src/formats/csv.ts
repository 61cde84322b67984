/** CSV and TSV with a header line: one row per record, every value a string. */
import { utf8Texts } from '../files/text.ts'
import type { Source } from '../rows/reader.ts'
import { EXIT, Fatal, usageError } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { inPlaceOf } from './_bad_rows.ts'
import type { Format, FormatOptions } from './_format.ts'

interface Found {
  record: string[]
  /** Its first line: a quoted value may span several. */
  line: number
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
        'the character between values [that of a first line sep=;, else a comma, or a semicolon or tab where the header has that and no comma; of .tsv a tab]',
    },
  ],
  async *read(sources, options, context) {
    for (const source of sources) yield* rowsOf(source, options, context)
  },
  fields: 'all',
  unjudged: 'fail',
  writeOptions: [
    {
      name: 'bom',
      type: 'boolean',
      about: 'begin with a byte order mark, which Excel needs to read UTF-8',
    },
  ],
  async *write(rows, options, context) {
    const { spreadsheet } = await import('./_spreadsheet.ts')
    yield* spreadsheet(rows, { ...options, format: 'csv' }, context)
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
        noteHeader(header, `${file}:${line}`, options.delimiter !== undefined, context)
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
  for await (const records of recordsOf(source, options, context)) {
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

/** @throws Fatal (data) for two columns of one name (a row would keep only the second), or for one called `jb` */
function headerOf(names: string[], place: string): Header {
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

/**
 * Notes a header of one name that may be several, and a number in it, as in a file that begins with its first record.
 * @param isSplit the user says by which character it is split
 */
function noteHeader({ names }: Header, place: string, isSplit: boolean, { note }: Context): void {
  const number = names.find((name) => name.trim() !== '' && Number.isFinite(Number(name)))
  if (number !== undefined)
    note(`${place}: a column is called ${JSON.stringify(number)}: the first line has to name the columns`)
  const between = !isSplit && names.length === 1 && /[|,;\t]/.exec(names[0]!)?.[0]
  if (between)
    note(
      `${place}: one column, ${JSON.stringify(names[0])}: is --delimiter '${between === '\t' ? '\\t' : between}' meant?`,
    )
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
async function* recordsOf(source: Source, options: FormatOptions, context: Context): AsyncGenerator<Found[]> {
  let records: Records | undefined
  let begun = ''
  /** Reads the text that has come, of which the first has the header line whole. */
  const give = (): Records => {
    let text = begun
    begun = ''
    if (!records) {
      const { sep, lines, header, length } = beginningOf(text)
      const line = 1 + lineEndsIn(text.slice(0, length))
      const { name } = source
      if (/^\s*(\{"|\[\s*(\{|$))/.test(header))
        throw new Fatal(
          EXIT.data,
          `${name}:${line}: this is JSON, not CSV: read it with jb-read json, or as rows`,
        )
      if (lines > 0)
        context.note(`${counted(lines, 'line')} in front of the header left out: # begins a comment`, {
          file: name,
        })
      records = new Records(delimiterOf(source, options, sep, header), line, options.badRows === 'pass')
      text = text.slice(length)
    }
    records.take(text)
    return records
  }
  try {
    for await (const piece of utf8Texts(source)) {
      begun += piece
      if (records || begun.length > BEGINNING || HEADER.test(begun)) yield give().taken()
    }
    give().end()
  } catch (error) {
    if (!(error instanceof NotCsv && records)) throw error
    yield records.taken()
    throw new Fatal(EXIT.data, `${source.name}:${records.begin}: ${error.message}`)
  }
  yield records!.taken()
}

/** Characters in which the header is looked for. */
const BEGINNING = 1e6

/** A line that is no comment, and its end. */
const HEADER = /^(?:(?:sep=.|#.*)?[\r\n]+)*(?!#|sep=.[\r\n])[^\r\n]+[\r\n]/i

interface Beginning {
  /** The delimiter in Excel's first line, `sep=;`. */
  sep: string | undefined
  /** How many lines are comments. */
  lines: number
  header: string
  /** Characters before the header line. */
  length: number
}

/**
 * What stands in front of the header line. A line that begins with # is a comment, except the last of them where it has as
 * many values as the line after it: `#id,question`.
 */
function beginningOf(text: string): Beginning {
  const [first, sep] = /^[\r\n]*sep=(.)(?:\r\n|[\r\n]|$)/iu.exec(text) ?? ['']
  let length = first.length
  let lines = 0
  let before: { text: string; at: number } | undefined
  for (const [line] of text.slice(first.length).matchAll(/[^\r\n]*(?:\r\n|[\r\n]|$)/g)) {
    const words = line.replace(/[\r\n]+$/, '')
    if (words !== '' && !words.startsWith('#')) {
      const delimiter = sep ?? delimiterIn(words)
      const counts = [before?.text, words].map((one) => one && withoutQuoted(one).split(delimiter).length)
      if (before && counts[0] === counts[1] && counts[0] !== 1)
        return { sep, lines: lines - 1, header: before.text, length: before.at }
      return { sep, lines, header: words, length }
    }
    if (words !== '') {
      before = { text: words, at: length }
      lines++
    }
    length += line.length
  }
  return before
    ? { sep, lines: lines - 1, header: before.text, length: before.at }
    : { sep, lines: 0, header: '', length }
}

const lineEndsIn = (text: string): number => text.match(/\r\n|[\r\n]/g)?.length ?? 0

const withoutQuoted = (line: string) => line.replace(/"[^"]*"/g, '')

/** The delimiter of a header line without a comma, as spreadsheets write it where a comma is the decimal point. */
function delimiterIn(header: string): string {
  const [one, ...others] = [',', ';', '\t'].filter((character) => withoutQuoted(header).includes(character))
  return one !== undefined && others.length === 0 ? one : ','
}

/** @throws Fatal (usage) for an invalid --delimiter */
function delimiterOf(
  source: Source,
  options: FormatOptions,
  sep: string | undefined,
  header: string,
): string {
  const given = options.delimiter as string | undefined
  const delimiter =
    given?.replace('\\t', '\t') ?? sep ?? (/\.tsv(\.gz)?$/i.test(source.name) ? '\t' : delimiterIn(header))
  if ([...delimiter].length !== 1 || /["\r\n]/.test(delimiter))
    throw usageError(`--delimiter ${JSON.stringify(given)}: expected one character that is no quote, or \\t`)
  return delimiter
}

/** Text that is not CSV. `message` says why. */
class NotCsv extends Error {}

/**
 * Takes text apart as RFC 4180 has it, and Python's csv with strict=True. A quote inside a value that does not begin with one
 * is data: 5" disk. After a closing quote a delimiter or the line's end has to follow: of a quote that was never meant to
 * open, the next record's would else be the end, and the records between would be gone.
 */
class Records {
  /** The line at which the record begins. */
  begin: number
  /** The line that is read. */
  private line: number
  private found: Found[] = []
  private record: string[] = []
  private value = ''
  private at: 'start' | 'plain' | 'quoted' | 'quote' = 'start'
  /** The record has a quoted value: also an empty one is a value. */
  private isQuoted = false
  /** The line is at its end. */
  private isAtEnd = false
  /** The text before ended in a carriage return: a newline that follows belongs to it. */
  private afterReturn = false
  private raw = ''
  private readonly delimiter: string
  private readonly keepsRaw: boolean

  /** @param line of the text's beginning */
  constructor(delimiter: string, line: number, keepsRaw: boolean) {
    this.delimiter = delimiter
    this.line = line
    this.begin = line
    this.keepsRaw = keepsRaw
  }

  /** Removes and returns the complete records. */
  taken(): Found[] {
    const { found } = this
    this.found = []
    return found
  }

  /** Reads a piece of text. @throws NotCsv */
  take(text: string): void {
    for (let at = 0; at < text.length; ) {
      const code = text.charCodeAt(at)
      const isSecondHalf = this.afterReturn && code === NEWLINE
      this.afterReturn = false
      const next = isSecondHalf ? at + 1 : this.step(text, at, code)
      if (this.keepsRaw) this.raw += text.slice(at, next)
      if (this.isAtEnd) this.endRecord()
      at = next
    }
  }

  /** Reads what begins at a place. @returns where it ends @throws NotCsv */
  private step(text: string, at: number, code: number): number {
    if (this.at === 'quoted') return this.quoted(text, at)
    if (code === QUOTE && this.at !== 'plain') {
      if (this.at === 'quote') this.value += '"'
      this.isQuoted = true
      this.at = 'quoted'
      return at + 1
    }
    if (code === NEWLINE || code === RETURN) {
      this.afterReturn = code === RETURN
      this.isAtEnd = true
      return at + 1
    }
    if (text.startsWith(this.delimiter, at)) {
      this.endValue()
      return at + this.delimiter.length
    }
    if (this.at === 'quote')
      throw new NotCsv(
        `a quoted value of this record ends in line ${this.line + lineEndsIn(this.value)}, and ${JSON.stringify(text[at])} follows its quote, not ${JSON.stringify(this.delimiter)} (a quote inside a quoted value is written twice)`,
      )
    return this.plain(text, at)
  }

  private quoted(text: string, at: number): number {
    const end = text.indexOf('"', at)
    this.value += end < 0 ? text.slice(at) : text.slice(at, end)
    if (end < 0) return text.length
    this.at = 'quote'
    return end + 1
  }

  private plain(text: string, at: number): number {
    const first = this.delimiter.charCodeAt(0)
    let end = at
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end)
      if (code === NEWLINE || code === RETURN) break
      if (code === first && text.startsWith(this.delimiter, end)) break
    }
    this.at = 'plain'
    this.value += text.slice(at, end)
    return end
  }

  /** Reads the last record, which may have no line end. @throws NotCsv */
  end(): void {
    if (this.at === 'quoted') throw new NotCsv('a quote opened in this record is never closed')
    if (this.at !== 'start' || this.record.length > 0) this.endRecord()
  }

  private endValue(): void {
    if (this.at === 'quote') this.line += lineEndsIn(this.value)
    this.record.push(this.value)
    this.value = ''
    this.at = 'start'
  }

  private endRecord(): void {
    this.endValue()
    const { record, begin, line, isQuoted } = this
    if (record.length > 1 || record[0] !== '' || isQuoted)
      this.found.push({ record, line: begin, ...(this.keepsRaw && { raw: this.raw }) })
    this.record = []
    this.raw = ''
    this.isQuoted = false
    this.isAtEnd = false
    this.line = line + 1
    this.begin = this.line
  }
}

const NEWLINE = 0x0a
const RETURN = 0x0d
const QUOTE = 0x22
