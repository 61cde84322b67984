/**
 * A JSON document of any size: each element of an array becomes a row, and each object of an object of them, keyed by id; any
 * other document is one row.
 * Elements are reassembled from tokens as text, so numbers keep their form.
 */

import { utf8Texts } from '../files/text.ts'
import { idField, itemId } from '../rows/item_id.ts'
import { membersOf } from '../rows/json_text.ts'
import type { Source } from '../rows/reader.ts'
import { EXIT, Fatal } from '../rows/record.ts'
import { BadRow, Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { inPlaceOf } from './_bad_rows.ts'
import type { Format } from './_format.ts'
import { markedFormat } from './_marks.ts'

interface Token {
  name: string
  value?: unknown
}

export const format: Format = {
  about: 'a JSON array (or a document, or with --at PATH an array inside one) → a row an element',
  readOptions: [
    {
      name: 'at',
      type: 'string',
      value: 'PATH',
      about: 'where the array is in the document, as a dotted path',
    },
  ],
  read: (sources, options, context) =>
    elementRows(sources, options, context, (text, file, line, whole) => {
      const keyed = whole ? keyedRows(text, file, line) : undefined
      if (!keyed) {
        const row = Row.read(text, file, line)
        const isAlone = whole && options.at === undefined
        const other = isAlone ? markedFormat(row) : undefined
        const list = isAlone ? onlyListIn(text) : undefined
        if (other !== undefined)
          context.note(`the document looks like a file of ${other}: jb-read ${other} reads what is in it`, {
            file,
            line,
            kind: 'other format',
          })
        else if (list !== undefined)
          context.note(`the document is one row: --at ${list} makes a row of each element of its list`, {
            file,
            line,
          })
        return row
      }
      context.note(
        `an object of ${keyed.length} objects: each is a row, with its key as id (jq -c . makes one row of the document)`,
        { file, line, kind: 'keyed rows' },
      )
      return keyed
    }),
}

/** The key of a document's list of objects, if it has one of them. */
function onlyListIn(text: string): string | undefined {
  const lists = (membersOf(text) ?? []).filter(([, value]) => /^\[\s*\{/.test(value))
  return lists.length === 1 ? lists[0]![0] : undefined
}

/**
 * The rows of a document whose objects are keyed by their ids; undefined for any other. Objects are records where there are
 * several, which have a field in common that is no list and no object.
 */
function keyedRows(text: string, file: string, line: number): Row[] | undefined {
  const objects = membersOf(text) ?? []
  const records = objects.map(([, one]) => membersOf(one))
  if (objects.length < 2 || records.includes(undefined)) return undefined
  const [first, ...others] = (records as [string, string][][]).map(
    (members) => new Set(members.flatMap(([key, value]) => (/^[[{]/.test(value) ? [] : [key]))),
  )
  if (![...first!].some((key) => others.every((keys) => keys.has(key)))) return undefined
  return objects.map(([key, one]) => {
    const row = Row.read(one, file, line)
    if (idField(row) !== undefined && itemId(row) === key) return row
    const name = row.field('id') === undefined ? 'id' : 'key'
    return Row.read(`{${JSON.stringify({ [name]: key }).slice(1, -1)},${one.slice(1)}`, file, line)
  })
}

/**
 * A row for each element of the sources' documents. An element for which `make` throws a BadRow is handled as --bad-rows
 * says; messages name the line at which it begins, and its number.
 */
export async function* elementRows(
  sources: Source[],
  options: { [name: string]: unknown },
  context: Context,
  make: (text: string, file: string, line: number, whole: boolean) => Row | Row[] = (text, file, line) =>
    Row.read(text, file, line),
): AsyncGenerator<Row[]> {
  for (const source of sources) {
    let count = 0
    for await (const { text, line, whole } of elementTexts(source, options.at as string | undefined)) {
      count++
      try {
        yield [make(text, source.name, line, whole)].flat()
      } catch (error) {
        if (!(error instanceof BadRow)) throw error
        const bad = { text, message: `element ${count}: ${error.message}`, file: source.name, line }
        yield inPlaceOf(bad, options, context)
      }
      if (context.stop.aborted) return
    }
  }
}

interface Element {
  text: string
  /** Where it begins. */
  line: number
  /** It is no element of an array. */
  whole: boolean
}

/** Tells the parser that its input ends (stream-chain's protocol). */
const END = Symbol.for('object-stream.none')

/**
 * The JSON texts of a file's elements: those of the array at `path`, or a whole document that is no array. A file may hold
 * several documents.
 * @throws Fatal (data) at text that is not JSON or not UTF-8, after yielding the elements before it; or if `path` is not
 *   found
 */
async function* elementTexts(source: Source, path?: string): AsyncGenerator<Element> {
  const { jsonParser } = await import('stream-json/parser.js')
  const parse = jsonParser({
    packKeys: true,
    packStrings: true,
    packNumbers: true,
    streamKeys: false,
    streamStrings: false,
    streamNumbers: false,
    jsonStreaming: true,
  }) as (text: string | symbol) => { values?: Token[] } | symbol
  const elements = new Elements(path?.split('.') ?? [])
  let count = 0
  /** The line at which the current piece begins. */
  let line = 1
  /** The line at which the current element begins. */
  let begin = 1
  /** Line ends in the current piece. */
  let lines = 0
  let last = ''
  const elementsOf = function* (piece: string | symbol): Generator<Element> {
    if (typeof piece === 'string') {
      last = piece
      const before = elements.inside ? 0 : lineEnds(/^[\s,]*/.exec(piece)![0])
      line += before
      lines = lineEnds(piece) - before
    }
    const tokens = parse(piece)
    for (const token of (typeof tokens === 'object' && tokens.values) || []) {
      const { inside } = elements
      const text = elements.take(token)
      if (!inside && (elements.inside || text !== undefined)) begin = line
      if (text === undefined) continue
      count++
      yield { text, line: begin, whole: elements.whole }
    }
    line += lines
    lines = 0
  }
  const failed = (reason: string, cause: unknown) => {
    const place = lines === 0 || cause === undefined ? `:${line}` : `, lines ${line} to ${line + lines}`
    return new Fatal(
      EXIT.data,
      `${source.name}${place}: not valid JSON after ${count} element${count === 1 ? '' : 's'}: ${reason}${reason.startsWith('expected') ? hint(last, count) : ''}`,
      { cause },
    )
  }
  let ended = false
  try {
    for await (const text of utf8Texts(source))
      for (const piece of piecesOf(text, elements)) yield* elementsOf(piece)
    ended = true
    yield* elementsOf(END)
  } catch (error) {
    if (error instanceof Fatal || (error as NodeJS.ErrnoException).code) throw error
    const { message } = error as Error
    if (message.includes('escaped characters') && !(ended && BEGUN_ESCAPE.test(last)))
      throw failed('a control character, or an escape that JSON does not have, in a string', error)
    // At the end, a message other than this one means that the text is cut short; an unfinished word is not valid JSON.
    if (ended && !message.includes('input: expected a value'))
      throw failed('the file ends in the middle of it', undefined)
    throw failed(message.replace(/^Parser (cannot parse input:|has) /, ''), error)
  }
  if (path !== undefined && !elements.found)
    throw new Fatal(EXIT.data, `${source.name}: nothing found at ${path}`)
}

/** What may be wrong with a text where a value or a key is expected. */
function hint(text: string, count: number): string {
  if (/[[:,]\s*-?(?:NaN|Infinity)\b/.test(text)) return ' (JSON has no NaN or Infinity: write null)'
  if (/[{,]\s*'/.test(text)) return " (Python's notation is not JSON: write it with json.dumps)"
  return count === 0 && /^[^{}[\]]+$/.test(text) ? ' (CSV is read by jb-read csv)' : ''
}

/** An escape cut short at the end of the text, which the parser reports as an invalid one. */
const BEGUN_ESCAPE = /\\(u[\da-f]{0,3})?$/i

/**
 * A text in the pieces that the parser is given. The parser returns no tokens of a piece in which it fails, so each
 * piece ends after a `}`; outside elements it also ends with the line.
 */
function* piecesOf(text: string, elements: Elements): Generator<string> {
  for (const piece of text.split(/(?<=})/)) {
    let rest = piece
    while (rest !== '' && !elements.inside && !(elements.found && /^[\s,]*\{/.test(rest))) {
      const end = rest.indexOf('\n') + 1 || rest.length
      yield rest.slice(0, end)
      rest = rest.slice(end)
    }
    if (rest !== '') yield rest
  }
}

function lineEnds(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** The texts of tokens without a value. */
const SYMBOLS: Record<string, string> = {
  startObject: '{',
  endObject: '}',
  startArray: '[',
  endArray: ']',
  nullValue: 'null',
  trueValue: 'true',
  falseValue: 'false',
}

/** Assembles tokens into the JSON texts of the elements at a path. */
class Elements {
  found = false
  private readonly path: string[]
  /** Keys and indexes that lead to the current value. */
  private readonly stack: (string | number)[] = []
  /** The element is no part of an array. */
  whole = false
  private text: string[] | undefined
  private depth = 0
  private comma = false

  constructor(path: string[]) {
    this.path = path
  }

  /** Whether an element has begun but not ended. */
  get inside(): boolean {
    return this.text !== undefined
  }

  /** Takes a token. @returns an element's text when it is complete */
  take({ name, value: any }: Token): string | undefined {
    const value = any as string | undefined
    if (this.text) return this.collect(name, value)
    if (name === 'keyValue') {
      this.stack[this.stack.length - 1] = value!
      return undefined
    }
    if (name.startsWith('end')) {
      this.stack.pop()
      return undefined
    }
    this.advance()
    const here = this.here()
    const atPath = here && this.stack.length === this.path.length
    if (name === 'startArray' && atPath) {
      this.found = true
      this.stack.push(-1)
      return undefined
    }
    const element =
      here &&
      (atPath || (this.stack.length === this.path.length + 1 && typeof this.stack.at(-1) === 'number'))
    if (element) {
      this.found = true
      this.text = []
      this.whole = atPath
      this.comma = false
      return this.collect(name, value)
    }
    if (name === 'startObject') this.stack.push('')
    else if (name === 'startArray') this.stack.push(-1)
    return undefined
  }

  /** Whether the current value is at the path or inside it. */
  private here(): boolean {
    return this.path.every((key, i) => String(this.stack[i]) === key)
  }

  /** Moves to the next index, inside an array. */
  private advance(): void {
    const last = this.stack.length - 1
    if (typeof this.stack[last] === 'number') (this.stack[last] as number)++
  }

  private collect(name: string, value: string | undefined): string | undefined {
    const out = this.text!
    const begins = name === 'startObject' || name === 'startArray'
    const ends = name === 'endObject' || name === 'endArray'
    if (this.comma && !ends) out.push(',')
    this.comma = !begins && name !== 'keyValue'
    if (begins) this.depth++
    if (ends) this.depth--
    if (name === 'numberValue') out.push(value!)
    else if (name === 'stringValue') out.push(JSON.stringify(value))
    else if (name === 'keyValue') out.push(JSON.stringify(value), ':')
    else out.push(SYMBOLS[name]!)
    if (this.depth > 0) return undefined
    this.text = undefined
    return out.join('')
  }
}
