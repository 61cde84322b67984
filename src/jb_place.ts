/** Where `jb` stands in a line, its members, and what keeps a line from being a row. */
import { CLOSE, lastIndexOf, Members, OPEN, QUOTE, scanObject, stringEnd } from './scan.ts'
import { parsePlain } from './text.ts'

/** What the toolkit's own `jb` begins with, behind the user's keys. */
const OWN = ',"jb":{"'
/** First keys of a `jb` written by this toolkit. A row with another beginning is parsed whole. */
const OWN_FIRST = ['judge"', 'item"', 'error"', 'name"']

/** A line that is not a row. `message` says why in words for a person. */
export class BadRow extends Error {}

/** What is wrong with a line that does not parse, in words that say what to do where that is known. */
export function badJson(line: string, error: unknown): BadRow {
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

/** Where `jb` stands in a line, and its members. */
export abstract class JbPlace {
  /** The part of the line that holds `jb` with its key and one comma; -1: no `jb`. */
  readonly start: number
  readonly end: number
  abstract readonly size: number

  constructor(start: number, end: number) {
    this.start = start
    this.end = end
  }

  abstract key(i: number): string
  /** Index of a key; of one that stands twice, the last; -1. */
  abstract indexOf(key: string): number
  /** Where the quote of a member's key stands, where its value begins and where it ends. */
  abstract at(i: number): number
  abstract from(i: number): number
  abstract to(i: number): number
  /** What other rows have too, parsed, not to be changed; undefined where a value is this row's alone. @throws SyntaxError */
  abstract shared(i: number): unknown
}

/** A `jb` that was searched. */
class FoundJb extends JbPlace {
  private readonly keys: readonly string[]
  private readonly bounds: readonly number[]

  constructor(start: number, end: number, members: Members | undefined) {
    super(start, end)
    this.keys = members?.keys ?? []
    this.bounds = members?.bounds.slice(0, 3 * members.keys.length) ?? []
  }

  get size(): number {
    return this.keys.length
  }
  key(i: number): string {
    return this.keys[i]!
  }
  indexOf(key: string): number {
    return lastIndexOf(this.keys, key)
  }
  at(i: number): number {
    return this.bounds[3 * i]!
  }
  from(i: number): number {
    return this.bounds[3 * i + 1]!
  }
  to(i: number): number {
    return this.bounds[3 * i + 2]!
  }
  shared(): undefined {
    return undefined
  }
}

export const NO_JB: JbPlace = new FoundJb(-1, -1, undefined)

/** The place of a `jb` without what is in it. */
export const emptyPlace = ({ start, end }: JbPlace): JbPlace => new FoundJb(start, end, undefined)

/** A line without its `jb`: the user's part. */
export const withoutJb = (line: string, { start, end }: JbPlace): string =>
  start < 0 ? line : line.slice(0, start) + line.slice(end)

/** Members that stand in many rows, letter by letter. */
export class Common {
  readonly text: string
  readonly keys: readonly string[]
  readonly bounds: readonly number[]
  private readonly values: unknown[] = []

  constructor(text: string, members: Members) {
    this.text = text
    this.keys = members.keys
    this.bounds = members.bounds.slice(0, 3 * this.keys.length)
  }

  value(i: number): unknown {
    let value = this.values[i]
    if (value === undefined) {
      value = parsePlain(this.text.slice(this.bounds[3 * i + 1], this.bounds[3 * i + 2]))
      this.values[i] = value
    }
    return value
  }
}

/** A `jb` of which only the item is its row's own: what stands before it and behind it was there before. */
export class CommonJb extends JbPlace {
  readonly head: Common
  readonly tail: Common
  /** Where the tail begins, behind the item. */
  private readonly tailAt: number

  constructor(start: number, end: number, head: Common, tail: Common, tailAt: number) {
    super(start, end)
    this.head = head
    this.tail = tail
    this.tailAt = tailAt
  }

  get size(): number {
    return this.head.keys.length + this.tail.keys.length
  }

  /** The item's key is the head's last. */
  key(i: number): string {
    const { keys } = this.head
    return i < keys.length ? keys[i]! : this.tail.keys[i - keys.length]!
  }

  indexOf(key: string): number {
    const { head, tail } = this
    const i = lastIndexOf(tail.keys, key)
    return i >= 0 ? i + head.keys.length : lastIndexOf(head.keys, key)
  }

  at(i: number): number {
    return this.bound(i, 0)
  }
  from(i: number): number {
    return this.bound(i, 1)
  }
  to(i: number): number {
    return i === this.head.keys.length - 1 ? this.tailAt : this.bound(i, 2)
  }

  private bound(i: number, which: number): number {
    const n = this.head.keys.length
    return i < n
      ? this.start + this.head.bounds[3 * i + which]!
      : this.tailAt + this.tail.bounds[3 * (i - n) + which]!
  }

  shared(i: number): unknown {
    const n = this.head.keys.length
    return i >= n ? this.tail.value(i - n) : i < n - 1 ? this.head.value(i) : undefined
  }
}

/** One for each kind of object: see Members. */
const beginning = new Members()
const rest = new Members()
const whole = new Members()
const heads: Common[] = []
const tails = new Map<string, Common>()
/** How many heads and tails are kept, how long a `jb` may be, and how many may be looked up in vain before that ends. */
const COMMON = { heads: 8, tails: 512, length: 256, vain: 2048 }
let vain = 0

/** The last `jb` of a line that this toolkit wrote, if the line ends with one. */
export function ownJb(line: string, text: string, base: number): JbPlace | undefined {
  const { length } = line
  if (line.charCodeAt(length - 1) !== CLOSE || line.charCodeAt(length - 2) !== CLOSE) return undefined
  if (line.charCodeAt(0) !== OPEN) return undefined
  const start = line.lastIndexOf(OWN)
  if (start < 0) return undefined
  // An unescaped quote behind a comma always begins a key or a value, so this is a real key; it is the
  // outermost object's exactly when one closing brace is left behind it.
  const end = length - 1
  if (length - start < COMMON.length && vain < COMMON.vain) {
    const common = commonJb(line, start, end)
    if (common) return common
  }
  const from = start + OWN.length
  if (!OWN_FIRST.some((key) => line.startsWith(key, from))) return undefined
  return whole.scan(text, base, from - 2) && whole.end === end ? new FoundJb(start, end, whole) : undefined
}

/** A `jb` in parts that came before; undefined where it has to be searched. */
function commonJb(line: string, start: number, end: number): JbPlace | undefined {
  let i = 0
  while (i < heads.length && !line.startsWith(heads[i]!.text, start)) i++
  const head = i < heads.length ? heads[i] : newHead(line, start)
  const item = start + (head?.text.length ?? 0)
  if (!head || line.charCodeAt(item) !== QUOTE) return undefined
  const tailAt = stringEnd(line, item + 1)
  if (tailAt < 0) return undefined
  const text = line.slice(tailAt)
  let tail = tails.get(text)
  if (tail) {
    if (vain > 0) vain--
  } else {
    vain++
    if (!rest.scan(text, 0, 0) || rest.end !== text.length - 1) return undefined
    tail = new Common(text, rest)
    if (tails.size >= COMMON.tails) tails.clear()
    tails.set(text, tail)
  }
  return new CommonJb(start, end, head, tail, tailAt)
}

/** From the comma before the key `jb` to where the item, a string, begins. */
function newHead(line: string, start: number): Common | undefined {
  const from = start + OWN.length
  if (!OWN_FIRST.some((key) => line.startsWith(key, from))) return undefined
  const jb = line.slice(start)
  if (!beginning.scan(jb, 0, OWN.length - 2, -1, 'item') || beginning.keys.at(-1) !== 'item') return undefined
  const item = beginning.member(beginning.keys.length - 1).start
  if (jb[item] !== '"') return undefined
  const head = new Common(jb.slice(0, item), beginning)
  if (heads.length >= COMMON.heads) heads.length = 0
  heads.unshift(head)
  return head
}

/** The place of a key `jb` anywhere in a valid line. @throws BadRow where it is not the toolkit's to use */
export function placeOf(line: string, text: string, base: number): JbPlace {
  const all = scanObject(line, line.indexOf('{'))!.members
  const index = all.findIndex((member) => member.key === 'jb')
  if (all.findLastIndex((member) => member.key === 'jb') !== index)
    throw new BadRow('two keys "jb" in one row')
  const member = all[index]!
  if (!whole.scan(text, base, member.start))
    throw new BadRow('the key "jb" is reserved and must hold an object: rename the field')
  if (index > 0) return new FoundJb(line.lastIndexOf(',', member.at), member.end, whole)
  return new FoundJb(member.at, all[1] ? all[1].at : member.end, whole)
}
