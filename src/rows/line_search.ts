/** Scans a line in JavaScript, where WebAssembly did not: finds its members, or says why it is not a row. */

import { decode, type Latin1 } from './bytes.ts'
import { JB_MEMBER, MEMBER, RECORD } from './measure.ts'
import { hasTooManyValues, type Member, MOST_VALUES, scanObject } from './text_scan.ts'

const BOM = '\ufeff'

/** A line that is not a row. `message` says why. */
export class BadRow extends Error {}

/** Members of a line. `jb` begins and ends with its key and one comma. */
interface Searched {
  users: Member[]
  jb?: { begin: number; end: number; members: Member[] }
}

/** @throws BadRow if the line is not a JSON object, or has two keys `jb` or one that holds no object */
export function searchLine(text: Latin1): Searched {
  if (hasTooManyValues(text)) throw new BadRow(`too much in one row: it may hold ${MOST_VALUES} values`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badJson(text)
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    const what = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`
    const hint = Array.isArray(value) ? ' (jb-read json makes rows of an array)' : ''
    throw new BadRow(`a row must be a JSON object, this is ${what}${hint}`)
  }
  const users = scanObject(text, text.indexOf('{'))!
  const index = users.findIndex(({ key }) => key === 'jb')
  if (index < 0) return { users }
  if (users.findLastIndex(({ key }) => key === 'jb') !== index) throw new BadRow('two keys "jb" in one row')
  const [{ at, start, end }] = users.splice(index, 1) as [Member]
  const members = scanObject(text, start)
  if (!members) throw new BadRow('the key "jb" is reserved and must hold an object: rename the field')
  if (index > 0) return { users, jb: { begin: text.lastIndexOf(',', at), end, members } }
  return { users, jb: { begin: at, end: users[0]?.at ?? end, members } }
}

/** The record that measuring the line would give (see RECORD). */
export function recordOf(text: string, { users, jb }: Searched): Int32Array {
  const jbs = jb?.members ?? []
  const first = RECORD.members + MEMBER * users.length
  const record = new Int32Array(first + JB_MEMBER * jbs.length)
  record[RECORD.end] = text.length
  record[RECORD.size] = record.length
  record[RECORD.users] = users.length
  record[RECORD.jbs] = jbs.length
  record[RECORD.jbFrom] = jb?.begin ?? -1
  record[RECORD.jbTo] = jb?.end ?? -1
  record[RECORD.item] = -1
  record[RECORD.shared] = -1
  for (const [i, { at, start, end }] of users.entries())
    record.set([at, start, end], RECORD.members + MEMBER * i)
  for (const [i, { at, start, end }] of jbs.entries()) record.set([at, start, end], first + JB_MEMBER * i)
  return record
}

/** What a message says of a line that ends too early. */
export const cutShort = (line: string) => `not valid JSON: cut short after ${line.length} bytes`

/** Why a line does not parse, and what to do about it where that is known. */
function badJson(line: Latin1): BadRow {
  const text = line.slice(0, 80).trim()
  const decoded = decode(line)
  const reason = whyNot(decoded)
    .replace(/, (?:\.\.\.)?"[\s\S]*$/, '')
    .replace(/ in JSON(?= at|$)/, '')
    // Node 22 and later.
    .replace(/ \(line \d+ column \d+\)$/, '')
  if (/^Unexpected end|^Unterminated|^Expected .* end/i.test(reason) || atEnd(reason, decoded))
    return new BadRow(
      text === '{' || text === '['
        ? 'not valid JSON: a row must stand on one line (for pretty-printed JSON: jq -c .)'
        : cutShort(line),
    )
  if (reason.includes(BOM))
    return new BadRow('not valid JSON: a byte order mark, with which only the first line may begin')
  const number = /token '?[NI]/.test(reason) && /[:,[]\s*(NaN|Infinity)\b/.exec(line)?.[1]
  const why = number
    ? `${number} is no number of JSON (null?)`
    : `${reason[0]?.toLowerCase()}${reason.slice(1)}`
  return new BadRow(`not valid JSON: ${why}`)
}

/** JSON.parse's message for the decoded text: that of the bytes could name half a character. */
function whyNot(text: string): string {
  try {
    JSON.parse(text)
    return 'Unexpected token'
  } catch (error) {
    return (error as Error).message
  }
}

const atEnd = (reason: string, line: string) => Number(/position (\d+)/.exec(reason)?.[1]) >= line.length
