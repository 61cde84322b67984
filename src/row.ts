/**
 * One row: the user's bytes as they came, and `jb` beside them.
 *
 * A line is held as a string with one character a byte, which costs a copy and nothing else: it can be cut,
 * searched and written back without ever being decoded. A row is never re-serialised: values are added to
 * `jb` by splicing them in front of its closing brace, so a 20-digit id, `1.0`, key order, duplicate keys and
 * escapes leave as they came; and a row whose `jb` this toolkit wrote is read without its user's part.
 */
import { valueAt } from './fields.ts'
import {
  BadRow,
  badJson,
  type Common,
  CommonJb,
  emptyPlace,
  type JbPlace,
  NO_JB,
  ownJb,
  placeOf,
  withoutJb,
} from './jb_place.ts'
import type { Jb, Json, JsonObject, RowError, StageName } from './record.ts'
import { RowFailure } from './record.ts'
import { addedAt, writeRow } from './row_write.ts'
import { type Member, Members } from './scan.ts'
import { decode, encode, parsePlain, parseShared, type Sink, Spliced } from './text.ts'

export { BadRow } from './jb_place.ts'
export { decode, encode, type Sink, Spliced } from './text.ts'

/** One line of input. Create with {@link Row.read} or {@link Row.make}. */
export class Row {
  /** The line as it came, a character a byte. */
  readonly raw: string
  /** The text it was cut from, where it stands behind `base` characters: that is searched faster than a slice. */
  private readonly around: string
  private readonly base: number
  /** File as messages name it, and the line's number in it, from 1. */
  readonly file: string
  readonly line: number
  /** Set where this process made the row fail. */
  failure: RowError | undefined = undefined

  /** Where `jb` stands in the line, which is left out of the user's part. */
  private readonly jb: JbPlace
  private value: JsonObject | undefined
  /** What was added to `jb`: key, value, key, value. */
  private added: unknown[] | undefined = undefined

  private constructor(
    raw: string,
    around: string,
    base: number,
    file: string,
    line: number,
    jb: JbPlace,
    value: JsonObject | undefined,
  ) {
    this.raw = raw
    this.around = around
    this.base = base
    this.file = file
    this.line = line
    this.jb = jb
    this.value = value
  }

