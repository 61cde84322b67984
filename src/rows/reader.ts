/** Sources to rows, or to lines for a stage that makes no rows of them. */
import { type Bytes, stoppable } from './chunks.ts'
import { type LineOptions, Lines, RowLines } from './lines.ts'
import type { Plan } from './plan.ts'
import type { Row } from './row.ts'

/** Batches of rows: what a stage reads and what it yields. The rows of one read are one batch. */
export type Rows = AsyncIterable<Row[]>

/** A file operand or stdin. */
export interface Source {
  /** Its name in messages; stdin is `(stdin)`. */
  name: string
  /** NAME of an operand NAME=FILE. */
  label?: string
  /** Undefined for stdin. */
  path?: string
  /** The number of lines before it, for messages. @internal */
  line?: number
  open(): Bytes
  /** Its bytes without a stream, where possible: each chunk overwrites the one before. @param space where they may be put. @internal */
  chunks?(signal: AbortSignal, space: () => Buffer): AsyncIterable<Uint8Array>
}

export interface ReadOptions extends LineOptions {
  /** Called with the size of each chunk. */
  onChunk?(bytes: number): void
  /** Called with the first row of each source. */
  onFirst?(row: Row): void
  /** Called when everything is read. */
  onEnd?(): Promise<void>
  /** Stops reading when aborted. */
  signal: AbortSignal
}

/** The rows of some sources, one after the other. With `badRows: 'stop'` the first bad row ends them. */
class Reader implements Rows {
  private readonly sources: readonly Source[]
  private readonly options: ReadOptions

  constructor(sources: readonly Source[], options: ReadOptions) {
    this.sources = sources
    this.options = options
  }

  /** The same rows; a function is called with the first one of each source. */
  seen(onFirst: (row: Row) => void): Rows {
    const before = this.options.onFirst
    const both = (row: Row) => {
      before?.(row)
      onFirst(row)
    }
    return new Reader(this.sources, { ...this.options, onFirst: both })
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Row[]> {
    for await (const lines of this.lines()) yield* lines.rows()
  }

  /** Lines of each read. @internal */
  async *lines(plan?: Plan): AsyncGenerator<Lines> {
    const { signal, onChunk, onFirst, onEnd } = this.options
    for (const source of this.sources) {
      const lines = new Lines(source.name, this.options, plan, source.line)
      lines.onFirst = onFirst
      try {
        const chunks = source.chunks?.(signal, () => lines.space()) ?? stoppable(source.open(), signal)
        for await (const chunk of chunks) {
          lines.take(chunk)
          onChunk?.(chunk.length)
          yield lines
          if (lines.stopped || signal.aborted) break
        }
      } catch (error) {
        if (!signal.aborted) throw error
      }
      if (lines.stopped || signal.aborted) break
      lines.finish()
      yield lines
      if (lines.stopped || signal.aborted) break
    }
    await onEnd?.()
  }
}

export const readRows = (sources: readonly Source[], options: ReadOptions): Rows =>
  new Reader(sources, options)

/** The same rows; a function is called with the first one, before it is used. */
export function seenFirst(rows: Rows, onFirst: (row: Row) => void): Rows {
  return rows instanceof Reader ? rows.seen(onFirst) : withFirst(rows, onFirst)
}

async function* withFirst(rows: Rows, onFirst: (row: Row) => void): Rows {
  let first = true
  for await (const batch of rows) {
    if (first && batch[0]) onFirst(batch[0])
    first &&= batch.length === 0
    yield batch
  }
}

/** The lines of rows, scanned with a plan, one object for each batch; the rows of a file are not made. @internal */
export async function* linesOf(rows: Rows, plan: Plan): AsyncGenerator<Lines> {
  if (rows instanceof Reader) yield* rows.lines(plan)
  else for await (const batch of rows) yield new RowLines(batch, plan)
}
