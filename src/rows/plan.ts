/**
 * Wanted values of an object, found in one scan.
 *
 * A plan is a tree of wanted keys. `scan` notes where their values begin and end, and skips all others. Each object of a
 * plan learns the order of its keys from the rows: the next key is compared with the expected one first. That is a guess
 * which is checked, so any order gives the same places.
 */
import {
  BACKSLASH,
  firstKey,
  nextKey,
  OPEN,
  pastColon,
  QUOTE,
  stringEnd,
  unescaped,
  valueEnd,
} from './scan.ts'

/** Keys of an object that are recognised: the wanted ones, then others as rows show them. */
const MOST = 64
/** The number of a key that is not among them. */
const OTHER = -1

/** One object of a plan. Keys are numbered; each number's successor is the key that last followed it. */
class Keys {
  readonly names: Uint8Array[] = []
  /** The same as they stand in a row; undefined for those that stand there with escapes. */
  readonly raw: (Uint8Array | undefined)[] = []
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
    this.raw.push(name.includes(QUOTE) || name.includes(BACKSLASH) ? undefined : name)
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
    const known = this.isAt(expected, bytes, at + 1) ? expected : this.numberAt(bytes, at + 1)
    if (known >= 0) {
      this.number = this.next[before + 1] = known
      return at + this.raw[known]!.length + 2
    }
    const after = stringEnd(bytes, at + 1, end)
    if (after < 0) return -1
    this.number = this.numberOf(unescaped(bytes, at + 1, after - 1))
    if (this.number >= 0) this.next[before + 1] = this.number
    return after
  }

  /** The number of the key at `at`, if it stands there without escapes; else -1. */
  private numberAt(bytes: Uint8Array, at: number): number {
    for (let number = 0; number < this.raw.length; number++) if (this.isAt(number, bytes, at)) return number
    return OTHER
  }

  private isAt(number: number, bytes: Uint8Array, at: number): boolean {
    const name = this.raw[number]
    if (!name) return false
    for (let i = 0; i < name.length; i++) if (bytes[at + i] !== name[i]) return false
    return bytes[at + name.length] === QUOTE
  }

  private numberOf(key: Uint8Array): number {
    const number = this.names.findIndex((name) => Buffer.compare(name, key) === 0)
    if (number >= 0) return number
    if (this.names.length < MOST) return this.add(Uint8Array.from(key))
    this.full = true
    return OTHER
  }
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

  /** Forgets the last scan. */
  clear(): void {
    this.at.fill(-1)
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
 * @param stop a value that ends here is the last one that is looked at
 * @returns the index after the object; -1 if the line is not one that the scanner understands
 */
export function scan(bytes: Uint8Array, at: number, end: number, plan: Plan, stop = -1): number {
  plan.clear()
  try {
    return bytes[at] === OPEN ? scanObject(bytes, at, end, plan.root, plan.at, stop) : -1
  } catch {
    return -1
  }
}

/** A duplicate key takes the place of all that the one before had. */
function forget(places: Int32Array, { first, last }: Keys): void {
  places.fill(-1, 2 * first, 2 * last)
}

function scanObject(
  bytes: Uint8Array,
  at: number,
  end: number,
  keys: Keys,
  places: Int32Array,
  stop = -1,
): number {
  let key = OTHER
  for (let next = firstKey(bytes, at); ; next = nextKey(bytes, at)) {
    if (next < 0) return ~next || -1
    const begin = pastColon(bytes, keys.pastKey(bytes, next, end, key))
    if (begin < 0) return -1
    key = keys.number
    const slot = keys.slots[key] ?? -1
    if (slot < 0) at = valueEnd(bytes, begin, end)
    else {
      const inner = keys.inner[key]
      const place = 2 * slot
      if (inner && places[place]! >= 0) forget(places, inner)
      const isScanned = inner && bytes[begin] === OPEN
      at = isScanned ? scanObject(bytes, begin, end, inner, places) : valueEnd(bytes, begin, end)
      places[place] = begin
      places[place + 1] = at
    }
    if (at < 0 || at === stop) return at
  }
}
