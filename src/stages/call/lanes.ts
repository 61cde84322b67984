/**
 * Rows worked on side by side, and in order all the same.
 *
 * A row is read only when fewer than `width` are under way and fewer than a window of some hundred wait for an
 * earlier one, so memory stays flat whatever the input's length, and a slow row holds up nobody for long.
 */
import type { Rows } from '../../rows/reader.ts'
import type { Row } from '../../rows/row.ts'

export interface LaneOptions {
  /** Rows under way at once. */
  width: number
  /** Rows leave as they are done. */
  unordered: boolean
  /** Aborted: no more rows are taken; what is under way is waited for. */
  halt: AbortSignal
}

/** Rows that may wait for an earlier one, for each lane: where answers take their time, more gains nothing. */
const WINDOW = 4
/** And at least so many, so that one call that hangs does not stop a few quick lanes. */
const LEAST = 512

/** A place in the order. */
interface Slot {
  row: Row | undefined
  done: boolean
}

/**
 * Yields each row as `work` leaves it, in the order they came; a row for which `work` gives undefined is
 * left out. Ending the iteration early leaves calls to their own: the caller ends them.
 */
export async function* lanes(
  rows: Rows,
  work: (row: Row) => Row | undefined | Promise<Row | undefined>,
  { width, unordered, halt }: LaneOptions,
): AsyncGenerator<Row[]> {
  /** Ordered: rows begun and not yet given on. Unordered: rows that are done. */
  let order: Slot[] = []
  /** Slots before this one have been given on. */
  let head = 0
  let waiting = 0
  let underWay = 0
  let ended = false
  let failure: unknown
  /** The batch read last, and which of its rows is begun next. */
  let batch: Row[] = []
  let next = 0
  let ringing = false
  let wakeFeeder = () => {}
  let wakeReader = () => {}
  const window = Math.max(LEAST, width * WINDOW)
  // Asked several times a row: a signal's own flag is slow to read.
  let halted = halt.aborted
  const over = () => halted || failure !== undefined

  /** Wakes the reader at the end of this turn of the event loop: what is done in one turn leaves together. */
  const ring = () => {
    if (ringing) return
    ringing = true
    setImmediate(() => {
      ringing = false
      wakeReader()
    })
  }

  const finish = (slot: Slot, row: Row | undefined) => {
    slot.row = row
    slot.done = true
    if (unordered) order.push(slot)
    ring()
  }

  const begin = (row: Row) => {
    const slot: Slot = { row: undefined, done: false }
    waiting++
    if (!unordered) order.push(slot)
    const result = work(row)
    if (!(result instanceof Promise)) return finish(slot, result)
    underWay++
    const end = (changed: Row | undefined) => {
      underWay--
      finish(slot, changed)
      fill()
    }
    result.then(end, (error) => {
      failure ??= error
      end(undefined)
    })
  }

  /** Begins as many rows of the batch as there is room for: at once, for a promise a row costs more. */
  const fill = () => {
    try {
      while (next < batch.length && underWay < width && waiting < window && !over()) begin(batch[next++]!)
    } catch (error) {
      failure ??= error
    }
    if (next === batch.length || over()) wakeFeeder()
  }

  /** The rows that can leave; undefined where none can. */
  const take = (): Row[] | undefined => {
    const from = head
    const done: Row[] = []
    for (let slot = order[head]; slot?.done; slot = order[head]) {
      if (slot.row) done.push(slot.row)
      slot.row = undefined
      head++
    }
    if (head === from) return undefined
    waiting -= head - from
    if (head > window) {
      order = order.slice(head)
      head = 0
    }
    return done
  }

  const feed = async () => {
    try {
      for await (batch of rows) {
        next = 0
        fill()
        if (next < batch.length && !over()) await new Promise<void>((resolve) => (wakeFeeder = resolve))
        if (over()) return
      }
    } catch (error) {
      failure ??= error
    } finally {
      ended = true
      ring()
    }
  }

  const stopped = () => {
    wakeFeeder()
    ring()
  }
  const stop = () => {
    halted = true
    stopped()
  }
  halt.addEventListener('abort', stop)
  feed()
  try {
    for (;;) {
      const done = take()
      if (done) {
        fill()
        if (done.length > 0) yield done
      } else if (underWay === 0 && (ended || over())) break
      else await new Promise<void>((resolve) => (wakeReader = resolve))
    }
    if (failure) throw failure
  } finally {
    failure ??= new Error('ended')
    halt.removeEventListener('abort', stop)
    stopped()
  }
}
