/**
 * What a stage is: a function from batches of rows to batches of rows (or to text, for a report).
 * It yields or throws; it never prints, and knows the world only through its context.
 */

import type { Rows, Source } from './reader.ts'
import type { Jb, StageName } from './record.ts'
import { EXIT, Fatal, RowFailure } from './record.ts'
import type { Latin1, Row, Sink } from './row.ts'
import { SHAPED } from './shapes.ts'

export interface Stage<O> {
  (rows: Rows, options: O, context: Context): AsyncIterable<Row[] | string>
  /** How it is done in several threads, where rows are not worked on one by one. */
  split?: Split<O>
}

/** A stage whose input is worked on in parts, which are put together in their order. */
export interface Split<O> {
  /** In a thread: what the rows of a part come to, as a value that can be cloned. It throws where that cannot be told from them alone. */
  part(options: O, context: Context): Promise<(rows: Rows, text: LinesOf) => Promise<unknown>>
  /** In the main thread: the stage, of the parts in order. */
  whole(parts: AsyncIterable<InputPart>, options: O, context: Context): AsyncIterable<Row[] | string>
}

/** Lines of a part again, by their numbers in rows of it, which are in order. */
export type LinesOf = (numbers: readonly number[]) => PartLine[]

export interface PartLine {
  /** Without its end. */
  text: Latin1
  /** Counts from the first line of the part. */
  line: number
}

/** A part of the input, for the main thread. Either what a thread has made of it is taken, or its rows are read. */
export interface InputPart {
  /** Undefined where no thread has made anything of it. */
  value: unknown
  file: string
  /** Lines that stand before it. */
  line: number
  /** Whether the thread has something to say of it. */
  speaks: boolean
  take(): void
  rows(): Rows
}

export interface Context {
  stage: StageName
  /** Operands that are not files: jb-render's JUDGE. */
  positional: string[]
  /** The files named, or stdin; for a stage that opens its input itself. */
  sources: Source[]
  /** NDJSON rows of these sources, with this run's --bad-rows policy. @param passing see ReadOptions */
  rows(sources: Source[], passing?: boolean): Rows
  env: Record<string, string | undefined>
  /** Aborted by the first interrupt: take no more rows, let what is in flight finish. */
  stop: AbortSignal
  /** Whether the input ended before its end (an interrupt, a bad row): what waits for more rows is unknown then, not incomplete. */
  cut(): boolean
  /** A line on stderr, after the program's name and `file:line` where given; repeats of a `kind` are capped. */
  note(message: string, where?: { file?: string; line?: number; kind?: string }): void
  /** Told of a record that is no row, in input that the stage reads itself: treated as --bad-rows says, but for `pass`. */
  badRow(message: string, file: string, line?: number): void
  /** Told that rows are not independent: what becomes of one depends on those before it, so one thread works on all. */
  alone(): void
  /** Ends with this exit code and line when the stage is done; the first call counts. */
  finish(exitCode: number, message: string): void
  /** Calls back with the exit code when the run has ended, however it did; not where it was killed. */
  ended(callback: (exitCode: number) => void): void
  /** Words for the summary line (tokens, cost), asked for at the end. */
  summary(words: () => string): void
  /** What the bar shows: words, and `done` of `total` where these are not the bytes read. */
  progress(show: () => { done?: number; total?: number; words: string }): void
  /** Where a report goes: a terminal gets a table, and colours. Its size may change. */
  terminal: { output: boolean; color: boolean; columns?: number; rows?: number }
}

/**
 * A stage of one function a row. The function changes the row, gives other rows in its place, or throws a
 * RowFailure, with which the row goes on. Rows that failed in another stage pass untouched.
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
 * True for a row that failed earlier and passes untouched. A failure of this very stage, in saved rows
 * that run through it again, is taken away: the row is tried again.
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
 * What an error that was thrown while a row was worked on means for the row.
 * @throws the error, with the row's place, where it is not the row that is wrong
 */
export function rowFailure(error: unknown, row: Row): RowFailure {
  if (error instanceof RowFailure) return error
  if (isTooDeep(error))
    return new RowFailure('bad_record', 'a value in the row is nested too deeply or too long')
  throw atRow(error, row)
}

/** The stack or a string has an end: a value is nested too deeply, or makes a text that is too long. */
const isTooDeep = (error: unknown) =>
  error instanceof RangeError && /call stack|string length/i.test(error.message)

/**
 * Why a value in somebody else's file cannot be used, where it is taken for what its format has there and JavaScript
 * trips over it; undefined for any other error.
 */
export function misfit(error: unknown): string | undefined {
  if (error instanceof TypeError)
    return `a value is not of the type that the format has there (${error.message})`
  return isTooDeep(error) ? 'a value is nested too deeply or too long' : undefined
}

/** What is read of a place in somebody else's file. @throws Fatal (data) with the place where a value there is a misfit */
export function readAt<T>(place: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const wrong = misfit(error)
    throw wrong === undefined ? error : new Fatal(EXIT.data, `${place}: ${wrong}`, { cause: error })
  }
}

/**
 * The row with what can still be read of who it is about, and the failure: for stages that add rows up, which
 * cannot count what they cannot read.
 */
export function salvaged(row: Row, stage: StageName, failure: RowFailure): Row {
  const made = row.bare()
  for (const key of ['judge', 'judge_digest', 'name', 'item', 'trial'] as const) {
    try {
      const value = row.get(key)
      if (value !== undefined) made.set(key, value)
    } catch {
      // This may be what is wrong.
    }
  }
  const model = modelIn(row)
  if (model !== undefined) failure.detail.model ??= model
  return made.fail(stage, failure)
}

/** The model that answered, for counting the failure with it. */
function modelIn(row: Row): string | undefined {
  try {
    return row.get('result')?.model ?? (row.part('reply', 'model') as string | undefined)
  } catch {
    return undefined
  }
}

/** Rows whose `jb` can be read whole; in the place of the others stand failed rows. */
export async function* soundRows(rows: Rows, { stage, note }: Pick<Context, 'stage' | 'note'>): Rows {
  let form: { keys: readonly string[]; shaped: readonly (keyof Jb & string)[] } = { keys: [], shaped: [] }
  for await (const batch of rows)
    yield batch.map((row) => {
      try {
        // Mostly the form is that of the row before.
        const { keys } = row
        if (keys !== form.keys) form = { keys, shaped: SHAPED.filter((key) => keys.includes(key)) }
        for (const key of form.shaped) row.get(key)
        return row
      } catch (error) {
        const failure = rowFailure(error, row)
        note(`${failure.code}: ${failure.message}`, { file: row.file, line: row.line, kind: failure.code })
        return salvaged(row, stage, failure)
      }
    })
}

/** Errors that name a row: one that many rows wait for names the first. */
const placed = new WeakSet<Error>()

/** Names the row in an unexpected error. */
export function atRow(error: unknown, row: Row): unknown {
  if (error instanceof Error && !placed.has(error) && !error.message.includes(row.place))
    error.message = `${row.place}: ${error.message}`
  if (error instanceof Error) placed.add(error)
  return error
}

/** Appends the row to what is written; one that cannot be written fails, without what it was given here. */
export function writeOrFail(row: Row, stage: StageName, out: Sink): void {
  try {
    row.write(out)
  } catch (error) {
    row.failUnwritten(stage, rowFailure(error, row)).write(out)
  }
}

/** Takes keys of `jb` away that say something of what the row no longer holds: this stage runs on it again. */
export function forget(row: Row, keys: readonly (keyof Jb & string)[]): void {
  for (const key of keys) if (row.has(key)) row.set(key, undefined)
}
