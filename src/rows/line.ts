/** One line, with the positions of the user's members and of those of `jb`. */

import { Block } from './block.ts'
import type { Latin1, Sink } from './bytes.ts'
import { type Keys, keysOf } from './keys.ts'
import { recordOf, searchLine } from './line_search.ts'
import { JB_MEMBER, MEMBER, RECORD, STATE } from './measure.ts'
import { SharedJb, type SharedJbs } from './shared_jb.ts'
import { lastIndexOf, type Member, OPEN, QUOTE, scanObject } from './text_scan.ts'

const NONE: Keys = []
const names = (members: Member[]): Keys => members.map(({ key }) => key)

/** Bytes from which an object in `jb` counts as long: its members are found without parsing it. */
const LONG = 256

/** Create with {@link Line.measured}, {@link Line.read} or {@link Line.made}. */
export class Line {
  /** The text that contains the line. */
  readonly block: Block
  /** Keys of the user's members; a line of {@link Line.made} is scanned on demand. */
  private userKeys: Keys | undefined
  /** Keys of `jb`. Nearby lines with the same keys share one list (see keys.ts). */
  readonly jbKeys: Keys
  private table: Int32Array
  /** Index of the record in the table. */
  private at: number
  private readonly sharedJbs: SharedJbs | undefined

  private constructor(
    block: Block,
    users: Keys | undefined,
    jbs: Keys,
    table: Int32Array,
    at = 0,
    sharedJbs?: SharedJbs,
  ) {
    this.block = block
    this.userKeys = users
    this.jbKeys = jbs
    this.table = table
    this.at = at
    this.sharedJbs = sharedJbs
  }

  /** A line that was measured and is a row. @param at index of its record in the table */
  static measured(block: Block, table: Int32Array, at: number, sharedJbs: SharedJbs): Line {
    const state = table[at + RECORD.state]!
    const users = table[at + RECORD.users]!
    const jbs = table[at + RECORD.jbs]!
    const first = at + RECORD.members
    if (users > 0 && !(state & STATE.sameUsers))
      usersBefore = keysOf(block, table, first, MEMBER, users, usersBefore)
    if (jbs > 0 && !(state & STATE.sameJb))
      jbsBefore = keysOf(block, table, first + MEMBER * users, JB_MEMBER, jbs, jbsBefore)
    return new Line(block, users > 0 ? usersBefore : NONE, jbs > 0 ? jbsBefore : NONE, table, at, sharedJbs)
  }

  /** Checks and scans a whole line. @throws BadRow with the reason */
  static read(text: Latin1): Line {
    const found = searchLine(text)
    const jbs = names(found.jb?.members ?? [])
    return new Line(Block.of(text), names(found.users), jbs, recordOf(text, found))
  }

  /** The JSON text of an object that was made here and has no `jb`. */
  static made(text: Latin1): Line {
    return new Line(Block.of(text), undefined, NONE, recordOf(text, { users: [] }))
  }

  /** The same line with an empty `jb`. */
  withEmptyJb(): Line {
    return new Line(this.block, this.userKeys, NONE, this.table, this.at)
  }

  /** Copies what is overwritten after the batch, so that the line can be read later. */
  keep(): void {
    this.block.keep()
    this.table = this.table.slice(this.at, this.at + this.table[this.at + RECORD.size]!)
    this.at = 0
  }

  get begin(): number {
    return this.table[this.at + RECORD.begin]!
  }
  get end(): number {
    return this.table[this.at + RECORD.end]!
  }
  /** Where `jb` begins, including its key and one comma; -1: no `jb`. */
  get jbBegin(): number {
    return this.table[this.at + RECORD.jbFrom]!
  }
  get jbEnd(): number {
    return this.table[this.at + RECORD.jbTo]!
  }

  /** The line as it was read. */
  get raw(): Latin1 {
    return this.block.slice(this.begin, this.end)
  }

