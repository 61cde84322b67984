/**
 * One row: the user's bytes unchanged, and `jb`.
 *
 * A row is never re-serialised: values are spliced in front of `jb`'s closing brace, so 20-digit ids, `1.0`, key order,
 * duplicate keys and escapes are written unchanged. Only values that are asked for are parsed.
 */

import { decode, encode, type Latin1, LinePart, type Sink, Spliced, written } from './bytes.ts'
import type { Span } from './check.ts'
import { BadRow } from './errors.ts'
import { exactJson, writtenJson } from './exact_json.ts'
import { Line, membersAt, membersOf } from './line.ts'
import {
  isObject,
  type Jb,
  type Json,
  type JsonObject,
  type RowError,
  RowFailure,
  type StageName,
} from './record.ts'
import { addedAt, writeRow } from './row_write.ts'
import { QUOTE } from './scan.ts'
import { checkShape } from './shapes.ts'
import { valueAt } from './value_at.ts'

export { ascii, decode, encode, type Latin1, type LinePart, type Sink, Spliced } from './bytes.ts'
export { BadRow } from './errors.ts'

/** One line of input. Create with {@link Row.read} or {@link Row.make}, or from a {@link Line}. */
export class Row {
  /** The file's name in messages, and the line's number in it, from 1. */
  readonly file: string
  readonly line: number
  /** Set if the row failed in this process. */
  failure: RowError | undefined = undefined

  private readonly source: Line
  /** Changes to `jb`: key, value, key, value, … */
  private added: unknown[] | undefined = undefined

