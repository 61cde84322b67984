/** A report of rows without repeats and conflicts: the same whatever their order. */
import { Spool } from '../files/spool.ts'
import type { Rows } from '../rows/reader.ts'
import { EXIT, Fatal } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { type Context, soundRows } from '../rows/stage.ts'
import type { FieldsDigest } from './_item_fields.ts'
import { Repeats } from './_repeats.ts'
import type { Subject } from './_scoring.ts'
import { TwoPasses } from './_two_passes.ts'

/** Characters of a report that are held in memory. */
const HELD = 16 * 1024 * 1024

/** Writes a report of rows of which none is repeated and no two conflict. */
export type Write = (rows: Rows, context: Context) => AsyncIterable<string>

/**
 * What `write` yields once all rows are read. If rows conflict, it is called again with the rows that count.
 * @param options those of the filter; with --combine all replies count, and all rows are passed on as they come
 */
export async function* deduplicatedText(
  rows: Rows,
  options: { combine?: string; subject?: Subject; fieldsDigest?: FieldsDigest },
  context: Context,
  write: Write,
): AsyncGenerator<string> {
  if (options.combine !== undefined) return yield* write(soundRows(rows, context), context)
  const passes = new TwoPasses(rows, options, context)
  try {
    yield* written(passes, options, context, write)
  } finally {
    passes.close()
  }
}

async function* written(
  passes: TwoPasses,
  options: { subject?: Subject; fieldsDigest?: FieldsDigest },
  context: Context,
  write: Write,
): AsyncGenerator<string> {
  const repeats = new Repeats(context, options.subject, options.fieldsDigest)
  const first = repeats.withoutRepeats(soundRows(passes.first(), context))
  const delayed = new DelayedText()
  const delayedNotes: (() => void)[] = []
  let begun = false
  let ended = false
  const all = async function* (): Rows {
    begun = true
    yield* open(first)
    ended = true
  }
  try {
    for await (const text of write(all(), delayingNotes(context, delayedNotes))) delayed.add(text)
  } catch (error) {
    // Data, or a format for all of them, may be wrong because of repeated rows: this is known when they are left out.
    const ofRows: number[] = [EXIT.data, EXIT.config, ...(ended ? [EXIT.usage] : [])]
    // A writer may read the input by itself, and a pipe is read once.
    if (!(begun && error instanceof Fatal && ofRows.includes(error.exitCode))) throw error
    for await (const _ of open(first));
    if (!repeats.conflict || context.cut()) throw error
  } finally {
    await first.return(undefined)
  }
  if (repeats.conflict && !context.cut()) {
    delayed.close()
    const secondPass = passes.second(
      'rows contradict each other (replies that differ, calls that were made again)',
    )
    const silent = quiet(context)
    return yield* write(repeats.deduplicated(soundRows(secondPass, silent)), silent)
  }
  for (const note of delayedNotes) note()
  yield* delayed.pieces()
}

/** The remaining rows. Stopping early does not close them. */
async function* open(rows: AsyncGenerator<Row[]>): Rows {
  for (;;) {
    const { done, value } = await rows.next()
    if (done) return
    yield value
  }
}

/** Delays notes about the whole report until it is known that it is not written again. */
const delayingNotes = (context: Context, delayedNotes: (() => void)[]): Context => ({
  ...context,
  note: (message, where) =>
    where?.line === undefined
      ? delayedNotes.push(() => context.note(message, where))
      : context.note(message, where),
  finish: (...ending) => delayedNotes.push(() => context.finish(...ending)),
  summary: (words) => delayedNotes.push(() => context.summary(words)),
})

/** Drops notes about single rows: the first pass has printed them. */
const quiet = (context: Context): Context => ({
  ...context,
  note: (message, where) => where?.line === undefined && context.note(message, where),
})

/** Text in its order, most of it in a file. */
class DelayedText {
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
