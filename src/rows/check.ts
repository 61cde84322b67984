/** Parses a line whole: finds `jb` wherever it stands, or says why the line is no row. */

import { decode, type Latin1 } from './bytes.ts'
import { BadRow } from './errors.ts'
import { isObject, type JsonObject } from './record.ts'
import {
  COMMA,
  hasTooManyValues,
  type Member,
  MOST_VALUES,
  memberNamed,
  membersIn,
  OPEN,
  pastSpace,
  valueEnd,
} from './scan.ts'

const BOM = '\ufeff'

/** What is known of a line. */
export interface Parts {
  /** Where `jb` stands, with its key and one comma, and where its object begins; -1: there is none. */
  jbBegin: number
  jbAt: number
  jbEnd: number
  /** `jb`, and the user's part, where they were parsed. */
  jb?: Record<string, unknown> | undefined
  user?: JsonObject | undefined
}

/** Begin and end of a value's JSON text. */
export type Span = [from: number, to: number]

/** Stands for a member of `jb` that is parsed only where it is asked for, and may not be JSON. */
export class Unread {
  readonly span: Span
  constructor(span: Span) {
    this.span = span
  }
}

/** Stands for the request while the rest is parsed. */
const SKIPPED = '(skipped)'
const REQUEST = '"request":'

/** The object in [at, end), a row's `jb`; undefined if it is not valid, or holds too much. */
export function parsedJb(bytes: Buffer, at: number, end: number): Record<string, unknown> | undefined {
  if (bytes[at] !== OPEN || hasTooManyValues(bytes, at, end)) return undefined
  try {
    return withoutRequest(bytes, at, end) ?? objectIn(bytes.utf8Slice(at, end))
  } catch {
    return undefined
  }
}

const objectIn = (text: string) => JSON.parse(text) as Record<string, unknown>

/** The same with its request unread: most of a row is its prompt. @throws SyntaxError */
function withoutRequest(bytes: Buffer, at: number, end: number): Record<string, unknown> | undefined {
  const key = bytes.subarray(at, end).indexOf(REQUEST)
  const from = pastSpace(bytes, at + key + REQUEST.length)
  const to = key < 0 || bytes[from] !== OPEN ? -1 : valueEnd(bytes, from, end)
  if (to < 0) return undefined
  const jb = objectIn(`${bytes.utf8Slice(at, from)}"${SKIPPED}"${bytes.utf8Slice(to, end)}`)
  // Else the key was one of an inner object.
  if (jb.request !== SKIPPED) return undefined
  jb.request = new Unread([from, to])
  return jb
}

/** The members of such an object of which some are not JSON. */
export function unreadJb(bytes: Buffer, at: number, end: number): Record<string, unknown> {
  const members: Member[] = []
  membersIn(bytes, at, end, members)
  return Object.fromEntries(
    members.map(({ name, from, to }) => [
      decode(name as Latin1),
      bytes.latin1Slice(from, to) === 'null' ? null : new Unread([from, to]),
    ]),
  )
}

/**
 * The parts of the line in [begin, end).
 * @throws BadRow if the line is not a JSON object, or has two keys `jb` or one that holds no object
 * @internal
 */
export function wholeRow(bytes: Buffer, begin: number, end: number): Parts {
  if (hasTooManyValues(bytes, begin, end))
    throw new BadRow(`too much in one row: it may hold ${MOST_VALUES} values`)
  let value: unknown
  try {
    value = JSON.parse(bytes.utf8Slice(begin, end))
  } catch {
    throw badJson(bytes.utf8Slice(begin, end), end - begin)
  }
  if (!isObject(value)) {
    const what = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`
    const hint = Array.isArray(value) ? ' (jb-read json makes rows of an array)' : ''
    throw new BadRow(`a row must be a JSON object, this is ${what}${hint}`)
  }
  if (!Object.hasOwn(value, 'jb')) return { jbBegin: -1, jbAt: -1, jbEnd: -1, user: value }
  const place = jbPlace(bytes, begin, end)
  const { jb, ...user } = value
  return { ...place, jb: jb as Record<string, unknown>, user }
}

/** Where the member `jb` of an object stands. @throws BadRow */
function jbPlace(bytes: Buffer, begin: number, end: number): Parts {
  const members: Member[] = []
  membersIn(bytes, pastSpace(bytes, begin), end, members)
  const i = members.findIndex(({ name }) => name === 'jb')
  const { at, from: jbAt, to } = members[i]!
  if (memberNamed(members, 'jb') !== members[i]) throw new BadRow('two keys "jb" in one row')
  if (bytes[jbAt] !== OPEN)
    throw new BadRow('the key "jb" is reserved and must hold an object: rename the field')
  if (i > 0) return { jbBegin: bytes.lastIndexOf(COMMA, at), jbAt, jbEnd: to }
  return { jbBegin: at, jbAt, jbEnd: members[1]?.at ?? to }
}

/** What a message says of a line that ends too early. */
export const cutShort = (bytes: number) => `not valid JSON: cut short after ${bytes} bytes`

/** Why a line does not parse, and what to do about it where that is known. */
function badJson(line: string, bytes: number): BadRow {
  const text = line.slice(0, 80).trim()
  const reason = whyNot(line)
    .replace(/, (?:\.\.\.)?"[\s\S]*$/, '')
    .replace(/ in JSON(?= at|$)/, '')
    // Node 22 and later.
    .replace(/ \(line \d+ column \d+\)$/, '')
    // Bun.
    .replace(/^JSON Parse error: /, '')
  if (/^Unexpected end|^Unterminated|^Expected .* end/i.test(reason) || atEnd(reason, line))
    return new BadRow(
      text === '{' || text === '['
        ? 'not valid JSON: a row must stand on one line (for pretty-printed JSON: jq -c .)'
        : cutShort(bytes),
    )
  if (reason.includes(BOM))
    return new BadRow('not valid JSON: a byte order mark, with which only the first line may begin')
  const number = /token '?[NI]/.test(reason) && /[:,[]\s*(NaN|Infinity)\b/.exec(line)?.[1]
  const why = number
    ? `${number} is no number of JSON (null?)`
    : `${reason[0]?.toLowerCase()}${reason.slice(1)}`
  return new BadRow(`not valid JSON: ${why}`)
}

function whyNot(line: string): string {
  try {
    JSON.parse(line)
    return 'Unexpected token'
  } catch (error) {
    return (error as Error).message
  }
}

const atEnd = (reason: string, line: string) => Number(/position (\d+)/.exec(reason)?.[1]) >= line.length
