/** Rows read ahead of the calls, so that a run knows how many there are where these are not too many. */
import type { Rows } from '../../rows/reader.ts'
import type { Row } from '../../rows/row.ts'

/** Rows read ahead at most, beyond the last batch. */
const AHEAD = 1024

/** @param ended is called with the number of rows once all have been read */
export async function* readAhead(rows: Rows, ended: (count: number) => void): AsyncGenerator<Row[]> {
  const batches: Row[][] = []
  let held = 0
  let count = 0
  let over = false
  let failure: unknown
  let wakeReader = () => {}
  let wakeWriter = () => {}
  const read = async () => {
    try {
      for await (const batch of rows) {
        batches.push(batch)
        held += batch.length
        count += batch.length
        wakeReader()
        while (held >= AHEAD && !over) await new Promise<void>((resolve) => (wakeWriter = resolve))
        if (over) return
      }
      ended(count)
    } catch (error) {
      failure = error
    } finally {
      over = true
      wakeReader()
    }
  }
  read()
  try {
    for (;;) {
      const batch = batches.shift()
      if (batch) {
        held -= batch.length
        wakeWriter()
        yield batch
      } else if (over) break
      else await new Promise<void>((resolve) => (wakeReader = resolve))
    }
    if (failure) throw failure
  } finally {
    over = true
    wakeWriter()
  }
}
