/** jb-parse: reply → verdict, by the judge's rule, in the item's own terms. */

import { noteUnread } from '../../formats/_marks.ts'
import type { Allowed } from '../../judges/_of_row.ts'
import { fieldHint } from '../../options/nearest.ts'
import { itemId } from '../../rows/item_id.ts'
import { RowFailure, type Trial, type Verdict } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { type Context, forget, rowFailure, type Stage, skipFailed } from '../../rows/stage.ts'
import type { ReadContext } from '../../verdicts/_rule.ts'
import { completed, inItemTerms } from '../../verdicts/_terms.ts'
import type { ParseOptions } from './options.ts'
import { isRead, markedDigest, type Reader, Readers } from './readers.ts'

/** Adds `jb.verdict` to every row with a reply. */
export const parse: Stage<ParseOptions> = async function* (rows, options, context) {
  const readers = new Readers(options, context)
  const known = options.text === undefined ? noteUnread(rows, context) : rows
  for await (const batch of known) {
    let done = 0
    for (let i = 0; i < batch.length; i++) {
      const row = batch[i]!
      let reader = readers.known(row)
      if (reader === 'not loaded') {
        // Loading a judge may report a note or an error: the rows before come first.
        if (i > done) yield batch.slice(done, i)
        done = i
        reader = await readers.load(row)
      }
      readRow(row, reader, options, context, readers.allowed)
    }
    yield done === 0 ? batch : batch.slice(done)
  }
}

/**
 * Adds the verdict to a row.
 * @param reader why its judge cannot read it, if it cannot; undefined for a row that is not read again
 */
function readRow(
  row: Row,
  reader: Reader | RowFailure | undefined,
  options: ParseOptions,
  { stage }: Context,
  allowed: Allowed,
): void {
  let failure: RowFailure | undefined
  try {
    if (reader instanceof RowFailure) throw reader
    if (reader) {
      // Also of rows that failed before: failures are counted for each version of a judge.
      const digest = markedDigest(row, reader, options)
      if (reader.failed !== undefined) scoreFailed(row, reader.failed)
      if (digest !== undefined) row.set('judge_digest', digest)
    }
  } catch (error) {
    failure = rowFailure(error, row)
  }
  if (skipFailed(row, stage)) return
  try {
    if (options.text !== undefined) introduce(row, options, allowed)
    if (failure) throw failure
    if (!isRead(row, options)) addVerdict(row, reader as Reader, options)
  } catch (error) {
    row.fail(stage, rowFailure(error, row))
  }
}

/** Gives a failed call its original's score. The verdict keeps the failure, which is counted all the same. */
function scoreFailed(row: Row, score: number): void {
  const error = row.get('error')
  if (error?.stage !== 'call') return
  row.set('error', undefined)
  const verdict: Verdict = { label: null, score, failure: error.code, error: error.message }
  row.set('verdict', typeof error.model === 'string' ? { ...verdict, model: error.model } : verdict)
}

/** Makes a row that does not come from jb-render the only trial of its item. */
function introduce(row: Row, options: ParseOptions, { only }: Allowed): void {
  if (only !== undefined && !row.has('judge')) row.set('judge', only)
  if (!row.has('item')) row.set('item', itemId(row, options.id))
  if (!row.has('trial')) row.set('trial', { n: 0, of: 1 })
}

/** What a rule may read besides the text. Parsed on demand, because prompts are long. */
class RowContext implements ReadContext {
  readonly seed: string | undefined
  readonly trial: Trial | undefined
  readonly finish: string | null
  private readonly row: Row
  constructor(row: Row, trial: Trial | undefined, { seed, text }: ParseOptions) {
    this.row = row
    this.trial = trial
    this.seed = seed
    const finish = text === undefined ? row.part('reply', 'finish_reason') : undefined
    this.finish = typeof finish === 'string' ? finish : null
  }
  item() {
    return this.row.item
  }
  get reply() {
    return this.row.get('reply')
  }
  get request() {
    return this.row.get('request')
  }
  get id() {
    return this.row.get('item')
  }
}

/** Adds the verdict. @throws RowFailure */
function addVerdict(row: Row, { judge, read }: Reader, options: ParseOptions): void {
  // If the reply cannot be read now, an earlier verdict must not stay.
  forget(row, ['verdict'])
  if (options.text === undefined && !row.has('reply'))
    throw new RowFailure('missing_field', 'no jb.reply: run jb-call first, or name the field with --text')
  const trial = row.get('trial')
  const shown = readReply(row, { judge, read }, options.text, new RowContext(row, trial, options))
  row.set('verdict', completed(inItemTerms(shown, judge, trial), row))
}

/** Reads the reply. @throws RowFailure */
function readReply(
  row: Row,
  { judge, read }: Reader,
  field: string | undefined,
  context: RowContext,
): Verdict {
  const text = field !== undefined ? fieldText(row, field) : row.part('reply', 'text')
  if (typeof text !== 'string')
    throw new RowFailure('bad_record', 'jb.reply.text is missing, expected a string')
  try {
    return read(text, context)
  } catch (error) {
    if (error instanceof RowFailure && error.code !== 'bad_record')
      error.message += ` (item ${row.get('item')} of ${judge.name}; ${endOf(text)})`
    throw error
  }
}

/** The reply in a field of the user's. @throws RowFailure missing_field */
function fieldText(row: Row, field: string): string {
  const text = row.field(field)
  if (typeof text === 'string') return text
  const problem =
    text === undefined
      ? `is missing${fieldHint(field, row)} (--text reads replies from it)`
      : 'is not a string'
  throw new RowFailure('missing_field', `field "${field}" ${problem}`)
}

/** The end of a reply that could not be read, with control and bidirectional characters escaped. */
function endOf(text: string): string {
  if (text === '') return 'the reply is empty'
  const end = JSON.stringify(text.slice(-80)).replace(
    /[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return text.length > 80 ? `the reply ends ${end}` : `the reply: ${end}`
}
