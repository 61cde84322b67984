/**
 * Finds values in JSON without parsing it: the one scanner, over the bytes that were read.
 *
 * A plan is a tree of wanted keys. `scan` notes where the wanted values begin and end, and skips all others. It checks
 * structure, not what it skips: where it gives up, JSON.parse of the line decides.
 *
 * All functions take the end of their line: the byte there must not be one of the line (a line end, or nothing).
 */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN = 0x7b
const CLOSE = 0x7d
const LIST = 0x5b
const LIST_END = 0x5d

/** Bytes of a string that are looked at one by one, before a search takes over. */
const NEAR = 32

/** White space within a line. */
const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x09 || byte === 0x0d

function pastSpace(bytes: Uint8Array, at: number): number {
  while (isSpace(bytes[at])) at++
  return at
}

/** Index after the closing quote of the string whose first byte is at `at`; -1 if the line ends before. */
function stringEnd(bytes: Uint8Array, at: number, end: number): number {
  for (const near = Math.min(at + NEAR, end); at < near; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) return at + 1
    if (byte === BACKSLASH) at++
  }
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at)
    if (quote < 0 || quote >= end) return -1
    let back = quote
    while (back > at && bytes[back - 1] === BACKSLASH) back--
    if (((quote - back) & 1) === 0) return quote + 1
    at = quote + 1
  }
}

/** Index after the value that begins at `at`; -1 if the line ends before, or there is no value. */
function valueEnd(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at]!
  if (first === QUOTE) return stringEnd(bytes, at + 1, end)
  if (first === OPEN || first === LIST) return nestedEnd(bytes, at, end)
  const begin = at
  while (at < end && !endsWord(bytes[at]!)) at++
  return at > begin ? at : -1
}

const endsWord = (byte: number) => byte === COMMA || byte === CLOSE || byte === LIST_END || isSpace(byte)

function nestedEnd(bytes: Uint8Array, at: number, end: number): number {
  let depth = 0
  while (at < end) {
    const byte = bytes[at]!
    if (byte === QUOTE) {
      at = stringEnd(bytes, at + 1, end)
      if (at < 0) return -1
      continue
    }
    at++
    if (byte === OPEN || byte === LIST) depth++
    else if ((byte === CLOSE || byte === LIST_END) && --depth === 0) return at
  }
  return -1
}

/** The key whose first byte is at `at`, its escapes decoded, as UTF-8. @throws SyntaxError if an escape is invalid */
function unescaped(bytes: Uint8Array, at: number, to: number): Uint8Array {
  const raw = bytes.subarray(at, to)
  if (!raw.includes(BACKSLASH)) return raw
  return Buffer.from(JSON.parse(`"${Buffer.from(raw).toString()}"`) as string)
}

/** Keys of an object that are recognised: the wanted ones, then others as rows show them. */
const MOST = 64
/** The number of a key that is not among them. */
const OTHER = -1

/** One object of a plan. Keys are numbered; each number's successor is the key that last followed it. */
class Keys {
  readonly names: Uint8Array[] = []
  /** The slot of a key's value; -1: not wanted. */
  readonly slots: number[] = []
  /** What is wanted of a value that is an object. */
  readonly inner: (Keys | undefined)[] = []
  /** By number + 1, so that what comes first has a place too. */
  private readonly next: number[] = [0]
  /** The number of the key that was read last. */
  number = OTHER
  /** The slot of the first key, where every key is wanted; else -1. */
  every = -1
  /** Slots in it and in its inner objects: from, to. */
  first = 0
  last = 0
  /** There are more keys than it recognises. */
  full = false

  add(name: Uint8Array): number {
    const number = this.names.push(name) - 1
    this.slots.push(this.every < 0 ? -1 : this.every + number)
    this.inner.push(undefined)
    this.next.push((number + 1) % MOST)
    return number
  }

  /**
   * Reads the key at `at` and puts its number into {@link number}.
   * @param before the number of the key before it; OTHER for none
   * @returns the index after its closing quote; -1 if there is no key
   */
  pastKey(bytes: Uint8Array, at: number, end: number, before: number): number {
    if (bytes[at] !== QUOTE) return -1
    const expected = this.next[before + 1]!
    const name = this.names[expected]
    if (name && isKey(bytes, at + 1, name)) {
      this.number = expected
      return at + name.length + 2
    }
    const after = stringEnd(bytes, at + 1, end)
    if (after < 0) return -1
    this.number = this.numberOf(unescaped(bytes, at + 1, after - 1))
    if (this.number >= 0) this.next[before + 1] = this.number
    return after
  }