  /**
   * A row of a line without its line end. A line whose `jb` the toolkit wrote is taken as it is; any
   * other is checked whole.
   * @param plain the line is known to be ASCII, so that parsing it also decodes it
   * @param text the text that the line was cut from, behind `base` characters
   * @throws BadRow with the reason
   */
  static read(line: string, plain: boolean, file: string, number: number, text = line, base = 0): Row {
    const own = ownJb(line, text, base)
    if (own) return new Row(line, text, base, file, number, own, undefined)
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch (error) {
      throw badJson(line, error)
    }
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      const what = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`
      const hint = Array.isArray(value) ? ' (jb-read json makes rows of an array)' : ''
      throw new BadRow(`a row must be a JSON object, this is ${what}${hint}`)
    }
    const object = value as JsonObject
    const jb = Object.hasOwn(object, 'jb') ? placeOf(line, text, base) : NO_JB
    if (!plain) return new Row(line, text, base, file, number, jb, undefined)
    if (jb === NO_JB) return new Row(line, text, base, file, number, jb, object)
    const { jb: _, ...user } = object
    return new Row(line, text, base, file, number, jb, user)
  }

  /** A row that begins here: `item` becomes the user's part. */
  static make(item: object, file: string, number: number): Row {
    const line = encode(JSON.stringify(item))
    return new Row(line, line, 0, file, number, NO_JB, undefined)
  }

  /** Another row with the same user's part, and this row's `jb` as it is so far. */
  fork(): Row {
    const row = new Row(this.raw, this.around, this.base, this.file, this.line, this.jb, this.value)
    row.added = this.added?.slice()
    return row
  }

  /** The user's part alone, with a `jb` of its own to come. */
  bare(): Row {
    const place = emptyPlace(this.jb)
    return new Row(this.raw, this.around, this.base, this.file, this.line, place, this.value)
  }

  /** The same on a string of its own: it can be kept without all that was read around it. */
  detached(): Row {
    const line = Buffer.from(withoutJb(this.raw, this.jb), 'latin1').toString('latin1')
    const row = new Row(line, line, 0, this.file, this.line, NO_JB, undefined)
    row.added = this.added?.slice()
    return row
  }

  /** `pairs.jsonl:17`, for messages. */
  get place(): string {
    return `${this.file}:${this.line}`
  }

  /** The user's object, without `jb`. Numbers are JavaScript's: for their form see {@link itemText}. */
  get item(): JsonObject {
    if (this.value) return this.value
    try {
      this.value = JSON.parse(this.itemText()) as JsonObject
    } catch {
      throw notRead()
    }
    return this.value
  }

  /** JSON text of the user's object, as it came, without `jb`. */
  itemText(): string {
    return decode(withoutJb(this.raw, this.jb))
  }

  /** Where a value of the user's part stands in {@link raw}; of a key that stands twice, the last. */
  fieldPlace(key: string): Member | undefined {
    const i = this.userIndex(key)
    return i < 0 ? undefined : user.member(i)
  }

  /** Index of a field in {@link user}, which is made to be of this row's line. */
  private userIndex(key: string): number {
    const { raw, jb } = this
    if (userOf !== raw) {
      // Where `jb` stands last, what is before it is all of the user's.
      const stop = jb.end === raw.length - 1 ? jb.start : -1
      if (!user.scan(this.around, this.base, raw.indexOf('{'), stop)) {
        userOf = ''
        throw notRead()
      }
      userOf = raw
    }
    if (key === 'jb' && jb.start >= 0) return -1
    return user.indexOf(asBytes(key))
  }

  /** JSON text of one value of the user's part, by key: as it stands. */
  fieldText(key: string): string | undefined {
    const i = this.userIndex(key)
    if (i < 0) return undefined
    return decode(this.userText(i))
  }

  private userText(i: number): string {
    const { bounds } = user
    return this.raw.slice(bounds[3 * i + 1], bounds[3 * i + 2])
  }

  /** One value of the user's part, by key or dotted path: only that value is parsed. */
  field(path: string): Json | undefined {
    if (this.value) return valueAt(this.value, path)
    const i = this.userIndex(path)
    if (i >= 0) return parseUser(this.userText(i))
    return path.includes('.') ? valueAt(this.item, path) : undefined
  }

  /** Whether `jb` has the key. */
  has(key: string): boolean {
    const at = addedAt(this.added, key)
    return at < 0 ? this.jb.indexOf(key) >= 0 : this.added![at + 1] !== undefined
  }

  /**
   * The value of a key of `jb`, parsed when asked for. Not to be changed: set another.
   * @throws RowFailure bad_row: `jb` is not read when the row is
   */
  get<K extends keyof Jb & string>(key: K): Jb[K] | undefined {
    const at = addedAt(this.added, key)
    if (at >= 0) {
      const value = this.added![at + 1]
      return (value instanceof Spliced ? JSON.parse(decode(value.raw)) : value) as Jb[K] | undefined
    }
    const i = this.jb.indexOf(key)
    return i < 0 ? undefined : (this.parse(i, key) as Jb[K])
  }

  /** One value inside an object of `jb`: only that value is parsed. */
  part(key: string, inner: string): Json | undefined {
    const at = addedAt(this.added, key)
    if (at >= 0) return valueAt(this.get(key as 'reply') as Json | undefined, inner)
    const { jb } = this
    const i = jb.indexOf(key)
    if (i < 0) return undefined
    if (this.common || !part.scan(this.around, this.base, jb.from(i)))
      return valueAt(this.get(key as 'reply') as Json | undefined, inner)
    const j = part.indexOf(inner)
    if (j < 0) return undefined
    const { start, end } = part.member(j)
    return this.read(key, () => parseShared(this.raw.slice(start, end))) as Json
  }

  /**
   * What this row's `jb` has in common with other rows, but for the item: rows with the same head and tail have
   * the same in all their other keys. Undefined where nothing was found out, or the row was changed.
   */
  get common(): { head: Common; tail: Common } | undefined {
    return this.jb instanceof CommonJb && this.added === undefined ? this.jb : undefined
  }

  /** JSON text of a key of `jb`, a character a byte. */
  text(key: string): string | undefined {
    const at = addedAt(this.added, key)
    if (at >= 0) {
      const value = this.added![at + 1]
      return value === undefined
        ? undefined
        : value instanceof Spliced
          ? value.raw
          : encode(JSON.stringify(value))
    }
    return this.memberText(key)
  }

  /** Adds or replaces a key of `jb`; undefined takes the key away. */
  set<K extends keyof Jb & string>(key: K, value: Jb[K] | Spliced | undefined): this {
    this.added ??= []
    const at = addedAt(this.added, key)
    if (at < 0) this.added.push(key, value)
    else this.added[at + 1] = value
    return this
  }

  /** Marks the row as failed: later stages pass it untouched and reports count it. */
  fail(stage: StageName, failure: RowFailure): this {
    this.failure = { stage, code: failure.code, message: failure.message, ...failure.detail }
    return this.set('error', this.failure)
  }

  /** Appends the row with what was added to it, and a line end. */
  write(out: Sink): void {
    writeRow(out, this.raw, this.jb, this.added)
  }

  private parse(i: number, key: string): unknown {
    const { jb } = this
    return this.read(key, () => jb.shared(i) ?? parseShared(this.raw.slice(jb.from(i), jb.to(i))))
  }

  private read(key: string, parse: () => unknown): unknown {
    try {
      return parse()
    } catch {
      // Left out, or the row that says so would itself be no JSON.
      this.set(key, undefined)
      throw new RowFailure('bad_row', `jb.${key} is not valid JSON`)
    }
  }

  /** JSON text of a key of `jb` as it came; of a key that stands twice, the last. */
  private memberText(key: string): string | undefined {
    const i = this.jb.indexOf(key)
    return i < 0 ? undefined : this.raw.slice(this.jb.from(i), this.jb.to(i))
  }
}

/** Names of fields, a character a byte. */
const names = new Map<string, string>()
function asBytes(name: string): string {
  let bytes = names.get(name)
  if (bytes === undefined) names.set(name, (bytes = encode(name)))
  return bytes
}

/** The fields of the line whose fields were last asked for: mostly the same line is asked again. */
const user = new Members()
let userOf = ''
/** The members of an object in `jb`. */
const part = new Members()

/** The part before the toolkit's own jb is not read until it is needed. */
const notRead = () => new RowFailure('bad_row', 'the row is not valid JSON before its "jb"')

function parseUser(text: string): Json {
  try {
    return parsePlain(text) as Json
  } catch {
    throw notRead()
  }
}
