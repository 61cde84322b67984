/** A report of rows that may contradict each other: the same whatever their order. */
import { Spool } from '../files/spool.ts'
import type { Rows } from '../rows/reader.ts'
import { EXIT, Fatal } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { type Context, soundRows } from '../rows/stage.ts'
import { Repeats, type Subject, type Telling } from './_repeats.ts'
import { TwoReadings } from './_two_readings.ts'

/** Characters of a report that are held in memory. */
const HELD = 16 * 1024 * 1024

/** Writes a report of rows of which none is repeated and none contradicts another. */
export type Write = (rows: Rows, context: Context) => AsyncIterable<string>

/**
 * What `write` yields, at the end: where rows contradict those before them it is written again, of other rows.
 * @param options those of the filter; with --combine all replies count, and all rows are given as they come
 */
export async function* settledText(
  rows: Rows,
  options: { combine?: string; subject?: Subject; telling?: Telling },
  context: Context,
  write: Write,
): AsyncGenerator<string> {
  if (options.combine !== undefined) return yield* write(soundRows(rows, context), context)
  const readings = new TwoReadings(rows, options, context)
  try {
    yield* settled(readings, options, context, write)
  } finally {
    readings.close()
  }
}

async function* settled(
  readings: TwoReadings,
  options: { subject?: Subject; telling?: Telling },
  context: Context,
  write: Write,
): AsyncGenerator<string> {
  const repeats = new Repeats(context, options.subject, options.telling)
  const first = repeats.watched(soundRows(readings.first(), context))
  const held = new HeldText()
  const late: (() => void)[] = []
  let ended = false
  const all = async function* (): Rows {
    yield* open(first)
    ended = true
  }
  try {
    for await (const text of write(all(), delayed(context, late))) held.add(text)
  } catch (error) {
    // Data, or a format for all of them, may be wrong because of rows that are there twice: those that are left tell.
    const ofRows: number[] = [EXIT.data, EXIT.config, ...(ended ? [EXIT.usage] : [])]
    if (!(error instanceof Fatal && ofRows.includes(error.exitCode))) throw error
    for await (const _ of open(first));
    if (!repeats.contradict || context.cut()) throw error
  } finally {
    await first.return(undefined)
  }
  if (repeats.contradict && !context.cut()) {
    held.close()
    const again = readings.second(
      'rows contradict each other (replies that differ, calls that were made again)',
    )
    const silent = quiet(context)
    return yield* write(repeats.settled(soundRows(again, silent)), silent)
  }
  for (const say of late) say()
  yield* held.pieces()
}

/** The rows that are left; who stops reading leaves the rest. */
async function* open(rows: AsyncGenerator<Row[]>): Rows {
  for (;;) {
    const { done, value } = await rows.next()
    if (done) return
    yield value
  }
}

/** What is said of the whole is said when it is known that it counts. */
const delayed = (context: Context, late: (() => void)[]): Context => ({
  ...context,
  note: (message, where) =>
    where?.line === undefined ? late.push(() => context.note(message, where)) : context.note(message, where),
  finish: (...ending) => late.push(() => context.finish(...ending)),
  summary: (words) => late.push(() => context.summary(words)),
})

/** What there is to say of single rows was said. */
const quiet = (context: Context): Context => ({
  ...context,
  note: (message, where) => where?.line === undefined && context.note(message, where),
})

/** Text in its order, the most of it in a file. */
class HeldText {
  private waiting: string[] = []
  private length = 0
  private spool: Spool | undefined

  add(text: string): void {
    this.waiting.push(text)
    this.length += text.length
    if (this.length < HELD) return
    this.spool ??= new Spool()
    this.spool.add(Buffer.from(this.waiting.join('')))
    this.waiting = []
    this.length = 0
  }

  *pieces(): Generator<string> {
    const { spool } = this
    for (let i = 0; i < (spool?.pieces ?? 0); i++) yield spool!.read(i).toString()
    this.close()
    yield* this.waiting
  }

  close(): void {
    this.spool?.close()
    this.spool = undefined
  }
}
