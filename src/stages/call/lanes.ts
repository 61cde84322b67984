/**
 * Processes rows concurrently and yields them in the order of the input.
 *
 * A row is started when fewer than `width` are in progress and the rows that wait for an earlier one take less than some
 * megabytes: memory is bounded, and a row with many retries does not block others.
 */
import type { Rows } from '../../rows/reader.ts'
import type { Row } from '../../rows/row.ts'

interface LaneOptions {
  /** The most rows in progress; it may grow. */
  width: () => number
  /** Yields rows as soon as they are done. */
  unordered: boolean
  /** When aborted, no more rows are started. */
  halt: AbortSignal
  /** Called with the number of rows when all are read. */
  counted?: (rows: number) => void
}

/** Rows read ahead, beyond the last batch, so that the number of rows of a short input is known early. */
const AHEAD = 1024
/** Bytes of rows that were started and not yielded yet; fewer rows than `width` may take more. */
const MOST_BYTES = 32 * 2 ** 20
/** Approximate bytes of a row in addition to its text. */
const ROW = 512

/** A row's place in the order. */
interface Slot {
  row: Row | undefined
  done: boolean
  bytes: number
}

type Work = (row: Row) => Promise<Row | undefined>

export class Lanes {
  private readonly rows: Rows
  private readonly work: Work
  private readonly options: LaneOptions
  /** Ordered: rows started and not yet yielded. Unordered: rows that are done. */
  private order: Slot[] = []
  /** The slots before this one have been yielded. */
  private head = 0
  /** Rows started and not yet yielded, and their bytes. */
  private waiting = 0
  private waitingBytes = 0
  private inProgress = 0
  /** The input was read to its end. */
  private ended = false
  private failure: unknown
  /** Whether `options.halt` is aborted: a signal's own property is slow. */
  private halted: boolean
  /** Batches with rows not yet started, the next row of the first batch, and the number of rows. */
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

  /** Whether rows were read that are not started yet. */
  get rowsLeft(): boolean {
    return this.ahead > 0
  }

  /**
   * Yields what `work` returns for each row, except undefined. Ending the iteration early does not end work in progress.
   *
   * @throws what `work` throws, after the rows that were done by then; what `rows` throws, after all rows before that
   */
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
        } else if (this.inProgress === 0 && (this.ended || this.over)) break
        else await new Promise<void>((resolve) => (this.wakeReader = resolve))
      }
      if (this.failure) throw this.failure
    } finally {
      this.failure ??= new Error('ended')
      halt.removeEventListener('abort', stop)
      this.wakeAll()
    }
  }

  /** No more rows are started. */
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

  /** Starts as many rows as there is room for. */
  private fill(): void {
    while (this.ahead > 0 && this.hasRoom && !this.over) {
      const batch = this.batches[0]!
      const row = batch[this.next++]!
      if (this.next === batch.length) {
        this.batches.shift()
        this.next = 0
      }
      this.ahead--
      this.start(row)
    }
    if (this.ahead < AHEAD || this.over) this.wakeFeeder()
  }

  private get hasRoom(): boolean {
    const width = this.options.width()
    return this.inProgress < width && (this.waiting < width || this.waitingBytes < MOST_BYTES)
  }

  private start(row: Row): void {
    const slot: Slot = { row: undefined, done: false, bytes: row.size + ROW }
    this.waiting++
    this.waitingBytes += slot.bytes
    if (!this.options.unordered) this.order.push(slot)
    this.inProgress++
    const end = (changed?: Row) => {
      this.inProgress--
      this.finish(slot, changed)
      this.fill()
    }
    this.work(row).then(end, (error) => {
      this.failure ??= error
      end()
    })
  }

  private finish(slot: Slot, row: Row | undefined): void {
    const added = row ? row.size + ROW - slot.bytes : 0
    slot.row = row
    slot.done = true
    slot.bytes += added
    this.waitingBytes += added
    if (this.options.unordered) this.order.push(slot)
    this.wake()
  }

  /** The rows that can be yielded; undefined if there are none. */
  private take(): Row[] | undefined {
    const from = this.head
    const done: Row[] = []
    for (let slot = this.order[from]; slot?.done; slot = this.order[this.head]) {
      if (slot.row) done.push(slot.row)
      slot.row = undefined
      this.waitingBytes -= slot.bytes
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

  /** Wakes the reader at the end of this turn of the event loop, so that it yields all rows done in one turn together. */
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
