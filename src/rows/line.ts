/** One line that is a row: its bytes, and where `jb` and the members of the user's object stand in them. */
import type { Latin1 } from './bytes.ts'
import { BadRow, wholeRow } from './check.ts'
import { Plan, scan } from './plan.ts'
import { elements, keyIn, MEMBER, memberAt, membersIn, OPEN, pastSpace } from './scan.ts'
import { SHAPED } from './shapes.ts'
import { isIndex } from './value_at.ts'

/** Members of `jb` that are found in one scan, and those of its objects that are read alone. */
const KEYS = [...SHAPED, 'variant', 'probe']
const INNER: Record<string, readonly string[]> = {
  reply: ['text', 'finish_reason', 'model', 'served_model', 'ms', 'fingerprint', 'parameters'],
  result: ['model'],
}
const JB = new Plan(
  ...KEYS,
  ...Object.entries(INNER).flatMap(([key, all]) => all.map((one) => `${key}.${one}`)),
)
const SLOTS = new Map(KEYS.map((key) => [key, JB.slot(key)]))
const INNER_SLOTS = new Map(
  Object.entries(INNER).map(([key, all]) => [
    key,
    new Map(all.map((one) => [one, JB.slot(`${key}.${one}`)])),
  ]),
)

/** Indices of a line's numbers: where it begins and ends, `jb` with its key and a comma, and jb's object; then its places. */
const BEGIN = 0
const END = 1
const JB_BEGIN = 2
const JB_END = 3
const JB_AT = 4
const PLACES = 5
const SIZE = PLACES + JB.at.length

/** The bytes of some lines and the places of their values, until the next read overwrites them. @internal */
export class Held {
  bytes: Buffer | undefined
  places: Int32Array
  /** Index of the numbers of the next line. */
  private next = 0

  constructor(bytes: Buffer, places: Int32Array = new Int32Array(SIZE)) {
    this.bytes = bytes
    this.places = places
  }

  /** Scans the `jb` of the next line. @returns the index after it, as {@link scan} */
  scan(at: number, end: number): number {
    this.reserve()
    return scan(this.bytes!, at, end, JB, this.places, this.next + PLACES)
  }

  private reserve(): void {
    if (this.next + SIZE <= this.places.length) return
    const larger = new Int32Array(2 * (this.next + SIZE))
    larger.set(this.places)
    this.places = larger
  }

  /** Adds a line, whose `jb` was scanned. @param jbAt -1: it has none */
  add(begin: number, end: number, jbBegin: number, jbEnd: number, jbAt: number): Line {
    this.reserve()
    const { places, next: at } = this
    this.next += SIZE
    places[at + BEGIN] = begin
    places[at + END] = end
    places[at + JB_BEGIN] = jbBegin
    places[at + JB_END] = jbEnd
    places[at + JB_AT] = jbAt
    if (jbAt < 0) places.fill(-1, at + PLACES, at + SIZE)
    return new Line(this, at)
  }
}

/** Begin and end of a value's JSON text. */
export type Span = [from: number, to: number]

/** Rows that were made of one another share a line. @internal */
export class Line {
  private readonly held: Held
  /** Index of its numbers. */
  private readonly at: number
  /** What it has in `jb` is left out. */
  readonly bare: boolean
  private inJb: number[] | undefined
  private inUser: number[] | undefined

  constructor(held: Held, at: number, bare = false) {
    this.held = held
    this.at = at
    this.bare = bare
  }

  /** A line of bytes of its own. @param text without a line end. @throws BadRow */
  static read(text: Latin1): Line {
    const bytes = Buffer.from(text, 'latin1')
    const { begin, end, at } = wholeRow(bytes, 0, bytes.length)
    const held = new Held(bytes)
    if (at >= 0) held.scan(at, bytes.length)
    return held.add(0, bytes.length, begin, end, at)
  }

  /** JSON that was made here, without `jb`. */
  static made(bytes: Buffer): Line {
    return new Held(bytes).add(0, bytes.length, -1, -1, -1)
  }

