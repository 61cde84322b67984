/**
 * A stage is a function from batches of rows to batches of rows (or to text, for a report). It yields or throws, never
 * prints, and uses the process only through its context.
 */

import type { Rows, Source } from './reader.ts'
import type { Jb, StageName } from './record.ts'
import { EXIT, Fatal, RowFailure, SHAPED } from './record.ts'
import { Row, type Sink } from './row.ts'

export type Stage<O> = (
  rows: Rows,
  options: O,
  context: Context,
) => AsyncIterable<Row[] | string | Uint8Array>

/** Imports a stage on demand. */
// biome-ignore lint/suspicious/noExplicitAny: each stage has its own type of options
export type LoadStage = () => Promise<Stage<any>>

export interface Context {
  stage: StageName
  /** Operands that are not files: jb-render's JUDGE. */
  positional: string[]
  /** The file operands, or stdin; for a stage that opens its input itself. */
  sources: Source[]
  /** NDJSON rows of these sources, with this run's --bad-rows policy. */
  rows(sources: Source[]): Rows
  env: Record<string, string | undefined>
  /** Aborted by the first interrupt: take no more rows, but finish those in progress. */
  stop: AbortSignal
  /** Whether reading stopped early (an interrupt, a bad row): a group that lacks rows is then unknown, not incomplete. */
  cut(): boolean
  /** Prints a line on stderr after the program's name and, if given, `file:line`; repeats of a `kind` are capped. */
  note(message: string, where?: { file?: string; line?: number; kind?: string }): void
  /** Reports a bad record in input that the stage reads itself; handled as --bad-rows says, except `pass`. */
  badRow(message: string, file: string, line?: number): void
  /** Sets the exit code and the last line on stderr, for when the stage is done; the first call counts. */
  finish(exitCode: number, message: string): void
  /** Sets the function that gives the stage's part of the summary line (tokens, cost). */
  summary(words: () => string): void
  /** Sets what the progress bar shows: words, and `done` of `total` if not the bytes read. */
  progress(show: () => { done?: number; total?: number; words: string }): void
  /** Where a report goes: a terminal gets a table and colours. Its size may change. */
  terminal: { output: boolean; color: boolean; columns?: number }
}

/**
 * Runs a function for each row. It changes the row, returns other rows in its place, or throws a RowFailure, with which
 * the row is passed on. Rows that failed in another stage are passed on unchanged.
 */
export async function* eachRow(
  rows: Rows,
  stage: StageName,
  change: (row: Row) => Row | Row[],
): AsyncGenerator<Row[]> {
  for await (const batch of rows) {
    const out: Row[] = []
    for (const row of batch) {
      if (skipFailed(row, stage)) {
        out.push(row)
        continue
      }
      try {
        const changed = change(row)
        if (Array.isArray(changed)) for (const one of changed) out.push(one)
        else out.push(changed)
      } catch (error) {
        out.push(row.fail(stage, rowFailure(error, row)))
      }
    }
    if (out.length > 0) yield out
  }
}

/**
 * True for a row that failed earlier and is passed on unchanged. A failure of this same stage, in saved rows that are run
 * again, is removed: the row is tried again.
 */
export function skipFailed(row: Row, stage: StageName): boolean {
  if (row.failure) return true
  if (!row.has('error')) return false
  try {
    const error = row.get('error')
    if (error?.stage !== stage || error.code === 'bad_row') return true
    row.set('error', undefined)
    return false
  } catch (error) {
    row.fail(stage, rowFailure(error, row))
    return true
  }
}

/**
 * The failure of a row for an error that was thrown while it was processed.
 * @throws the error, with the row's place, if it is not the row's fault
 */
export function rowFailure(error: unknown, row: Row): RowFailure {
  const failure = failureIn(error)
  if (failure) return failure
  throw atRow(error, row)
}

/** The failure that an error is; undefined for one that is not the row's fault. */
export function failureIn(error: unknown): RowFailure | undefined {
  if (error instanceof RowFailure) return error
  return isTooDeep(error)
    ? new RowFailure('bad_record', 'a value in the row is nested too deeply or too long')
    : undefined
}

/** V8's errors for a stack that is too deep and for a string that is too long. */
const isTooDeep = (error: unknown) =>
  error instanceof RangeError && /call stack|string length/i.test(error.message)

/**
 * For values of foreign files that are used without a check: what a TypeError or RangeError means; undefined for any
 * other error.
 */
export function misfit(error: unknown): string | undefined {
  if (error instanceof TypeError)
    return `a value is not of the type that the format has there (${error.message})`
  return isTooDeep(error) ? 'a value is nested too deeply or too long' : undefined
}

/** Reads something at a place in a foreign file. @throws Fatal (data) with the place, if a value does not fit its format */
export function readAt<T>(place: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const wrong = misfit(error)
    throw wrong === undefined ? error : new Fatal(EXIT.data, `${place}: ${wrong}`, { cause: error })
  }
}

/**
 * A failed row with the readable members of `jb` that identify it: for stages that aggregate rows, and cannot count those
 * that they cannot read.
 */
export function salvaged(row: Row, stage: StageName, failure: RowFailure): Row {
  const made = failure.code === 'bad_row' ? withoutFields(row) : row.bare()
  for (const key of ['judge', 'judge_digest', 'name', 'item', 'probe', 'shuffle', 'trial'] as const) {
    try {
      const value = row.get(key)
      if (value !== undefined) made.set(key, value)
    } catch {
      // This may be the invalid member.
    }
  }
  const model = modelIn(row)
  if (model !== undefined) failure.detail.model ??= model
  return made.fail(stage, failure)
}

/** A row in place of one whose fields cannot be read, because they are no valid JSON. */
const withoutFields = (row: Row) => Row.make({}, row.file, row.line).set('raw', row.itemText())

/** The model that answered, to which the failure is counted. */
function modelIn(row: Row): string | undefined {
  try {
    return row.get('result')?.model ?? (row.part('reply', 'model') as string | undefined)
  } catch {
    return undefined
  }
}

/** Rows whose whole `jb` is valid; the others are replaced by failed rows. */
export async function* validRows(rows: Rows, { stage, note }: Pick<Context, 'stage' | 'note'>): Rows {
  for await (const batch of rows)
    yield batch.map((row) => {
      try {
        for (const key of SHAPED) row.get(key)
        return row
      } catch (error) {
        const failure = rowFailure(error, row)
        note(`${failure.code}: ${failure.message}`, { file: row.file, line: row.line, kind: failure.code })
        return salvaged(row, stage, failure)
      }
    })
}

/** Errors that name a row already: an error that many rows share names the first. */
const placed = new WeakSet<Error>()

/** Adds the row's place to an unexpected error. */
export function atRow(error: unknown, row: Row): unknown {
  if (error instanceof Error && !placed.has(error) && !error.message.includes(row.place))
    error.message = `${row.place}: ${error.message}`
  if (error instanceof Error) placed.add(error)
  return error
}

/** Writes a row; if it cannot be serialised, writes it as a failed row without the values that cannot. */
export function writeOrFail(row: Row, stage: StageName, out: Sink): void {
  try {
    row.write(out)
  } catch (error) {
    row.failUnwritten(stage, rowFailure(error, row)).write(out)
  }
}

/** Removes keys of `jb` that are out of date when a stage runs on a row again. */
export function forget(row: Row, keys: readonly (keyof Jb & string)[]): void {
  for (const key of keys) if (row.has(key)) row.set(key, undefined)
}
