/** One line: where in it the user's members stand and where those of `jb`; and what keeps it from being a row. */
import { Common, type Commons } from './common.ts'
import { JB_MEMBER, MEMBER, RECORD, STATE } from './measure.ts'
import { keyText, lastIndexOf, Members, QUOTE, stringEnd } from './scan.ts'

/** A line that is not a row. `message` says why in words for a person. */
export class BadRow extends Error {}

/** Names of members as they stand between their quotes, a character a byte; decoded where they have escapes. */
type Keys = readonly string[]
const NONE: Keys = []

/** Create with {@link Line.measured}, {@link Line.read} or {@link Line.made}. */
export class Line {
  /** What the line was cut from, a character a byte: that is searched faster than a slice. */
  readonly text: string
  /** Keys of the user's members, found when they are asked for where the line was made here. */
  private userKeys: Keys | undefined
  private readonly jbKeys: Keys
  private table: Int32Array
  /** Where in the table the record begins. */
  private readonly at: number
  private readonly commons: Commons | undefined

  private constructor(
    text: string,
    users: Keys | undefined,
    jbs: Keys,
    table: Int32Array,
    at: number,
    commons?: Commons,
  ) {
    this.text = text
    this.userKeys = users
    this.jbKeys = jbs
    this.table = table
    this.at = at
    this.commons = commons
  }

  /** A line that is known to be a row, with its record. */
  static measured(text: string, table: Int32Array, at: number, commons: Commons): Line {
    const state = table[at + RECORD.state]!
    const users = table[at + RECORD.users]!
    const jbs = table[at + RECORD.jbs]!
    const first = at + RECORD.members
    if (users > 0 && !(state & STATE.sameUsers))
      usersBefore = keysOf(text, table, first, MEMBER, users, usersBefore)
    if (jbs > 0 && !(state & STATE.sameJb))
      jbsBefore = keysOf(text, table, first + MEMBER * users, JB_MEMBER, jbs, jbsBefore)
    return new Line(text, users > 0 ? usersBefore : NONE, jbs > 0 ? jbsBefore : NONE, table, at, commons)
  }