  /** The same line, the members of its `jb` left out. */
  withEmptyJb(): Line {
    return new Line(this.held, this.at, true)
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

  get begin(): number {
    return this.held.places[this.at + BEGIN]!
  }
  get end(): number {
    return this.held.places[this.at + END]!
  }
  /** The index after `jb`; -1: there is none. */
  get jbEnd(): number {
    return this.held.places[this.at + JB_END]!
  }

  /** Begin and end of the parts before and after `jb`, which make the user's object. */
  get userRanges(): Span[] {
    const { begin, end, jbEnd } = this
    const jbBegin = this.held.places[this.at + JB_BEGIN]!
    if (jbEnd < 0) return [[begin, end]]
    return [
      [begin, jbBegin],
      [jbEnd, end],
    ]
  }

  /** The place of a member of `jb`. */
  place(key: string): Span | undefined {
    const slot = SLOTS.get(key)
    if (slot !== undefined) return this.placeOf(slot)
    const i = memberAt(this.bytes, this.jbMembers, key)
    return i < 0 ? undefined : [this.jbMembers[i + 2]!, this.jbMembers[i + 3]!]
  }

  /** The place of a member of an object in `jb`; null: it is not known without parsing that. */
  innerPlace(key: string, inner: string): Span | null | undefined {
    const slot = INNER_SLOTS.get(key)?.get(inner)
    const whole = this.place(key)
    if (!whole) return undefined
    if (slot === undefined || this.bytes[whole[0]] !== OPEN) return null
    return this.placeOf(slot)
  }

  private placeOf(slot: number): Span | undefined {
    const { places } = this.held
    const at = this.at + PLACES + 2 * slot
    return places[at]! < 0 || this.bare ? undefined : [places[at]!, places[at + 1]!]
  }

  /** Places of all members of `jb` (see scan.ts). */
  get jbMembers(): readonly number[] {
    if (this.inJb) return this.inJb
    const found: number[] = []
    const at = this.held.places[this.at + JB_AT]!
    if (at >= 0 && !this.bare) membersIn(this.bytes, at, this.end, found)
    this.inJb = found
    return found
  }

  /** The key of a member whose places begin at `i`, as Latin-1 with its escapes decoded. */
  keyOf(places: readonly number[], i: number): string {
    return keyIn(this.bytes, places[i]! + 1, places[i + 1]! - 1)
  }

  /** Places of the user's members. @throws BadRow if the user's part turns out not to be valid JSON */
  get userMembers(): readonly number[] {
    if (this.inUser) return this.inUser
    const { bytes, begin, end } = this
    const jb = this.held.places[this.at + JB_AT]!
    let found: number[] = []
    const after = membersIn(bytes, pastSpace(bytes, begin), end, found)
    if (after < 0 || pastSpace(bytes, after) < end) {
      // The part before `jb` was not read until now.
      wholeRow(bytes, begin, end)
      throw new BadRow('not valid JSON')
    }
    if (jb >= 0) found = found.filter((_, i) => found[i - (i % MEMBER) + 2] !== jb)
    this.inUser = found
    return found
  }

  /** Begin and end of a user's value by key or, where no key is the whole path, by dotted path. @param path as Latin-1. @throws BadRow */
  userPlace(path: string): Span | undefined {
    return placeIn(this.bytes, this.userMembers, this.end, path)
  }
}

/** With valueAt's meaning: a key with dots in it wins, a whole number is an index of a list. */
function placeIn(bytes: Buffer, places: readonly number[], end: number, path: string): Span | undefined {
  const whole = memberAt(bytes, places, path)
  if (whole >= 0) return [places[whole + 2]!, places[whole + 3]!]
  const dot = path.indexOf('.')
  const first = dot < 0 ? -1 : memberAt(bytes, places, path.slice(0, dot))
  return first < 0 ? undefined : placeAt(bytes, places[first + 2]!, end, path.slice(dot + 1))
}

function placeAt(bytes: Buffer, at: number, end: number, path: string): Span | undefined {
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
  return membersAt(bytes, 0, bytes.length)
}

/** The same of an object in a line. */
export function membersAt(bytes: Buffer, at: number, end: number): [key: string, text: Latin1][] | undefined {
  const places: number[] = []
  if (bytes[at] !== OPEN || membersIn(bytes, at, end, places) < 0) return undefined
  return Array.from({ length: places.length / MEMBER }, (_, i) => [
    keyIn(bytes, places[MEMBER * i]! + 1, places[MEMBER * i + 1]! - 1),
    bytes.latin1Slice(places[MEMBER * i + 2]!, places[MEMBER * i + 3]!),
  ])
}
