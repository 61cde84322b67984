/**
 * Finds the members of JSON lines with WebAssembly (wasm/measure.ts), which checks some gigabytes a second. Lines that
 * it does not handle are scanned in JavaScript (line_search.ts).
 */
import { existsSync, readFileSync } from 'node:fs'
import type { SharedJbs } from './shared_jb.ts'

/** Indices of a record's 32-bit numbers. All offsets count from the begin of the text. Members follow from `members` on. */
export const RECORD = {
  begin: 0,
  end: 1,
  state: 2,
  /** How many numbers the record has, with its members. */
  size: 3,
  /** How many members: the user's (without `jb`), then those of `jb`. */
  users: 4,
  jbs: 5,
  /** Begin and end of `jb` with its key and one comma; -1: none. */
  jbFrom: 6,
  jbTo: 7,
  /** Index of the item among jb's members, and the number of jb's unmasked part (see SharedJb); -1: none. */
  item: 8,
  shared: 9,
  /** How many masked values are listed: their begins and ends are the last numbers of the record. */
  masked: 10,
  /** Both halves of the item's hash (see item_hash.ts); 0: none. */
  hash: 11,
  members: 13,
} as const
/** Numbers of a member: offsets of its key's opening quote, of its value's begin and of its value's end. */
export const MEMBER = 3
/** A member of jb has a fourth: where the list of its own members begins after all of jb's, from 1; 0: no list. */
export const JB_MEMBER = 4

/** Numbers in the record of a line that is not a row: begin, end and state. */
export const SHORT_RECORD = 3

/** A line's state: its kind in the lowest two bits. */
export const STATE = { mask: 3, unmeasured: 0, blank: 1, row: 2, sameUsers: 4, sameJb: 8 } as const

interface Machine {
  memory: WebAssembly.Memory
  input(): number
  table(): number
  capacity(): number
  measure(from: number, to: number): number
  position(): number
  resets(): number
  maskReplies(on: boolean): void
}

/** Consecutive records, and the shared parts that their `shared` numbers refer to. */
export interface RecordTable {
  records: Int32Array
  sharedJbs: SharedJbs
}

let code: WebAssembly.Module | undefined
/** An instance of the module with its own memory. @throws if WebAssembly is switched off or has no address space */
export function instance(): unknown {
  code ??= new WebAssembly.Module(readFileSync(codeFile()))
  return new WebAssembly.Instance(code).exports
}

/** Instances to be reused. */
const pool: LineIndexer[] = []

/** A buffer in WebAssembly's memory: whole lines, and the begin of one that has not ended yet. */
export class LineIndexer {
  /** Bytes in the buffer. */
  length = 0
  /** Shared parts by number, since the module last restarted its numbers. */
  private known: SharedJbs['known'] = []
  private resets = 0
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

  /** Undefined without WebAssembly. */
  static take(): LineIndexer | undefined {
    const used = pool.pop()
    if (used) return used
    try {
      return new LineIndexer(instance() as Machine)
    } catch {
      return undefined
    }
  }

  /** Empties the buffer and makes it available to others. */
  release(): void {
    this.length = 0
    pool.push(this)
  }

  /** The next `count` free bytes of the buffer; undefined if it has fewer. */
  free(count: number): Buffer | undefined {
    const { length } = this
    return length + count > this.capacity ? undefined : this.bytes.subarray(length, length + count)
  }

  /** Appends bytes, or accepts those that were read into {@link free}. @returns false if they do not fit */
  add(bytes: Uint8Array): boolean {
    if (this.length + bytes.length > this.capacity) return false
    if (bytes.buffer !== this.bytes.buffer) this.bytes.set(bytes, this.length)
    this.length += bytes.length
    return true
  }

  /** The first bytes of the buffer, which later ones overwrite. */
  first(count: number): Buffer {
    return this.bytes.subarray(0, count)
  }

  /**
   * Tables of the lines in [from, to).
   * @param transient the tables are not used after the next call
   * @param maskReplies see ReadOptions
   */
  measure(from: number, to: number, transient = false, maskReplies = false): RecordTable[] {
    const { machine, table } = this
    const tables: RecordTable[] = []
    machine.maskReplies(maskReplies)
    while (from < to) {
      const used = machine.measure(from, to)
      // The next call overwrites the table: rows that outlive it need a copy.
      const whole = transient && tables.length === 0 && machine.position() >= to
      const records = whole
        ? this.numbers.subarray(table, table + used / 4)
        : this.numbers.slice(table, table + used / 4)
      if (this.resets !== machine.resets()) {
        this.resets = machine.resets()
        this.known = []
      }
      tables.push({ records, sharedJbs: { maskReplies, known: this.known } })
      from = machine.position()
    }
    return tables
  }

  /** Removes the first bytes. */
  drop(count: number): void {
    this.bytes.copyWithin(0, count, this.length)
    this.length -= count
  }
}

/** Beside the bundles, in the library's root, or, when run from the sources, in dist. */
function codeFile(): URL {
  const places = ['./measure.wasm', '../measure.wasm', '../../dist/measure.wasm']
  const urls = places.map((place) => new URL(place, import.meta.url))
  return urls.find((url) => existsSync(url)) ?? urls[0]!
}
