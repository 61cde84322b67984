/** One line that is a row: its text, what JSON.parse made of all of it, and where `jb` stands. */
import { BadRow } from './errors.ts'
import { DEEPEST, extentOf, hasFewBrackets, MOST_VALUES, membersIn } from './json_text.ts'
import { isObject, type JsonObject } from './record.ts'

/** Rows that were made of one another share a line. @internal */
export interface Line {
  readonly text: string
  /** The user's object, without `jb`. */
  readonly user: JsonObject
  /** Undefined in a row of the user's that no filter has seen. */
  readonly jb: Readonly<Record<string, unknown>> | undefined
  /** Where `jb` stands, with its key and one comma; both are the end of the text if there is none. */
  readonly from: number
  readonly to: number
}

const BOM = '\ufeff'
/** How a filter writes the key. */
const KEY = ',"jb":'

/**
 * Parses a line whole.
 * @throws BadRow if it is not a JSON object, nests too deeply, or has two keys `jb` or one that holds no object
 */
export function readLine(text: string): Line {
  checkExtent(text)
  return inHalves(text) ?? inOne(text)
}

/** @throws BadRow for a row that is no work for JSON.parse, or that jq does not read */
function checkExtent(text: string): void {
  if (text.length < MOST_VALUES && hasFewBrackets(text)) return
  const { values, depth } = extentOf(text)
  if (values > MOST_VALUES) throw new BadRow(`too much in one row: it may hold ${MOST_VALUES} values`)
  if (depth > DEEPEST) throw new BadRow(`nested too deeply: a row may have ${DEEPEST} levels`)
}

/** A line as filters write it, `jb` last: what stands before its key and what follows it are parsed. Undefined for any other. */
function inHalves(text: string): Line | undefined {
  const from = text.indexOf(KEY)
  const to = text.length - 1
  if (from < 0 || !text.endsWith('}}')) return undefined
  try {
    const user = JSON.parse(`${text.slice(0, from)}}`) as JsonObject
    const jb = JSON.parse(text.slice(from + KEY.length, to)) as unknown
    // A comma follows a first member, and there is one key `jb`.
    return isEmpty(user) || Object.hasOwn(user, 'jb') || !isObject(jb)
      ? undefined
      : { text, user, jb, from, to }
  } catch {
    return undefined
  }
}

/** @throws BadRow */
function inOne(text: string): Line {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw badJson(text, (error as Error).message)
  }
  if (!isObject(value)) {
    const what = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`
    const hint = Array.isArray(value) ? ' (jb-read json makes rows of an array)' : ''
    throw new BadRow(`a row must be a JSON object, this is ${what}${hint}`)
  }
  if (!Object.hasOwn(value, 'jb')) return withoutJb(text, value)
  const { jb, ...user } = value
  const place = placeOfJb(text)
  if (!isObject(jb)) throw new BadRow('the key "jb" is reserved and must hold an object: rename the field')
  return { text, user, jb, ...place }
}

/** A line that has no `jb`. */
export const withoutJb = (text: string, user: JsonObject): Line => ({
  text,
  user,
  jb: undefined,
  from: text.length,
  to: text.length,
})

/** Where the member `jb` of an object stands. @throws BadRow if there are two */
function placeOfJb(text: string): { from: number; to: number } {
  const members = membersIn(text, text.indexOf('{'))
  const i = members.findIndex(({ name }) => name === 'jb')
  if (members.findLastIndex(({ name }) => name === 'jb') !== i) throw new BadRow('two keys "jb" in one row')
  const { at, to } = members[i]!
  if (i > 0) return { from: text.lastIndexOf(',', at), to }
  return { from: at, to: members[1]?.at ?? to }
}

/** JSON text of the user's object, without `jb`. */
export const userText = ({ text, from, to }: Line): string =>
  from === text.length ? text : text.slice(0, from) + text.slice(to)

/** Whether an object has no key. */
export function isEmpty(object: object): boolean {
  for (const _ in object) return false
  return true
}

/** What a message says of a line that ends too early. */
export const cutShort = (bytes: number) => `not valid JSON: cut short after ${bytes} bytes`

/** Why a line does not parse, and what to do about it where that is known. @param error JSON.parse's */
function badJson(line: string, error: string): BadRow {
  const text = line.slice(0, 80).trim()
  const reason = error
    .replace(/, (?:\.\.\.)?"[\s\S]*$/, '')
    .replace(/ in JSON(?= at|$)/, '')
    // Node 22 and later.
    .replace(/ \(line \d+ column \d+\)$/, '')
  if (/^Unexpected end|^Unterminated|^Expected .* end/i.test(reason) || atEnd(reason, line))
    return new BadRow(
      text === '{' || text === '['
        ? 'not valid JSON: a row must stand on one line (for pretty-printed JSON: jq -c .)'
        : cutShort(Buffer.byteLength(line)),
    )
  if (reason.includes(BOM))
    return new BadRow('not valid JSON: a byte order mark, with which only the first line may begin')
  const number = /token '?[NI]/.test(reason) && /[:,[]\s*(NaN|Infinity)\b/.exec(line)?.[1]
  const why = number
    ? `${number} is no number of JSON (null?)`
    : `${reason[0]?.toLowerCase()}${reason.slice(1)}`
  return new BadRow(`not valid JSON: ${why}`)
}

const atEnd = (reason: string, line: string) => Number(/position (\d+)/.exec(reason)?.[1]) >= line.length
