/**
 * One row: the user's bytes unchanged, and `jb`.
 *
 * A line is a Latin-1 string (one character a byte), which can be cut, searched and written back without being decoded.
 * A row is never re-serialised: values are spliced in front of `jb`'s closing brace, so 20-digit ids, `1.0`, key order,
 * duplicate keys and escapes are written unchanged. Only values that are asked for are parsed.
 */

import {
  decode,
  encode,
  type Latin1,
  owned,
  parsePlain,
  parseShared,
  type Sink,
  Spliced,
  written,
} from './bytes.ts'
import { Line } from './line.ts'
import { textAt } from './paths.ts'
import type { Jb, Json, JsonObject, RowError, RowFailure, StageName } from './record.ts'
import { addedAt, writeRow } from './row_write.ts'
import { checkShape } from './shapes.ts'
import type { SharedJb } from './shared_jb.ts'
import { asBytes, scanObject } from './text_scan.ts'
import { valueAt } from './value_at.ts'

export { ascii, decode, encode, type Latin1, type Sink, Spliced } from './bytes.ts'
export { BadRow } from './line_search.ts'

/** The first byte of `null`, and of no other value. */
const NULL = 0x6e

/** One line of input. Create with {@link Row.read} or {@link Row.make}, or from a {@link Line}. */
export class Row {
  /** The file's name in messages, and the line's number in it, from 1. */
  readonly file: string
  readonly line: number
  /** Set if the row failed in this process. */
  failure: RowError | undefined = undefined

  readonly source: Line
  private value: JsonObject | undefined = undefined
  /** Changes to `jb`: key, value, key, value, … */
  private added: unknown[] | undefined = undefined

  constructor(source: Line, file: string, line: number) {
    this.source = source
    this.file = file
    this.line = line
  }

  /** Reads a line, given without its line end. @throws BadRow with the reason */
  static read(line: Latin1, file: string, number: number): Row {
    return new Row(Line.read(line), file, number)
  }

  /** Makes a new row with `item` as the user's part. */
  static make(item: object, file: string, number: number): Row {
    return new Row(Line.made(encode(JSON.stringify(item))), file, number)
  }

  /** A copy, with the changes made so far. */
  fork(): Row {
    const row = new Row(this.source, this.file, this.line)
    row.value = this.value
    row.added = this.added?.slice()
    return row
  }

  /** A row with the same user's part and an empty `jb`. */
  bare(): Row {
    const row = new Row(this.source.withEmptyJb(), this.file, this.line)
    row.value = this.value
    return row
  }

  /** Makes the row readable after its batch (see ReadOptions.transient); this keeps the whole batch in memory. */
  keep(): void {
    this.source.keep()
  }

  /** A copy of the user's part and of the changes to `jb`, which does not keep the batch in memory. */
  detached(): Row {
    const row = new Row(Line.made(owned(this.source.user)), this.file, this.line)
    row.added = this.added?.slice()
    return row
  }

  /** The same row, as it was read, with another place. */
  placedAt(file: string, line: number): Row {
    return new Row(this.source, file, line)
  }

  /** `pairs.jsonl:17`, for messages. */
  get place(): string {
    return `${this.file}:${this.line}`
  }

  /** Bytes of the line it was read from. */
  get bytes(): number {
    return this.source.end - this.source.begin
  }

  /** Bytes of the {@link Spliced} values that were added. */
  get addedBytes(): number {
    let bytes = 0
    for (const value of this.added ?? []) if (value instanceof Spliced) bytes += value.bytes
    return bytes
  }

  /** The user's object, without `jb`. Numbers are JavaScript's; {@link itemText} has them as written. */
  get item(): JsonObject {
    this.value ??= JSON.parse(this.itemText()) as JsonObject
    return this.value
  }

  /** JSON text of the user's object as it was read, without `jb`. */
  itemText(): string {
    return decode(this.source.user)
  }

  /** JSON text of one value of the user's part by key, unchanged. */
  fieldBytes(key: string): Latin1 | undefined {
    return this.source.userText(asBytes(key))
  }

  /** JSON text of one value of the user's part by key or dotted path, unchanged. */
  fieldText(path: string): string | undefined {
    let text = this.fieldBytes(path)
    const dot = path.indexOf('.')
    if (text === undefined && dot >= 0)
      text = textAt(this.fieldBytes(path.slice(0, dot)), encode(path.slice(dot + 1)))
    return text === undefined ? undefined : decode(text)
  }

  /** One value of the user's part by key or dotted path: only that value is parsed. */
  field(path: string): Json | undefined {
    if (this.value) return valueAt(this.value, path)
    const text = this.fieldBytes(path)
    if (text !== undefined) return parsePlain(text) as Json
    return path.includes('.') ? valueAt(this.item, path) : undefined
  }

  /** Index of a key among the members of `jb` as read; -1 if it is missing or null (jq writes null for a missing key). */
  private found(key: string): number {
    const { source } = this
    const i = source.indexOf(key)
    return i >= 0 && source.block.at(source.from(i)) === NULL ? -1 : i
  }

  /** The keys of `jb` as read. Nearby rows with the same keys share one array. */
  get keys(): readonly string[] {
    return this.source.jbKeys
  }