  /** @internal */
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
    return new Row(Line.made(Buffer.from(writtenJson(item))), file, number)
  }

  /** A copy, with the changes made so far. */
  fork(): Row {
    const row = new Row(this.source, this.file, this.line)
    row.added = this.added?.slice()
    return row
  }

  /** A row with the same user's part and an empty `jb`. */
  bare(): Row {
    return new Row(this.source.withEmptyJb(), this.file, this.line)
  }

  /** A copy of the user's part and of the changes to `jb`, which can be read after the batch (see ReadOptions.transient). */
  detached(): Row {
    const row = new Row(this.source.user(), this.file, this.line)
    row.added = this.added?.map((value) => (value instanceof Spliced ? new Spliced([value.raw]) : value))
    return row
  }

  /** The same row, as it was read, its item parsed by {@link exactJson}. @throws RowFailure bad_row */
  exact(): Row {
    const item = this.sound(() => exactJson(this.itemText()) as JsonObject)
    return new Row(this.source.withItem(item), this.file, this.line)
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

  /** The user's object, without `jb`. Numbers are JavaScript's; {@link itemText} has them as written. @throws RowFailure bad_row */
  get item(): JsonObject {
    return this.sound(() => this.source.item)
  }

  /** JSON text of the user's object as it was read, without `jb`. */
  itemText(): string {
    return this.source.userText()
  }

  /** JSON text of one value of the user's part by key or dotted path, unchanged. @throws RowFailure bad_row */
  fieldBytes(path: string): Latin1 | undefined {
    const place = this.placeOf(path)
    return place && this.source.bytes.latin1Slice(...place)
  }

  /** What stands between the quotes of a string, unchanged; undefined for any other value. @throws RowFailure bad_row */
  stringPart(path: string): LinePart | undefined {
    const { source } = this
    const place = this.placeOf(path)
    if (!place || source.bytes[place[0]] !== QUOTE) return undefined
    return new LinePart(source, place[0] + 1, place[1] - 1)
  }

  /** The same as {@link fieldBytes} as text. */
  fieldText(path: string): string | undefined {
    const place = this.placeOf(path)
    return place && this.source.bytes.utf8Slice(...place)
  }

  /** One value of the user's part by key or dotted path: only that value is parsed. @throws RowFailure bad_row */
  field(path: string): Json | undefined {
    const { known } = this.source
    if (known) return valueAt(known, path)
    const text = this.fieldText(path)
    return text === undefined ? undefined : this.sound(() => JSON.parse(text) as Json)
  }

  private placeOf(path: string): Span | undefined {
    try {
      return this.source.userPlace(encode(path))
    } catch (error) {
      throw unsound(error)
    }
  }

  /** Reads the user's part, which nobody has checked where `jb` follows it. @throws RowFailure bad_row */
  private sound<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      throw unsound(error)
    }
  }

  /** A member of `jb` as read. @throws RowFailure bad_record if it is not valid JSON */
  private read(key: string): unknown {
    try {
      return this.source.member(key)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      throw new RowFailure('bad_record', `jb.${key} is not valid JSON: ${error.message}`)
    }
  }

  /** The keys of `jb` as read. */
  get keys(): string[] {
    return Object.keys(this.source.jb)
  }

  /** Whether `jb` has the key. */
  has(key: string): boolean {
    const at = addedAt(this.added, key)
    if (at >= 0) return this.added![at + 1] !== undefined
    const { jb } = this.source
    return Object.hasOwn(jb, key) && jb[key] !== null
  }

  /**
   * The value of a key of `jb`, checked on demand. Do not modify it: use {@link set}.
   * @throws RowFailure bad_record if it does not have its type
   */
  get<K extends keyof Jb & string>(key: K): Jb[K] | undefined {
    const at = addedAt(this.added, key)
    if (at >= 0) {
      const value = this.added![at + 1]
      return (value instanceof Spliced ? JSON.parse(decode(value.raw)) : value) as Jb[K] | undefined
    }
    const value = this.read(key)
    if (value !== undefined) checkShape(key, value)
    return value as Jb[K] | undefined
  }

  /** One value inside an object of `jb`: only that value is checked. @throws RowFailure bad_record */
  part(key: string, inner: string): Json | undefined {
    const whole = addedAt(this.added, key) < 0 ? this.read(key) : this.get(key as 'reply')
    if (!isObject(whole)) {
      // Says what is wrong with it.
      this.get(key as 'reply')
      return undefined
    }
    const value = Object.hasOwn(whole, inner) ? whole[inner] : undefined
    if (value !== undefined) checkShape(`${key}.${inner}`, value)
    return value
  }

  /** Keys and JSON texts of the members of an object in `jb`; undefined if there is no such object. */
  members(key: string): [key: string, text: Latin1][] | undefined {
    const place = addedAt(this.added, key) < 0 ? this.source.place(key) : undefined
    if (place) return membersAt(this.source.bytes, ...place)
    const text = this.text(key)
    return text === undefined ? undefined : membersOf(text)
  }

  /** JSON text of a key of `jb`. */
  text(key: string): Latin1 | undefined {
    const at = addedAt(this.added, key)
    if (at < 0) {
      const place = this.has(key) ? this.source.place(key) : undefined
      return place && this.source.bytes.latin1Slice(...place)
    }
    const value = this.added![at + 1]
    if (value === undefined) return undefined
    return value instanceof Spliced ? value.raw : encode(JSON.stringify(value))
  }

  /** JSON text of `jb`, with the changes made so far. */
  jbText(): Latin1 {
    const { source, added = [] } = this
    const { jbMembers, bytes } = source
    const texts: string[] = []
    for (const { name, at, to } of jbMembers)
      if (addedAt(added, name) < 0) texts.push(bytes.latin1Slice(at, to))
    for (let i = 0; i < added.length; i += 2) {
      const key = added[i] as string
      if (added[i + 1] !== undefined) texts.push(`${encode(JSON.stringify(key))}:${this.text(key)}`)
    }
    return `{${texts.join(',')}}` as Latin1
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

  /** The row as it would be written, without a line end. @throws RangeError as writeRow */
  written(): Latin1 {
    const parts: Latin1[] = []
    this.write({ bytes: (text) => parts.push(text), text: (text) => parts.push(encode<string>(text)) })
    return parts.join('').slice(0, -1) as Latin1
  }

  /** A copy with bytes of its own, as the row would be read again. */
  copy(): Row {
    return Row.read(this.written(), this.file, this.line)
  }
}

/** The error of a user's part that cannot be read. */
function unsound(error: unknown): unknown {
  if (error instanceof BadRow) return new RowFailure('bad_row', error.message)
  return error instanceof SyntaxError ? new RowFailure('bad_row', `not valid JSON: ${error.message}`) : error
}
