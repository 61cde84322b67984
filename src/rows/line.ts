/** One line that is a row: its bytes, where `jb` stands in them, and what was parsed of them. */
import type { Latin1 } from './bytes.ts'
import { type Parts, type Span, Unread, wholeRow } from './check.ts'
import { BadRow } from './errors.ts'
import type { JsonObject } from './record.ts'
import { elements, type Member, memberNamed, membersIn, OPEN, pastSpace } from './scan.ts'
import { isIndex } from './value_at.ts'

/** The bytes of some lines; undefined when the next read has overwritten them. @internal */
export interface Held {
  bytes: Buffer | undefined
}

const NO_JB: Parts = { jbBegin: -1, jbAt: -1, jbEnd: -1 }
const EMPTY: Record<string, unknown> = Object.freeze({})

/** Rows that were made of one another share a line. @internal */
export class Line {
  readonly begin: number
  readonly end: number
  /** What it has in `jb` is left out. */
  readonly bare: boolean
  private readonly held: Held
  private readonly parts: Parts
  private inJb: Member[] | undefined = undefined
  private inUser: Member[] | undefined = undefined

  constructor(held: Held, begin: number, end: number, parts: Parts, bare = false) {
    this.held = held
    this.begin = begin
    this.end = end
    this.parts = parts
    this.bare = bare
  }

  /** A line of bytes of its own. @param text without a line end. @throws BadRow */
  static read(text: Latin1): Line {
    const bytes = Buffer.from(text, 'latin1')
    return new Line({ bytes }, 0, bytes.length, wholeRow(bytes, 0, bytes.length))
  }

  /** JSON that was made here, without `jb`. */
  static made(bytes: Buffer): Line {
    return new Line({ bytes }, 0, bytes.length, { ...NO_JB })
  }

  /** The same line, the members of its `jb` left out. */
  withEmptyJb(): Line {
    return new Line(this.held, this.begin, this.end, this.parts, true)
  }

  /** The same line, its user's object parsed in another way. */
  withItem(user: JsonObject): Line {
    return new Line(this.held, this.begin, this.end, { ...this.parts, user }, this.bare)
  }

  /** The user's part alone, in bytes of its own. */
  user(): Line {
    return Line.made(Buffer.concat(this.userRanges.map(([from, to]) => this.bytes.subarray(from, to))))
  }

  /** @throws Error if they were overwritten */
  get bytes(): Buffer {
    const { bytes } = this.held
    if (bytes === undefined) throw new Error('a row was kept longer than its batch')
    return bytes
  }

  /** The index after `jb`; -1: there is none. */
  get jbEnd(): number {
    return this.parts.jbEnd
  }

  /** Begin and end of the parts before and after `jb`, which make the user's object. */
  get userRanges(): Span[] {
    const { begin, end } = this
    const { jbBegin, jbEnd } = this.parts
    if (jbEnd < 0) return [[begin, end]]
    return [
      [begin, jbBegin],
      [jbEnd, end],
    ]
  }

  /** `jb`, parsed, some members {@link Unread}. */
  get jb(): Record<string, unknown> {
    return (this.bare ? undefined : this.parts.jb) ?? EMPTY
  }

  /** A member of it, parsed; undefined if it is missing or null (jq writes null for a missing key). @throws SyntaxError */
  member(key: string): unknown {
    const { jb } = this
    const value = Object.hasOwn(jb, key) ? jb[key] : undefined
    if (value instanceof Unread) jb[key] = JSON.parse(this.bytes.utf8Slice(...value.span))
    return (value instanceof Unread ? jb[key] : value) ?? undefined
  }

  /** The place of a member. */
  place(key: string): Span | undefined {
    const value = this.jb[key]
    if (value instanceof Unread) return value.span
    const member = memberNamed(this.jbMembers, key)
    return member && [member.from, member.to]
  }

  /** The user's object, if it was parsed. */
  get known(): JsonObject | undefined {
    return this.parts.user
  }

  /** The user's object, parsed. @throws SyntaxError if it is not valid JSON */
  get item(): JsonObject {
    const { parts } = this
    parts.user ??= JSON.parse(this.userText()) as JsonObject
    return parts.user
  }

  /** JSON text of the user's object as it was read, without `jb`. */
  userText(): string {
    const { bytes, userRanges } = this
    return userRanges.map(([from, to]) => bytes.utf8Slice(from, to)).join('')
  }

  /** The members of `jb` as they stand. */
  get jbMembers(): readonly Member[] {
    if (this.inJb) return this.inJb
    const found: Member[] = []
    const { jbAt } = this.parts
    if (jbAt >= 0 && !this.bare) membersIn(this.bytes, jbAt, this.end, found)
    this.inJb = found
    return found
  }

  /** The user's members as they stand. @throws BadRow if the user's part turns out not to be valid JSON */
  get userMembers(): readonly Member[] {
    if (this.inUser) return this.inUser
    const { bytes, begin, end } = this
    const { jbAt: jb } = this.parts
    let found: Member[] = []
    const after = membersIn(bytes, pastSpace(bytes, begin), end, found)
    if (after < 0 || pastSpace(bytes, after) < end) {
      // The part before `jb` was not read until now.
      wholeRow(bytes, begin, end)
      throw new BadRow('not valid JSON')
    }
    if (jb >= 0) found = found.filter(({ from }) => from !== jb)
    this.inUser = found
    return found
  }

  /** Begin and end of a user's value by key or, where no key is the whole path, by dotted path. @param path as Latin-1. @throws BadRow */
  userPlace(path: string): Span | undefined {
    return placeIn(this.bytes, this.userMembers, this.end, path)
  }
}

/** With valueAt's meaning: a key with dots in it wins, a whole number is an index of a list. */
function placeIn(bytes: Buffer, members: readonly Member[], end: number, path: string): Span | undefined {
  const whole = memberNamed(members, path)
  if (whole) return [whole.from, whole.to]
  const dot = path.indexOf('.')
  const first = dot < 0 ? undefined : memberNamed(members, path.slice(0, dot))
  return first && placeAt(bytes, first.from, end, path.slice(dot + 1))
}

function placeAt(bytes: Buffer, at: number, end: number, path: string): Span | undefined {
  const list = elements(bytes, at, end)
  if (!list) {
    const members: Member[] = []
    return bytes[at] === OPEN && membersIn(bytes, at, end, members) > 0
      ? placeIn(bytes, members, end, path)
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
  return membersAt(bytes, 0, bytes.length)
}

/** The same of an object in a line. */
export function membersAt(bytes: Buffer, at: number, end: number): [key: string, text: Latin1][] | undefined {
  const members: Member[] = []
  if (bytes[at] !== OPEN || membersIn(bytes, at, end, members) < 0) return undefined
  return members.map(({ name, from, to }) => [name, bytes.latin1Slice(from, to)])
}