  /** Whether `jb` has the key. */
  has(key: string): boolean {
    const at = addedAt(this.added, key)
    return at < 0 ? this.found(key) >= 0 : this.added![at + 1] !== undefined
  }

  /**
   * The value of a key of `jb`, parsed and checked on demand. Do not modify it: use {@link set}.
   * @throws RowFailure bad_record if it does not have its type
   */
  get<K extends keyof Jb & string>(key: K): Jb[K] | undefined {
    const at = addedAt(this.added, key)
    if (at >= 0) {
      const value = this.added![at + 1]
      return (value instanceof Spliced ? JSON.parse(decode(value.raw)) : value) as Jb[K] | undefined
    }
    const { source } = this
    const i = this.found(key)
    if (i < 0) return undefined
    return (source.sharedJb?.value(source, i) ?? parseShared(key, source.jbText(i), checkShape)) as Jb[K]
  }

  /** One value inside an object of `jb`: only that value is parsed. @throws RowFailure bad_record */
  part(key: string, inner: string): Json | undefined {
    if (addedAt(this.added, key) < 0) {
      const i = this.found(key)
      const text = i < 0 ? null : this.source.partText(i, inner)
      if (text === null) return undefined
      if (text !== undefined) return parseShared(`${key}.${inner}`, text, checkShape) as Json
    }
    return valueAt(this.get(key as 'reply') as Json | undefined, inner)
  }

  /** The line it was read from; undefined once `jb` was changed. */
  get unchanged(): Line | undefined {
    return this.added === undefined ? this.source : undefined
  }

  /** JSON text of the item's id. */
  get itemBytes(): Latin1 | undefined {
    const i = this.added === undefined ? this.source.item : -1
    return i < 0 ? this.text('item') : this.source.jbText(i)
  }

  /** JSON text of one value inside a long object of `jb`; undefined if the object is short or was changed. */
  partBytes(key: string, inner: string): Latin1 | undefined {
    const i = addedAt(this.added, key) < 0 ? this.found(key) : -1
    return i < 0 ? undefined : (this.source.partText(i, inner) ?? undefined)
  }

  /** The same for an object of any length; undefined if there is no such member, or the value is not an object. */
  partText(key: string, inner: string): Latin1 | undefined {
    const i = addedAt(this.added, key) < 0 ? this.found(key) : -1
    return i < 0 ? undefined : this.source.anyPart(i, inner)
  }

  /** Keys and JSON texts of the members of an object in `jb`, except `but`; undefined if there is no such object. */
  members(key: string, but: readonly string[] = []): [key: string, text: Latin1][] | undefined {
    const { source } = this
    const i = addedAt(this.added, key) < 0 ? this.found(key) : -1
    const parts = i < 0 ? undefined : source.parts(i, but)
    if (parts) return parts
    const text = this.text(key)
    if (text === undefined) return undefined
    const members = scanObject(text, 0)?.filter((one) => !but.includes(one.key))
    return members?.map((one) => [one.key, text.slice(one.start, one.end) as Latin1])
  }

  /**
   * The part of `jb` that is shared with other rows: all but the masked values. Undefined if the line has none, or the row
   * was changed.
   */
  get sharedJb(): SharedJb | undefined {
    return this.unchanged?.sharedJb
  }

  /** JSON text of a key of `jb`. */
  text(key: string): Latin1 | undefined {
    const at = addedAt(this.added, key)
    if (at < 0) {
      const i = this.found(key)
      return i < 0 ? undefined : this.source.jbText(i)
    }
    const value = this.added![at + 1]
    if (value === undefined) return undefined
    return value instanceof Spliced ? value.raw : encode(JSON.stringify(value))
  }

  /** JSON text of `jb`, with the changes made so far. */
  jbText(): Latin1 {
    const { source, added = [] } = this
    const members = source.jbMembers.filter((_, i) => addedAt(added, source.key(i)) < 0)
    for (let i = 0; i < added.length; i += 2) {
      const key = added[i] as string
      if (added[i + 1] !== undefined)
        members.push(`${encode(JSON.stringify(key))}:${this.text(key)}` as Latin1)
    }
    return `{${members.join(',')}}` as Latin1
  }

  /** Adds or replaces a key of `jb`; undefined removes it. */
  set<K extends keyof Jb & string>(key: K, value: Jb[K] | Spliced | undefined): this {
    this.added ??= []
    const at = addedAt(this.added, key)
    if (at < 0) this.added.push(key, value)
    else this.added[at + 1] = value
    return this
  }

  /** Marks the row as failed: later stages pass it on unchanged, and reports count it. */
  fail(stage: StageName, failure: RowFailure): this {
    this.failure = { stage, code: failure.code, message: failure.message, ...failure.detail }
    return this.set('error', this.failure)
  }

  /** Marks the row as failed, and drops added values that cannot be serialised. */
  failUnwritten(stage: StageName, failure: RowFailure): this {
    const { added = [] } = this
    for (let i = 0; i < added.length; i += 2)
      try {
        written(added[i + 1])
      } catch {
        added[i + 1] = undefined
      }
    return this.fail(stage, failure)
  }

  /** Writes the row with its changes, and a line end. @throws RangeError as writeRow */
  write(out: Sink): void {
    writeRow(out, this.source, this.added)
  }
}