  private numberOf(key: Uint8Array): number {
    const number = this.names.findIndex((name) => Buffer.compare(name, key) === 0)
    if (number >= 0) return number
    if (this.names.length < MOST) return this.add(Uint8Array.from(key))
    this.full = true
    return OTHER
  }
}

function isKey(bytes: Uint8Array, at: number, name: Uint8Array): boolean {
  for (let i = 0; i < name.length; i++) if (bytes[at + i] !== name[i]) return false
  return bytes[at + name.length] === QUOTE
}

/** Wanted paths, and where the last scan found their values. */
export class Plan {
  /** Where each slot's value begins and ends: `at[2 * slot]`, `at[2 * slot + 1]`; -1: it was not there. */
  readonly at: Int32Array
  readonly root = new Keys()
  private readonly known = new Map<string, number>()
  private readonly lists = new Map<string, Keys>()

  /** @param paths keys joined by dots; `usage.*` wants every key of `usage`. An object's own slot holds all of it. */
  constructor(...paths: string[]) {
    const tree = treeOf(paths)
    this.at = new Int32Array(2 * this.number(this.root, tree, '', 0)).fill(-1)
  }

  private number(keys: Keys, tree: Tree, path: string, slot: number): number {
    keys.first = slot
    if (tree.has('*')) {
      this.lists.set(path.slice(0, -1), keys)
      keys.every = slot
      slot += MOST
    } else
      for (const [key, below] of tree) {
        const number = keys.add(Buffer.from(key))
        this.known.set(path + key, (keys.slots[number] = slot++))
        if (below.size === 0) continue
        keys.inner[number] = new Keys()
        slot = this.number(keys.inner[number], below, `${path}${key}.`, slot)
      }
    keys.last = slot
    return slot
  }

  /** The slot of a wanted path. */
  slot(path: string): number {
    return this.known.get(path)!
  }

  /** Of an object whose every key is wanted: its first slot, the keys seen so far (one a slot), whether there were more. */
  every(path: string): { first: number; names: readonly Uint8Array[]; full: boolean } {
    const { every, names, full } = this.lists.get(path)!
    return { first: every, names, full }
  }
}

type Tree = Map<string, Tree>
function treeOf(paths: readonly string[]): Tree {
  const root: Tree = new Map()
  for (const path of paths) {
    let tree = root
    for (const key of path.split('.')) {
      if (!tree.has(key)) tree.set(key, new Map())
      tree = tree.get(key)!
    }
  }
  return root
}

/**
 * Finds the plan's values in the object that begins at `at`, and puts their places into `plan.at`. Of duplicate keys the
 * last counts, as in JSON.parse.
 * @returns the index after the object; -1 if the line is not one that the scanner understands
 */
export function scan(bytes: Uint8Array, at: number, end: number, plan: Plan): number {
  plan.at.fill(-1)
  try {
    return bytes[at] === OPEN ? scanObject(bytes, at, end, plan.root, plan.at) : -1
  } catch {
    return -1
  }
}

function scanObject(bytes: Uint8Array, at: number, end: number, keys: Keys, places: Int32Array): number {
  at = pastSpace(bytes, at + 1)
  if (bytes[at] === CLOSE) return at + 1
  for (let key = OTHER; ; ) {
    const begin = pastColon(bytes, keys.pastKey(bytes, at, end, key))
    if (begin < 0) return -1
    key = keys.number
    const slot = key < 0 ? -1 : keys.slots[key]!
    at = slot < 0 ? valueEnd(bytes, begin, end) : wantedEnd(bytes, begin, end, keys.inner[key], slot, places)
    if (at < 0) return -1
    if (bytes[at] !== COMMA) {
      at = pastSpace(bytes, at)
      if (bytes[at] === CLOSE) return at + 1
      if (bytes[at] !== COMMA) return -1
    }
    at = pastSpace(bytes, at + 1)
  }
}

/** Notes the place of a wanted value, and the places of those inside it. */
function wantedEnd(
  bytes: Uint8Array,
  at: number,
  end: number,
  inner: Keys | undefined,
  slot: number,
  places: Int32Array,
): number {
  // A duplicate key takes the place of all that the one before had.
  if (inner && places[2 * slot]! >= 0) places.fill(-1, 2 * inner.first, 2 * inner.last)
  const after =
    inner && bytes[at] === OPEN ? scanObject(bytes, at, end, inner, places) : valueEnd(bytes, at, end)
  places[2 * slot] = at
  places[2 * slot + 1] = after
  return after
}

/** Index of the value whose key ends before `at`; -1 if there is no colon. */
function pastColon(bytes: Uint8Array, at: number): number {
  if (at < 0) return -1
  if (bytes[at] !== COLON) {
    at = pastSpace(bytes, at)
    if (bytes[at] !== COLON) return -1
  }
  return pastSpace(bytes, at + 1)
}
