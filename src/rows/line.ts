/** One line: where in it the user's members stand and where those of `jb`. */

import { Block } from './block.ts'
import type { Latin1, Sink } from './bytes.ts'
import { type Keys, keysOf } from './keys.ts'
import { recordOf, searchLine } from './line_search.ts'
import { JB_MEMBER, MEMBER, RECORD, STATE } from './measure.ts'
import { lastIndexOf, type Member, OPEN, QUOTE, scanObject } from './scan.ts'
import { SharedJb, type SharedJbs } from './shared_jb.ts'

const NONE: Keys = []
const names = (members: Member[]): Keys => members.map(({ key }) => key)

/** Bytes of a long object in `jb`. */
const LONG = 256

/** Create with {@link Line.measured}, {@link Line.read} or {@link Line.made}. */
export class Line {
  /** What the line was cut from. */
  readonly block: Block
  /** Keys of the user's members, found when they are asked for where the line was made here. */
  private userKeys: Keys | undefined
  /** Names of the members of `jb`: lines with the same ones have the same list, unless many others came between. */
  readonly jbKeys: Keys
  private table: Int32Array
  /** Where in the table the record begins. */
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

  /** A line that is known to be a row, with its record. */
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

  /** A line of its own, checked whole. @throws BadRow with the reason */
  static read(text: Latin1): Line {
    const found = searchLine(text)
    const jbs = names(found.jb?.members ?? [])
    return new Line(Block.of(text), names(found.users), jbs, recordOf(text, found))
  }

  /** A line made here: an object without a `jb` of the toolkit. */
  static made(text: Latin1): Line {
    return new Line(Block.of(text), undefined, NONE, recordOf(text, { users: [] }))
  }

  /** The same line, with nothing in its `jb`. */
  withEmptyJb(): Line {
    return new Line(this.block, this.userKeys, NONE, this.table, this.at)
  }

  /** It can be read after its batch. */
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
  /** Where the part begins that holds `jb` with its key and one comma; -1: no `jb`. */
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

  /** Writes a part of it. */
  write(out: Sink, from: number, to: number): void {
    this.block.write(out, from, to)
  }

  /** Members of `jb` with their keys, as they stand. */
  get jbMembers(): Latin1[] {
    return this.jbKeys.map((_, i) => this.block.slice(this.keyAt(i), this.to(i)))
  }

  /** JSON text of a member of the user's; of a key that stands twice, the last. */
  userText(key: string): Latin1 | undefined {
    const place = this.userPlace(key)
    return place < 0 ? undefined : this.block.slice(this.table[place + 1]!, this.table[place + 2]!)
  }

  /** The hash, continued with a member of the user's; an absent one changes it too. */
  hashUser(key: string, hash: number): number {
    const place = this.userPlace(key)
    if (place < 0) return Math.imul(hash ^ 1, 1597334677)
    const end = this.table[place + 2]!
    for (let j = this.table[place + 1]!; j < end; j++) hash = Math.imul(hash ^ this.block.at(j), 2654435761)
    return hash ^ (hash >>> 15)
  }

  /** Whether a member of the user's has this JSON text, a character a byte; with undefined, whether it is absent. */
  isUser(key: string, text: string | undefined): boolean {
    const place = this.userPlace(key)
    if (place < 0 || text === undefined) return place < 0 && text === undefined
    const from = this.table[place + 1]!
    if (this.table[place + 2]! - from !== text.length) return false
    for (let j = 0; j < text.length; j++) if (this.block.at(from + j) !== text.charCodeAt(j)) return false
    return true
  }

  /** Where in the table a member of the user's stands; -1. */
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
   * JSON text of a member of an object in `jb`. Null: the object has no such member; undefined:
   * it has no more than so many bytes, or was not measured.
   */
  partText(i: number, key: string, longer = LONG): Latin1 | null | undefined {
    const { block, table } = this
    const list = this.list(i)
    if (list < 0 || this.to(i) - this.from(i) <= longer) return undefined
    // Of a key that stands twice, the last.
    for (let at = list + 1 + MEMBER * (table[list]! - 1); at > list; at -= MEMBER) {
      if (block.hasKey(table[at]!, key)) return block.slice(table[at + 1]!, table[at + 2]!)
    }
    return null
  }

  /** JSON text of a member of an object in `jb`, however long; undefined where there is none. */
  anyPart(i: number, key: string): Latin1 | undefined {
    const found = this.partText(i, key, 0)
    if (found !== undefined) return found ?? undefined
    const text = this.jbText(i)
    const member = scanObject(text, 0)?.findLast((one) => one.key === key)
    return member && (text.slice(member.start, member.end) as Latin1)
  }

  /** Names and JSON texts of the members of an object in `jb` without those in `but`, a character a byte; undefined as above. */
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

  /** Whether {@link partText} gives the parts of an object in `jb`: where it is long. */
  hasParts(key: string): boolean {
    const i = this.indexOf(key)
    return i >= 0 && this.list(i) >= 0 && this.to(i) - this.from(i) > LONG
  }

  /** Where in the table the list of a long object's members begins; -1. */
  private list(i: number): number {
    const after = this.table[this.place(i) + 3]!
    return after === 0 ? -1 : this.place(this.size) + after - 1
  }

  /** Which member of `jb` is the item; -1 where that was not looked for. */
  get item(): number {
    return this.table[this.at + RECORD.item]!
  }

  /** Both halves of a hash of the item (see item_hash.ts), made where rows are judged; 0 and 0: it has none. */
  get itemHash(): number {
    return this.table[this.at + RECORD.hash]!
  }
  get itemHash2(): number {
    return this.table[this.at + RECORD.hash + 1]!
  }

  /** Whether it has such a hash, which an item with escapes has not: the same may be written in several ways. */
  get hasItemHash(): boolean {
    return this.itemHash !== 0 || this.itemHash2 !== 0
  }

  /** Whether the item of both is the same, by its hash. */
  isSameItem(other: Line): boolean {
    return this.hasItemHash && this.itemHash === other.itemHash && this.itemHash2 === other.itemHash2
  }

  /** How many masked values of `jb` are given (see {@link SharedJb}); where one begins, and where it ends. */
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

  /** What `jb` has in common with that of other lines: all but what is masked. */
  get sharedJb(): SharedJb | undefined {
    const { sharedJbs } = this
    const number = this.table[this.at + RECORD.common]!
    if (number < 0 || !sharedJbs) return undefined
    return (sharedJbs.known[number] ??= new SharedJb(sharedJbs.judged))
  }
}

/** Mostly a line has the keys of the one before it. */
let usersBefore: Keys = NONE
let jbsBefore: Keys = NONE