  /** The line without its `jb`: the user's part. */
  get user(): Latin1 {
    const { block, jbBegin } = this
    if (jbBegin < 0) return this.raw
    return (block.slice(this.begin, jbBegin) + block.slice(this.jbEnd, this.end)) as Latin1
  }

  write(out: Sink, from: number, to: number): void {
    this.block.write(out, from, to)
  }

  /** Members of `jb` with their keys, unchanged. */
  get jbMembers(): Latin1[] {
    return this.jbKeys.map((_, i) => this.block.slice(this.keyAt(i), this.to(i)))
  }

  /** JSON text of a user's member; of duplicate keys the last counts. */
  userText(key: string): Latin1 | undefined {
    const place = this.userPlace(key)
    return place < 0 ? undefined : this.block.slice(this.table[place + 1]!, this.table[place + 2]!)
  }

  /** Continues a hash with the JSON text of a user's member; an absent one changes it too. */
  hashUser(key: string, hash: number): number {
    const place = this.userPlace(key)
    if (place < 0) return Math.imul(hash ^ 1, 1597334677)
    const end = this.table[place + 2]!
    for (let j = this.table[place + 1]!; j < end; j++) hash = Math.imul(hash ^ this.block.at(j), 2654435761)
    return hash ^ (hash >>> 15)
  }

  /** Whether a user's member has this JSON text (Latin-1); for undefined, whether it is absent. */
  isUser(key: string, text: string | undefined): boolean {
    const place = this.userPlace(key)
    if (place < 0 || text === undefined) return place < 0 && text === undefined
    const from = this.table[place + 1]!
    if (this.table[place + 2]! - from !== text.length) return false
    for (let j = 0; j < text.length; j++) if (this.block.at(from + j) !== text.charCodeAt(j)) return false
    return true
  }

  /** Index in the table of a user's member; -1 if there is none. */
  private userPlace(key: string): number {
    if (this.userKeys === undefined) {
      const { text } = this.block
      const users = scanObject(text, text.indexOf('{'))!
      this.userKeys = names(users)
      this.table = recordOf(text, { users })
    }
    const i = lastIndexOf(this.userKeys, key)
    return i < 0 ? -1 : this.at + RECORD.members + MEMBER * i
  }

  /** The number of members of `jb`. */
  get size(): number {
    return this.jbKeys.length
  }
  key(i: number): string {
    return this.jbKeys[i]!
  }
  /** Index of a member of `jb`, the last of duplicate keys; -1 if there is none. */
  indexOf(key: string): number {
    return lastIndexOf(this.jbKeys, key)
  }
  /** Offsets of a member of `jb`: its key's opening quote, the begin and the end of its value. */
  keyAt(i: number): number {
    return this.table[this.place(i)]!
  }
  from(i: number): number {
    return this.table[this.place(i) + 1]!
  }
  to(i: number): number {
    return this.table[this.place(i) + 2]!
  }
  /** JSON text of a member of `jb`. */
  jbText(i: number): Latin1 {
    const place = this.place(i)
    return this.block.slice(this.table[place + 1]!, this.table[place + 2]!)
  }

  /** Whether a member of `jb` has this JSON text. */
  isJbText(i: number, text: Latin1): boolean {
    const place = this.place(i)
    const from = this.table[place + 1]!
    return this.table[place + 2]! - from === text.length && this.block.isText(from, text)
  }

  isObject(i: number): boolean {
    return this.block.at(this.from(i)) === OPEN
  }
  isString(i: number): boolean {
    return this.block.at(this.from(i)) === QUOTE
  }

  private place(i: number): number {
    const { table, at } = this
    return at + RECORD.members + MEMBER * table[at + RECORD.users]! + JB_MEMBER * i
  }

