/** One line that is a row: its bytes, and where `jb` and the members of the user's object stand in them. */
import type { Latin1 } from './bytes.ts'
import { BadRow, type JbPlace, NO_JB, wholeRow } from './check.ts'
import { elements, keyIn, MEMBER, memberAt, membersIn, OPEN, pastSpace } from './scan.ts'
import { isIndex } from './value_at.ts'

/** The bytes of some lines, until the next read overwrites them. */
export interface Held {
  bytes: Buffer | undefined
}

/** Places of a line's values are found on demand. Rows that were made of one another share a line. */
export class Line {
  readonly begin: number
  readonly end: number
  readonly jb: JbPlace
  private readonly held: Held
  private inJb: number[] | undefined
  private inUser: number[] | undefined

  constructor(held: Held, begin: number, end: number, jb: JbPlace, inJb?: number[]) {
    this.held = held
    this.begin = begin
    this.end = end
    this.jb = jb
    this.inJb = inJb
  }

  /** A line of bytes of its own. @param text without a line end. @throws BadRow */
  static read(text: Latin1): Line {
    const bytes = Buffer.from(text, 'latin1')
    return new Line({ bytes }, 0, bytes.length, wholeRow(bytes, 0, bytes.length))
  }

  /** JSON that was made here, without `jb`. */
  static made(json: string): Line {
    const bytes = Buffer.from(json)
    return new Line({ bytes }, 0, bytes.length, NO_JB)
  }

  /** The same line, the members of its `jb` left out. */
  withEmptyJb(): Line {
    return new Line(this.held, this.begin, this.end, this.jb, [])
  }

  /** The user's part alone, in bytes of its own. */
  user(): Line {
    const bytes = Buffer.concat(this.userRanges.map(([from, to]) => this.bytes.subarray(from, to)))
    return new Line({ bytes }, 0, bytes.length, NO_JB)
  }

  /** @throws Error if they were overwritten */
  get bytes(): Buffer {
    const { bytes } = this.held
    if (bytes === undefined) throw new Error('a row was kept longer than its batch')
    return bytes
  }

  /** Begin and end of the parts before and after `jb`, which make the user's object. */
  get userRanges(): [from: number, to: number][] {
    const { begin, end, jb } = this
    return jb.at < 0
      ? [[begin, end]]
      : [
          [begin, jb.begin],
          [jb.end, end],
        ]
  }

  /** Places of the members of `jb` (see scan.ts). */
  get jbMembers(): readonly number[] {
    if (this.inJb) return this.inJb
    const found: number[] = []
    if (this.jb.at >= 0) membersIn(this.bytes, this.jb.at, this.end, found)
    this.inJb = found
    return found
  }

  /** Index in {@link jbMembers} of a key, the last of duplicates; -1 if there is none. */
  jbMember(key: string): number {
    return memberAt(this.bytes, this.jbMembers, key)
  }

  /** The key of a member whose places begin at `i`, as Latin-1 with its escapes decoded. */
  keyOf(places: readonly number[], i: number): string {
    return keyIn(this.bytes, places[i]! + 1, places[i + 1]! - 1)
  }

  /** Places of the user's members. @throws BadRow if the user's part turns out not to be valid JSON */
  get userMembers(): readonly number[] {
    if (this.inUser) return this.inUser
    const { bytes, begin, end, jb } = this
    let found: number[] = []
    const after = membersIn(bytes, pastSpace(bytes, begin), end, found)
    if (after < 0 || pastSpace(bytes, after) < end) {
      // The part before `jb` was not read until now.
      wholeRow(bytes, begin, end)
      throw new BadRow('not valid JSON')
    }
    if (jb.at >= 0) found = found.filter((_, i) => found[i - (i % MEMBER) + 2] !== jb.at)
    this.inUser = found
    return found
  }

  /** Begin and end of a user's value by key or, where no key is the whole path, by dotted path. @param path as Latin-1. @throws BadRow */
  userPlace(path: string): [from: number, to: number] | undefined {
    return placeIn(this.bytes, this.userMembers, this.end, path)
  }
}

type Place = [from: number, to: number] | undefined

/** With valueAt's meaning: a key with dots in it wins, a whole number is an index of a list. */
function placeIn(bytes: Buffer, places: readonly number[], end: number, path: string): Place {
  const whole = memberAt(bytes, places, path)
  if (whole >= 0) return [places[whole + 2]!, places[whole + 3]!]
  const dot = path.indexOf('.')
  const first = dot < 0 ? -1 : memberAt(bytes, places, path.slice(0, dot))
  return first < 0 ? undefined : placeAt(bytes, places[first + 2]!, end, path.slice(dot + 1))
}

function placeAt(bytes: Buffer, at: number, end: number, path: string): Place {
  const list = elements(bytes, at, end)
  if (!list) {
    const places: number[] = []
    return bytes[at] === OPEN && membersIn(bytes, at, end, places) > 0
      ? placeIn(bytes, places, end, path)
      : undefined
  }
  const dot = path.indexOf('.')
  const index = dot < 0 ? path : path.slice(0, dot)
  if (!isIndex(index)) return undefined
  const i = 2 * (Number(index) < 0 ? list.length / 2 + Number(index) : Number(index))
  const [from, to] = [list[i], list[i + 1]]
  if (from === undefined || to === undefined) return undefined
  return dot < 0 ? [from, to] : placeAt(bytes, from, end, path.slice(dot + 1))
}

/** Keys and JSON texts of the members of an object; undefined if the text is none. */
export function membersOf(text: Latin1): [key: string, text: Latin1][] | undefined {
  const bytes = Buffer.from(text, 'latin1')
  const places: number[] = []
  if (bytes[0] !== OPEN || membersIn(bytes, 0, bytes.length, places) < 0) return undefined
  return Array.from({ length: places.length / MEMBER }, (_, i) => [
    keyIn(bytes, places[MEMBER * i]! + 1, places[MEMBER * i + 1]! - 1),
    bytes.latin1Slice(places[MEMBER * i + 2]!, places[MEMBER * i + 3]!),
  ])
}
