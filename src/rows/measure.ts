/**
 * Where the members of JSON lines stand: measured by WebAssembly (wasm/measure.ts), which checks and searches
 * some gigabytes a second. What it leaves alone is searched by JavaScript (scan.ts).
 */
import { isUtf8 } from 'node:buffer'
import { existsSync, readFileSync } from 'node:fs'
import type { Latin1 } from './bytes.ts'
import type { SharedJbs } from './shared_jb.ts'

/** A record's numbers, 32 bits each; all places count from the begin of the text. Members follow. */
export const RECORD = {
  begin: 0,
  end: 1,
  state: 2,
  /** Numbers the record has, with its members. */
  size: 3,
  /** How many members: the user's (without `jb`), then those of `jb`. */
  users: 4,
  jbs: 5,
  /** `jb` with its key and one comma; -1: none. */
  jbFrom: 6,
  jbTo: 7,
  /** Which of jb's members is the item, and the number of all that is not masked (see SharedJb); -1. */
  item: 8,
  common: 9,
  /** How many masked values are given: where they begin and end are the last numbers of the record. */
  masked: 10,
  /** Both halves of a hash of the item (see item_hash.ts); 0: it has none. */
  hash: 11,
  members: 13,
} as const
/** Numbers a member has: its key's quote, its value's begin, its value's end. */
export const MEMBER = 3
/** One of jb's has a fourth: where the list of its own members begins after all these, from 1; 0: none. */
export const JB_MEMBER = 4

/** What a line is: in the lowest two bits of its state. A line that is no row has a record of `bare` numbers. */
export const STATE = { mask: 3, left: 0, blank: 1, row: 2, sameUsers: 4, sameJb: 8, bare: 3 } as const

interface Machine {
  memory: WebAssembly.Memory
  input(): number
  table(): number
  capacity(): number
  measure(from: number, to: number): number
  position(): number
  forgotten(): number
  maskReplies(on: boolean): void
}

/** Records one after the other, and what their numbers of common parts stand for. */
export interface RecordTable {
  records: Int32Array
  sharedJbs: SharedJbs
}

let code: WebAssembly.Module | undefined
/** The code, with a memory of its own. @throws where WebAssembly cannot be had: switched off, or no address space to be got for it */
export function instance(): unknown {
  code ??= new WebAssembly.Module(readFileSync(codeFile()))
  return new WebAssembly.Instance(code).exports
}

/** Rooms that were used and can be used again. */
const free: LineIndexer[] = []

/** Bytes in WebAssembly's memory: lines, and the begin of one that has not ended yet. */
export class LineIndexer {
  /** Bytes in it. */
  held = 0
  /** What jbs have in common, by the numbers that it has since they last began again. */
  private known: SharedJbs['known'] = []
  private forgotten = 0
  private readonly machine: Machine
  private readonly bytes: Buffer
  private readonly numbers: Int32Array
  private readonly table: number
  private readonly capacity: number

  private constructor(machine: Machine) {
    this.machine = machine
    this.capacity = machine.capacity()
    this.bytes = Buffer.from(machine.memory.buffer, machine.input(), this.capacity)
    this.numbers = new Int32Array(machine.memory.buffer)
    this.table = machine.table() / 4
  }

  /** Undefined where WebAssembly cannot be had. */
  static take(): LineIndexer | undefined {
    const used = free.pop()
    if (used) return used
    try {
      return new LineIndexer(instance() as Machine)
    } catch {
      return undefined
    }
  }

  /** Gives it back. */
  release(): void {
    this.held = 0
    free.push(this)
  }

  /** Where bytes can be put after those in it, so many at most; undefined where there is no room for so many. */
  rest(count: number): Buffer | undefined {
    const { held } = this
    return held + count > this.capacity ? undefined : this.bytes.subarray(held, held + count)
  }

  /** Takes bytes after those in it. @returns false where there is no room for them */
  add(bytes: Uint8Array): boolean {
    if (this.held + bytes.length > this.capacity) return false
    if (bytes.buffer !== this.bytes.buffer) this.bytes.set(bytes, this.held)
    this.held += bytes.length
    return true
  }

  /** The bytes from the first on. They are overwritten by the next. */
  first(count: number): Buffer {
    return this.bytes.subarray(0, count)
  }

  /** Whether the first bytes are UTF-8. */
  isUtf8(count: number): boolean {
    return isUtf8(this.first(count))
  }

  /** The first bytes. */
  text(count: number): Latin1 {
    return this.bytes.latin1Slice(0, count)
  }

  /**
   * Tables of the lines between two bytes.
   * @param passing they are used before more is measured
   * @param judged see ReadOptions
   */
  measure(from: number, to: number, passing = false, judged = false): RecordTable[] {
    const { machine, table } = this
    const tables: RecordTable[] = []
    machine.maskReplies(judged)
    while (from < to) {
      const used = machine.measure(from, to)
      // Rows outlive what is measured next.
      const whole = passing && tables.length === 0 && machine.position() >= to
      const records = whole
        ? this.numbers.subarray(table, table + used / 4)
        : this.numbers.slice(table, table + used / 4)
      if (this.forgotten !== machine.forgotten()) {
        this.forgotten = machine.forgotten()
        this.known = []
      }
      tables.push({ records, sharedJbs: { judged, known: this.known } })
      from = machine.position()
    }
    return tables
  }

  /** Takes the first bytes away. */
  drop(count: number): void {
    this.bytes.copyWithin(0, count, this.held)
    this.held -= count
  }
}

/** Beside a bundle, in the library's root, or, from the sources, where the build puts it. */
function codeFile(): URL {
  const places = ['./measure.wasm', '../measure.wasm', '../../dist/measure.wasm']
  const urls = places.map((place) => new URL(place, import.meta.url))
  return urls.find((url) => existsSync(url)) ?? urls[0]!
}