  /**
   * JSON text of a member of an object in `jb`. Null: the object has no such member. Undefined: the object has at most
   * `longer` bytes, or was not measured.
   */
  partText(i: number, key: string, longer = LONG): Latin1 | null | undefined {
    const { block, table } = this
    const list = this.list(i)
    if (list < 0 || this.to(i) - this.from(i) <= longer) return undefined
    // From the end: of duplicate keys the last counts.
    for (let at = list + 1 + MEMBER * (table[list]! - 1); at > list; at -= MEMBER) {
      if (block.hasKey(table[at]!, key)) return block.slice(table[at + 1]!, table[at + 2]!)
    }
    return null
  }

  /** JSON text of a member of an object of any length in `jb`; undefined if there is none. */
  anyPart(i: number, key: string): Latin1 | undefined {
    const found = this.partText(i, key, 0)
    if (found !== undefined) return found ?? undefined
    const text = this.jbText(i)
    const member = scanObject(text, 0)?.findLast((one) => one.key === key)
    return member && (text.slice(member.start, member.end) as Latin1)
  }

  /** Keys and JSON texts of the members of an object in `jb`, except `but`; undefined if the object was not measured. */
  parts(i: number, but: readonly string[]): [key: string, text: Latin1][] | undefined {
    const { block, table } = this
    const list = this.list(i)
    if (list < 0) return undefined
    const found: [string, Latin1][] = []
    const end = list + 1 + MEMBER * table[list]!
    for (let at = list + 1; at < end; at += MEMBER) {
      const key = block.key(table[at]!, table[at + 1]!)
      if (!but.includes(key)) found.push([key, block.slice(table[at + 1]!, table[at + 2]!)])
    }
    return found
  }

  /** Whether a key of `jb` holds a long object, whose members {@link partText} finds without parsing. */
  hasParts(key: string): boolean {
    const i = this.indexOf(key)
    return i >= 0 && this.list(i) >= 0 && this.to(i) - this.from(i) > LONG
  }

  /** Index in the table of the list of an object's members; -1 if there is none. */
  private list(i: number): number {
    const after = this.table[this.place(i) + 3]!
    return after === 0 ? -1 : this.place(this.size) + after - 1
  }

  /** Index of `jb.item` among the members of `jb`; -1 if there is none or the line was not measured. */
  get item(): number {
    return this.table[this.at + RECORD.item]!
  }

  /** The two halves of the item's hash (see item_hash.ts), computed where ReadOptions.maskReplies is set; 0 and 0: none. */
  get itemHash(): number {
    return this.table[this.at + RECORD.hash]!
  }
  get itemHash2(): number {
    return this.table[this.at + RECORD.hash + 1]!
  }

  /** Whether the item has a hash. An item with escapes has none: equal ids may be written in several ways. */
  get hasItemHash(): boolean {
    return this.itemHash !== 0 || this.itemHash2 !== 0
  }

  /** Whether both lines have the same item, by its hash. */
  isSameItem(other: Line): boolean {
    return this.hasItemHash && this.itemHash === other.itemHash && this.itemHash2 === other.itemHash2
  }

  /** The masked values that the record lists (see {@link SharedJb}): how many, and where each begins and ends. */
  get maskedCount(): number {
    return this.table[this.at + RECORD.masked]!
  }
  maskedFrom(i: number, more = 0): number {
    const { table, at } = this
    return table[at + table[at + RECORD.size]! - 2 * (table[at + RECORD.masked]! - i) + more]!
  }
  maskedTo(i: number): number {
    return this.maskedFrom(i, 1)
  }

  /** The part of `jb` that other lines share: all but the masked values. */
  get sharedJb(): SharedJb | undefined {
    const { sharedJbs } = this
    const number = this.table[this.at + RECORD.shared]!
    if (number < 0 || !sharedJbs) return undefined
    return (sharedJbs.known[number] ??= new SharedJb(sharedJbs.maskReplies))
  }
}

/** The keys of the line before, which most lines share. */
let usersBefore: Keys = NONE
let jbsBefore: Keys = NONE