  /** A line of its own, checked whole. @throws BadRow with the reason */
  static read(text: string): Line {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (error) {
      throw badJson(text, error)
    }
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      const what = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`
      const hint = Array.isArray(value) ? ' (jb-read json makes rows of an array)' : ''
      throw new BadRow(`a row must be a JSON object, this is ${what}${hint}`)
    }
    const { users, jb } = search(text)
    return new Line(text, users.keys, jb?.keys ?? NONE, recordOf(text, users, jb), 0)
  }

  /** A line made here: an object without a `jb` of the toolkit. */
  static made(text: string): Line {
    return new Line(text, undefined, NONE, recordOf(text), 0)
  }

  /** The same line, with nothing in its `jb`. */
  withEmptyJb(): Line {
    return new Line(this.text, this.userKeys, NONE, this.table, this.at)
  }

  get begin(): number {
    return this.table[this.at + RECORD.begin]!
  }
  get end(): number {
    return this.table[this.at + RECORD.end]!
  }
  /** Where the part begins that holds `jb` with its key and one comma; -1: no `jb`. */
  get jbBegin(): number {
    return this.table[this.at + RECORD.jbFrom]!
  }
  get jbEnd(): number {
    return this.table[this.at + RECORD.jbTo]!
  }

  /** The line as it came. */
  get raw(): string {
    return this.text.slice(this.begin, this.end)
  }

  /** The line without its `jb`: the user's part. */
  get user(): string {
    const { text, jbBegin } = this
    return jbBegin < 0 ? this.raw : text.slice(this.begin, jbBegin) + text.slice(this.jbEnd, this.end)
  }

  /** JSON text of a member of the user's, a character a byte; of a key that stands twice, the last. */
  userText(key: string): string | undefined {
    if (this.userKeys === undefined) this.searchUsers()
    const i = lastIndexOf(this.userKeys!, key)
    if (i < 0) return undefined
    const place = this.at + RECORD.members + MEMBER * i
    return this.text.slice(this.table[place + 1], this.table[place + 2])
  }

  private searchUsers(): void {
    const { text } = this
    const users = new Members()
    users.scan(text, text.indexOf('{'))
    this.userKeys = users.keys
    this.table = recordOf(text, users)
  }

  /** How many members `jb` has. */
  get size(): number {
    return this.jbKeys.length
  }
  key(i: number): string {
    return this.jbKeys[i]!
  }
  /** Index of a member of `jb`; of a key that stands twice, the last; -1. */
  indexOf(key: string): number {
    return lastIndexOf(this.jbKeys, key)
  }
  /** Where the quote of the key of a member of `jb` stands, where its value begins and where it ends. */
  keyAt(i: number): number {
    return this.table[this.place(i)]!
  }
  from(i: number): number {
    return this.table[this.place(i) + 1]!
  }
  to(i: number): number {
    return this.table[this.place(i) + 2]!
  }
  /** JSON text of a member of `jb`, a character a byte. */
  jbText(i: number): string {
    const place = this.place(i)
    return this.text.slice(this.table[place + 1], this.table[place + 2])
  }

  private place(i: number): number {
    const { table, at } = this
    return at + RECORD.members + MEMBER * table[at + RECORD.users]! + JB_MEMBER * i
  }

  /**
   * JSON text of a member of an object in `jb`, a character a byte. Null: the object has no such member; undefined:
   * it is short, or was not measured.
   */
  partText(i: number, key: string): string | null | undefined {
    const { text, table } = this
    const list = this.list(i)
    if (list < 0) return undefined
    // Of a key that stands twice, the last.
    for (let at = list + 1 + MEMBER * (table[list]! - 1); at > list; at -= MEMBER) {
      const from = table[at]! + 1
      if (text.startsWith(key, from) && text.charCodeAt(from + key.length) === QUOTE)
        return text.slice(table[at + 1], table[at + 2])
    }
    return null
  }

  /** Names and JSON texts of all members of an object in `jb`, a character a byte; undefined as above. */
  parts(i: number): [key: string, text: string][] | undefined {
    const { text, table } = this
    const list = this.list(i)
    if (list < 0) return undefined
    const found: [string, string][] = []
    for (let at = list + 1; found.length < table[list]!; at += MEMBER) {
      const start = table[at]! + 1
      const key = keyText(text, start, stringEnd(text, start) - 1)
      found.push([key, text.slice(table[at + 1], table[at + 2])])
    }
    return found
  }

  /** Where in the table the list of a long object's members begins; -1. */
  private list(i: number): number {
    const behind = this.table[this.place(i) + 3]!
    return behind === 0 ? -1 : this.place(this.size) + behind - 1
  }

  /** Which member of `jb` is the item, if that is short; -1. */
  get item(): number {
    return this.table[this.at + RECORD.item]!
  }

  /** What `jb` has in common with that of other lines: all but the item. */
  get common(): Common | undefined {
    const { commons } = this
    const number = this.table[this.at + RECORD.common]!
    return number < 0 || !commons ? undefined : (commons[number] ??= new Common())
  }
}

/** Mostly a line has the keys of the one before it. */
let usersBefore: Keys = NONE
let jbsBefore: Keys = NONE

function keysOf(
  text: string,
  table: Int32Array,
  first: number,
  step: number,
  count: number,
  before: Keys,
): Keys {
  const keys: string[] = []
  let same = before.length === count
  for (let i = 0; i < count; i++) {
    const start = table[first + step * i]! + 1
    const key = keyText(text, start, stringEnd(text, start) - 1)
    if (same && key !== before[i]) same = false
    keys.push(key)
  }
  return same ? before : keys
}

/** Members that were searched: three places for each, and maybe more. */
interface Searched {
  keys: Keys
  bounds: readonly number[]
}

/** Those of `jb`, and where it stands with its key and one comma. */
interface Jb extends Searched {
  begin: number
  end: number
}

const NOTHING: Searched = { keys: NONE, bounds: [] }

/** A record as that of a line that was measured. */
function recordOf(text: string, users = NOTHING, jb?: Jb): Int32Array {
  const jbs = jb?.keys.length ?? 0
  const first = RECORD.members + MEMBER * users.keys.length
  const record = new Int32Array(first + JB_MEMBER * jbs)
  record[RECORD.end] = text.length
  record[RECORD.users] = users.keys.length
  record[RECORD.jbs] = jbs
  record[RECORD.jbFrom] = jb?.begin ?? -1
  record[RECORD.jbTo] = jb?.end ?? -1
  record[RECORD.item] = -1
  record[RECORD.common] = -1
  for (let i = 0; i < MEMBER * users.keys.length; i++) record[RECORD.members + i] = users.bounds[i]!
  for (let i = 0; i < jbs; i++)
    for (let k = 0; k < MEMBER; k++) record[first + JB_MEMBER * i + k] = jb!.bounds[MEMBER * i + k]!
  return record
}

/** The members of a line that is a JSON object. @throws BadRow where its key `jb` is not the toolkit's to use */
function search(text: string): { users: Searched; jb?: Jb } {
  const all = new Members()
  all.scan(text, text.indexOf('{'))
  const index = all.keys.indexOf('jb')
  if (index < 0) return { users: all }
  if (all.indexOf('jb') !== index) throw new BadRow('two keys "jb" in one row')
  const { at, start, end } = all.member(index)
  const jb = new Members()
  if (!jb.scan(text, start))
    throw new BadRow('the key "jb" is reserved and must hold an object: rename the field')
  const place =
    index > 0
      ? { begin: text.lastIndexOf(',', at), end }
      : { begin: at, end: all.keys.length > 1 ? all.member(1).at : end }
  const users = {
    keys: all.keys.toSpliced(index, 1),
    bounds: all.bounds.toSpliced(MEMBER * index, MEMBER),
  }
  return { users, jb: { keys: jb.keys, bounds: jb.bounds, ...place } }
}

/** What is wrong with a line that does not parse, in words that say what to do where that is known. */
function badJson(line: string, error: unknown): BadRow {
  const text = line.slice(0, 80).trim()
  const reason = (error as Error).message
    .replace(/, (?:\.\.\.)?"[\s\S]*$/, '')
    .replace(/ in JSON(?= at|$)/, '')
  if (/^Unexpected end|^Unterminated|^Expected .* end/i.test(reason) || atEnd(reason, line))
    return new BadRow(
      text === '{' || text === '['
        ? 'not valid JSON: a row must stand on one line (for pretty-printed JSON: jq -c .)'
        : `not valid JSON: cut short after ${line.length} bytes`,
    )
  return new BadRow(`not valid JSON: ${reason[0]?.toLowerCase()}${reason.slice(1)}`)
}

const atEnd = (reason: string, line: string) => Number(/position (\d+)/.exec(reason)?.[1]) >= line.length
