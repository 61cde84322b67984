/**
 * Rows worked on side by side, and in order all the same.
 *
 * A row is begun when fewer than `width` are under way and those that wait for an earlier one hold less than some
 * megabytes, so memory stays flat whatever the input's length, and a row that is tried again and again stops no others.
 */
import type { Rows } from '../../rows/reader.ts'
import type { Row } from '../../rows/row.ts'

interface LaneOptions {
  /** Rows under way at once; it may become more. */
  width: () => number
  /** Rows leave as soon as they are done. */
  unordered: boolean
  /** Aborted: no more rows are taken; what is under way is waited for. */
  halt: AbortSignal
  /** Called with the number of rows once all are read. */
  counted?: (rows: number) => void
}

/** Rows read ahead at most, beyond the last batch: so a run of fewer rows knows early how many there are. */
const AHEAD = 1024
/** Bytes that rows may hold which were begun and not yielded yet. Where fewer rows than lanes hold more, they may. */
const HELD = 32 * 2 ** 20
/** Bytes of a row beside its text, about. */
const ROW = 512

/** A place in the order. */
interface Slot {
  row: Row | undefined
  done: boolean
  /** Bytes it holds. */
  bytes: number
}

type Work = (row: Row) => Row | undefined | Promise<Row | undefined>

/**
 * Yields each row as `work` leaves it, in the order of the input; a row for which `work` gives undefined is
 * left out. Ending the iteration early does not end calls under way: that is left to the caller.
 *
 * @throws what `work` throws, after the rows that were done by then; what `rows` throws, after all rows before that
 */
export async function* lanes(rows: Rows, work: Work, options: LaneOptions): AsyncGenerator<Row[]> {
  yield* new Lanes(rows, work, options).run()
}

class Lanes {
  private readonly rows: Rows
  private readonly work: Work
  private readonly options: LaneOptions
  /** Ordered: rows begun and not yet yielded. Unordered: rows that are done. */
  private order: Slot[] = []
  /** Slots before this one have been yielded. */
  private head = 0
  private waiting = 0
  /** Bytes that these rows hold. */
  private heldBytes = 0
  private underWay = 0
  /** The input's end was reached. */
  private ended = false
  private failure: unknown
  /** `options.halt` aborted; read several times a row, and a signal's own flag is slow to read. */
  private halted: boolean
  /** Batches with rows that are not begun yet, which row of the first is begun next, and how many there are. */
  private readonly batches: Row[][] = []
  private next = 0
  private ahead = 0
  private waking = false
  private wakeFeeder = () => {}
  private wakeReader = () => {}

  constructor(rows: Rows, work: Work, options: LaneOptions) {
    this.rows = rows
    this.work = work
    this.options = options
    this.halted = options.halt.aborted
  }

  async *run(): AsyncGenerator<Row[]> {
    const { halt } = this.options
    const stop = () => {
      this.halted = true
      this.wakeAll()
    }
    halt.addEventListener('abort', stop)
    this.feed()
    try {
      for (;;) {
        const done = this.take()
        if (done) {
          this.fill()
          if (done.length > 0) yield done
        } else if (this.underWay === 0 && (this.ended || this.over)) break
        else await new Promise<void>((resolve) => (this.wakeReader = resolve))
      }
      if (this.failure) throw this.failure
    } finally {
      this.failure ??= new Error('ended')
      halt.removeEventListener('abort', stop)
      this.wakeAll()
    }
  }

  /** No more rows are begun. */
  private get over(): boolean {
    return this.halted || this.failure !== undefined
  }

  private async feed(): Promise<void> {
    let count = 0
    try {
      for await (const batch of this.rows) {
        if (batch.length > 0) this.batches.push(batch)
        this.ahead += batch.length
        count += batch.length
        this.fill()
        await this.aheadBelow(AHEAD)
        if (this.over) return
      }
      this.options.counted?.(count)
    } catch (error) {
      await this.aheadBelow(1)
      this.failure ??= error
    } finally {
      this.ended = true
      this.wake()
    }
  }

  private async aheadBelow(rows: number): Promise<void> {
    while (this.ahead >= rows && !this.over) await new Promise<void>((resolve) => (this.wakeFeeder = resolve))
  }

  /** Begins as many rows as there is room for: at once, since a promise a row costs more. */
  private fill(): void {
    try {
      while (this.ahead > 0 && this.hasRoom && !this.over) {
        const batch = this.batches[0]!
        const row = batch[this.next++]!
        if (this.next === batch.length) {
          this.batches.shift()
          this.next = 0
        }
        this.ahead--
        this.begin(row)
      }
    } catch (error) {
      this.failure ??= error
    }
    if (this.ahead < AHEAD || this.over) this.wakeFeeder()
  }

  private get hasRoom(): boolean {
    const width = this.options.width()
    return this.underWay < width && (this.waiting < width || this.heldBytes < HELD)
  }

  private begin(row: Row): void {
    const slot: Slot = { row: undefined, done: false, bytes: row.bytes + ROW }
    this.waiting++
    this.heldBytes += slot.bytes
    if (!this.options.unordered) this.order.push(slot)
    const result = this.work(row)
    if (!(result instanceof Promise)) {
      this.finish(slot, result)
      return
    }
    this.underWay++
    const end = (changed: Row | undefined) => {
      this.underWay--
      this.finish(slot, changed)
      this.fill()
    }
    result.then(end, (error) => {
      this.failure ??= error
      end(undefined)
    })
  }

  private finish(slot: Slot, row: Row | undefined): void {
    const added = row?.addedBytes ?? 0
    slot.row = row
    slot.done = true
    slot.bytes += added
    this.heldBytes += added
    if (this.options.unordered) this.order.push(slot)
    this.wake()
  }

  /** The rows that can leave; undefined where none can. */
  private take(): Row[] | undefined {
    const from = this.head
    const done: Row[] = []
    for (let slot = this.order[from]; slot?.done; slot = this.order[this.head]) {
      if (slot.row) done.push(slot.row)
      slot.row = undefined
      this.heldBytes -= slot.bytes
      this.head++
    }
    if (this.head === from) return undefined
    this.waiting -= this.head - from
    if (2 * this.head > this.order.length) {
      this.order = this.order.slice(this.head)
      this.head = 0
    }
    return done
  }

  /** Wakes the reader at the end of this turn of the event loop: what is done in one turn leaves together. */
  private wake(): void {
    if (this.waking) return
    this.waking = true
    setImmediate(() => {
      this.waking = false
      this.wakeReader()
    })
  }

  private wakeAll(): void {
    this.wakeFeeder()
    this.wake()
  }
}
