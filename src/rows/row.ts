/**
 * One row: the user's text unchanged, and `jb`.
 *
 * A row is never re-serialised: what is added stands in front of `jb`'s closing brace, so 20-digit ids, `1.0`, key order,
 * duplicate keys and escapes are written unchanged.
 */

import { resultJson } from './decimals.ts'
import { exactJson, writtenJson } from './exact_json.ts'
import { DEEPEST, isTooDeep, type Member, membersIn, membersOf, textAt } from './json_text.ts'
import { isEmpty, type Line, readLine, userText, withoutJb } from './line.ts'
import {
  checkShape,
  isObject,
  type Jb,
  type Json,
  type JsonObject,
  type RowError,
  RowFailure,
  type StageName,
} from './record.ts'
import { valueAt } from './value_at.ts'

export { BadRow } from './errors.ts'

/** Where rows are written: implemented by Output (writer.ts). */
export interface Sink {
  text(text: string): void
}

/** JSON of a value of `jb` that is put together as text: a prompt's texts are escaped already where they come from. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** One line of input. Create with {@link Row.read} or {@link Row.make}. */
export class Row {
  /** The file's name in messages, and the line's number in it, from 1. */
  readonly file: string
  readonly line: number
  /** Set if the row failed in this process. */
  failure: RowError | undefined = undefined

  private readonly source: Line
  /** Changes to `jb`; undefined removes a key. */
  private added: Map<string, unknown> | undefined = undefined
  private userMembers: readonly Member[] | undefined = undefined

  private constructor(source: Line, file: string, line: number) {
    this.source = source
    this.file = file
    this.line = line
  }

  /** Reads a line, given without its line end. @throws BadRow with the reason */
  static read(text: string, file: string, line: number): Row {
    return new Row(readLine(text), file, line)
  }

  /** Makes a new row with `item` as the user's part. @throws RowFailure bad_record if it nests too deeply */
  static make(item: object, file: string, line: number): Row {
    return new Row(withoutJb(fit(writtenJson(item)), item as JsonObject), file, line)
  }

  /** A copy, with the changes made so far. */
  fork(): Row {
    const row = new Row(this.source, this.file, this.line)
    if (this.added) row.added = new Map(this.added)
    return row
  }

  /** A row with the same user's part and an empty `jb`: it keeps no more than that in memory. */
  bare(): Row {
    return new Row(withoutJb(copyOf(this.itemText()), this.source.user), this.file, this.line)
  }

  /** The same row, as it was read, its item parsed by {@link exactJson}. */
  exact(): Row {
    const user = exactJson(this.itemText()) as JsonObject
    return new Row({ ...this.source, user }, this.file, this.line)
  }

  /** `pairs.jsonl:17`, for messages. */
  get place(): string {
    return `${this.file}:${this.line}`
  }

  /** Characters of the line it was read from, and of the texts that were added: what it takes in memory. */
  get size(): number {
    let size = this.source.text.length
    for (const value of this.added?.values() ?? []) if (value instanceof JsonText) size += value.text.length
    return size
  }

  /** The user's object, without `jb`. Numbers are JavaScript's; {@link fieldText} has them as written. */
  get item(): JsonObject {
    return this.source.user
  }

  /** JSON text of the user's object as it was read, without `jb`. */
  itemText(): string {
    return userText(this.source)
  }

  /** One value of the user's part by key or dotted path. */
  field(path: string): Json | undefined {
    return valueAt(this.source.user, path)
  }

  /** JSON text of the same, as it is written. */
  fieldText(path: string): string | undefined {
    const text = this.itemText()
    this.userMembers ??= membersIn(text, text.indexOf('{'))
    return textAt(text, this.userMembers, path)
  }

  /** JSON texts of the members of the user's part, by name. */
  fieldTexts(): ReadonlyMap<string, string> {
    return new Map(membersOf(this.itemText()))
  }

  /** A member of `jb` as read; undefined if it is missing or null (jq writes null for a missing key). */
  private read(key: string): unknown {
    const { jb } = this.source
    return jb && Object.hasOwn(jb, key) ? (jb[key] ?? undefined) : undefined
  }

  /** The keys of `jb` as read. */
  get keys(): string[] {
    return Object.keys(this.source.jb ?? {})
  }

  /** Whether `jb` has the key. */
  has(key: string): boolean {
    return (this.added?.has(key) ? this.added.get(key) : this.read(key)) !== undefined
  }

  /**
   * The value of a key of `jb`, checked on demand. Do not modify it: use {@link set}.
   * @throws RowFailure bad_record if it does not have its type
   */
  get<K extends keyof Jb & string>(key: K): Jb[K] | undefined {
    if (this.added?.has(key)) {
      const value = this.added.get(key)
      return (value instanceof JsonText ? JSON.parse(value.text) : value) as Jb[K] | undefined
    }
    const value = this.read(key)
    if (value !== undefined) checkShape(key, value)
    return value as Jb[K] | undefined
  }

