/** Items of which all trials are there, and some failed: they wait in a temporary file, as these may be tried again. */
import { Spool } from '../../files/spool.ts'
import type { Criterion, TrialResult } from '../../rows/record.ts'
import { decode, encode, type Latin1, Row } from '../../rows/row.ts'
import type { OpenItem } from '../../scoring/_open_item.ts'
import { UNREAD } from '../../scoring/_trial.ts'

/** The share of the free disk space that they may take. */
const OF_FREE = 1 / 4

/** Bytes that are written together. */
const PIECE = 64 * 1024

/** What is written of an item before its row. */
type Stored = Pick<OpenItem, 'first' | 'failed' | 'of' | 'model'> & {
  key: string
  file: string
  line: number
  trials: TrialResult[]
  criteria: { criterion: Criterion; n: number }[]
}

/** Whether an item failed, and will not if the trials that failed are tried again. */
export const mayBeTriedAgain = ({ trials, conflict }: OpenItem): boolean =>
  conflict === undefined && [...trials.values()].some(({ error }) => error && error.stage !== UNREAD.stage)

export class FailedItems {
  private spool: Spool | undefined
  /** Items that are not in the spool yet, two lines each. */
  private parts: string[] = []
  private size = 0
  private isFull = false

  /** @returns false if there is no room for it, or it has rows or replies that contradict each other */
  add(key: string, item: OpenItem): boolean {
    const { row, first, failed, of, model, trials, criteria, others, more } = item
    if (others || more || this.isFull) return false
    const stored: Stored = {
      ...{ key, file: row.file, line: row.line, first, failed, of, model },
      trials: [...trials.values()],
      criteria: [...(criteria?.values() ?? [])],
    }
    const add = (text: string) => {
      this.parts.push(text)
      this.size += text.length
    }
    add(encode(`${JSON.stringify(stored)}\n`))
    row.write({ bytes: add, text: (text) => add(encode(text)) })
    if (this.size >= PIECE) this.flush()
    return true
  }

  private flush(): void {
    const text = this.parts.join('') as Latin1
    try {
      this.spool ??= new Spool()
      this.spool.add(text)
    } catch {
      // Without room for temporary files, these and all further ones stay in memory.
      this.isFull = true
      return
    }
    const { size, free } = this.spool
    this.isFull = size > free * OF_FREE
    this.parts = []
    this.size = 0
  }

  /** In the order in which they were added. */
  *all(): Generator<[key: string, item: OpenItem]> {
    for (let i = 0; i < (this.spool?.pieces ?? 0); i++)
      yield* itemsIn(this.spool!.read(i).toString('latin1') as Latin1)
    yield* itemsIn(this.parts.join('') as Latin1)
  }

  close(): void {
    this.spool?.close()
  }
}

function* itemsIn(text: Latin1): Generator<[key: string, item: OpenItem]> {
  const lines = text.split('\n') as Latin1[]
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const stored = JSON.parse(decode(lines[i]!)) as Stored
    const { key, file, line, trials, criteria, ...item } = stored
    const open: OpenItem = {
      ...item,
      row: Row.read(lines[i + 1]!, file, line),
      trials: new Map(trials.map((one) => [one.trial.n, one])),
      criteria: new Map(criteria.map((one) => [one.criterion.name, one])),
      ...{ released: false, conflict: undefined, lines: [], next: undefined },
    }
    yield [key, open]
  }
}