  /** One value inside an object of `jb`: only that value is checked. @throws RowFailure bad_record */
  part(key: string, inner: string): Json | undefined {
    const whole = this.added?.has(key) ? this.get(key as 'reply') : this.read(key)
    if (!isObject(whole)) {
      // Says what is wrong with it.
      this.get(key as 'reply')
      return undefined
    }
    const value = Object.hasOwn(whole, inner) ? whole[inner] : undefined
    if (value !== undefined) checkShape(`${key}.${inner}`, value)
    return value
  }

  /** JSON text of a key of `jb`. */
  text(key: string): string | undefined {
    return jsonOf(key, this.added?.has(key) ? this.added.get(key) : this.read(key))
  }

  /** JSON text of `jb`, with the changes made so far. @throws RangeError if it is nested too deeply */
  jbText(): string {
    return `{${this.jbMembers().join()}}`
  }

  /** Adds or replaces a key of `jb`; undefined removes it. */
  set<K extends keyof Jb & string>(key: K, value: Jb[K] | JsonText | undefined): this {
    this.added ??= new Map()
    this.added.set(key, value)
    return this
  }

  /** Marks the row as failed: later stages pass it on unchanged, and reports count it. */
  fail(stage: StageName, failure: RowFailure): this {
    this.failure = { stage, code: failure.code, message: failure.message, ...failure.detail }
    return this.set('error', this.failure)
  }

  /** Marks the row as failed, and drops added values that cannot be serialised. */
  failUnwritten(stage: StageName, failure: RowFailure): this {
    for (const [key, value] of this.added ?? [])
      try {
        jsonOf(key, value)
      } catch {
        this.added!.set(key, undefined)
      }
    return this.fail(stage, failure)
  }

  /** Writes the row with its changes, and a line end. @throws RangeError if a value is nested too deeply: then nothing is written */
  write(out: Sink): void {
    const [kept, rest] = this.written()
    out.text(kept)
    out.text(`${rest}\n`)
  }

  /** The row as it would be written, without a line end. @throws RangeError as {@link write} */
  toText(): string {
    return this.written().join('')
  }

  /** What is written as it was read, and the rest. */
  private written(): [kept: string, rest: string] {
    const { source, added } = this
    if (!added) return [source.text, '']
    const gains = this.gains()
    if (gains) return [source.text.slice(0, -2), `,${gains.join()}}}`]
    const text = this.itemText()
    return [text.slice(0, text.lastIndexOf('}')), `${isEmpty(source.user) ? '' : ','}"jb":${this.jbText()}}`]
  }

  /** The added members, if all are new ones of a `jb` that ends the line. */
  private gains(): string[] | undefined {
    const { source, added } = this
    const { jb, text, to } = source
    if (!jb || to !== text.length - 1 || isEmpty(jb)) return undefined
    const members: string[] = []
    for (const [key, value] of added!) {
      if (Object.hasOwn(jb, key)) return undefined
      if (value !== undefined) members.push(`"${key}":${jsonOf(key, value)}`)
    }
    return members.length > 0 ? members : undefined
  }

  /** JSON of the members of `jb`, changed ones in their place, new ones last. */
  private jbMembers(): string[] {
    const { source, added } = this
    const members: string[] = []
    const add = (key: string, value: unknown) => {
      if (value !== undefined) members.push(`${JSON.stringify(key)}:${jsonOf(key, value)}`)
    }
    const { jb = {} } = source
    for (const key of Object.keys(jb)) add(key, added?.has(key) ? added.get(key) : jb[key])
    for (const [key, value] of added ?? []) if (!Object.hasOwn(jb, key)) add(key, value)
    return members
  }
}

/** A text of its own: V8 keeps the whole of a text in memory for a part of it. */
function copyOf(part: string): string {
  const encoding = Buffer.byteLength(part) === part.length ? 'latin1' : 'utf16le'
  return Buffer.from(part, encoding).toString(encoding)
}

/** JSON of a value of `jb`. @throws RowFailure bad_record if it nests too deeply, RangeError if much too deeply */
function jsonOf(key: string, value: unknown): string | undefined {
  if (value instanceof JsonText) return fit(value.text)
  // Of a result as it was read too, measured numbers have a decimal point.
  return fit(key === 'result' && isObject(value) ? resultJson(value) : JSON.stringify(value))
}

/** @throws RowFailure for JSON that a filter would refuse to read again */
function fit<T extends string | undefined>(json: T): T {
  if (json !== undefined && isTooDeep(json))
    throw new RowFailure('bad_record', `nested too deeply: a row may have ${DEEPEST} levels`)
  return json
}
