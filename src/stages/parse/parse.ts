/** jb-parse: reply → verdict, by the judge's rule, in the item's own terms. */

import { noteUnread } from '../../formats/_marks.ts'
import { asksNothing, type Judge } from '../../judges/_judge.ts'
import type { Allowed } from '../../judges/_of_row.ts'
import { fieldHint } from '../../options/nearest.ts'
import { shortId } from '../../rows/controls.ts'
import { exactJson } from '../../rows/exact_json.ts'
import { itemId } from '../../rows/item_id.ts'
import type { Rows } from '../../rows/reader.ts'
import { type ErrorCode, type JsonObject, RowFailure, type Trial, type Verdict } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { type Context, forget, rowFailure, type Stage, skipFailed } from '../../rows/stage.ts'
import type { ReadContext, Step } from '../../verdicts/_rule.ts'
import type { ParseOptions } from './options.ts'
import { markedDigest, originalFor, type Reader, Readers } from './readers.ts'
import { completed, inItemTerms } from './terms.ts'

/** Adds `jb.verdict` to every row with a reply. */
export const parse: Stage<ParseOptions> = async function* (rows, options, context) {
  const readers = await Readers.create(options, context)
  const known = options.text === undefined ? noteUnread(rows, context) : rows
  if (options.explain !== undefined) return yield* explained(known, readers, options, context)
  const counts = new Counts()
  context.summary(() => counts.words())
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
      counts.add(readRow(row, reader, options, context, readers))
    }
    yield done === 0 ? batch : batch.slice(done)
  }
  readers.tell()
}

/** The share of replies without a verdict of which the summary speaks. */
const MANY = 0.05
const UNREAD: readonly unknown[] = ['no_verdict', 'conflict', 'out_of_range', 'truncated', 'refused']

/** Replies, and those that gave no verdict, by code. */
class Counts {
  private replies = 0
  private readonly codes = new Map<string, number>()

  add(outcome: ErrorCode | 'read' | undefined): void {
    if (outcome === undefined) return
    this.replies++
    if (UNREAD.includes(outcome)) this.codes.set(outcome, (this.codes.get(outcome) ?? 0) + 1)
  }

  /** What to do if many replies gave none; empty otherwise. */
  words(): string {
    const unread = [...this.codes.values()].reduce((sum, count) => sum + count, 0)
    if (unread <= MANY * this.replies) return ''
    const share = ((100 * unread) / this.replies).toFixed(1)
    const codes = [...this.codes].map((entry) => entry.join(' ')).join(', ')
    return `${share} % of the replies have no verdict (${codes}): jb-call --repair 1 asks again for the form, a larger max_tokens leaves room for it`
  }
}

/**
 * Adds the verdict to a row.
 * @returns that its reply was read, or why it has no verdict; undefined if it has no reply to read
 * @param reader why its judge cannot read it, if it cannot; undefined for a row that is not read again
 */
function readRow(
  row: Row,
  reader: Reader | RowFailure | undefined,
  options: ParseOptions,
  { stage }: Context,
  readers: Readers,
  explain?: ReadContext['explain'],
): ErrorCode | 'read' | undefined {
  let failure: RowFailure | undefined
  try {
    if (reader instanceof RowFailure) throw reader
    if (reader) {
      // Also of rows that failed before: failures are counted for each version of a judge.
      const digest = markedDigest(row, reader, options)
      if (reader.failed !== undefined) scoreFailed(row, reader.failed)
      if (digest !== undefined) row.set('judge_digest', digest)
    }
    // What adds up follows it.
    if (options.compat !== undefined) row.set('compat', originalFor(row, options))
  } catch (error) {
    failure = rowFailure(error, row)
  }
  if (skipFailed(row, stage)) return undefined
  try {
    if (options.text !== undefined) introduce(row, options, readers.allowed, reader)
    if (failure) throw failure
    if (readers.isRead(row)) return undefined
    if (asksNothing((reader as Reader).judge)) introduceUnasked(row, (reader as Reader).judge, options)
    return addVerdict(row, reader as Reader, options, explain).failure ?? 'read'
  } catch (error) {
    const failed = rowFailure(error, row)
    row.fail(stage, failed)
    return failed.code
  }
}

/** With --explain: how the first rows are read, as text. */
async function* explained(
  rows: Rows,
  readers: Readers,
  options: ParseOptions,
  context: Context,
): AsyncGenerator<string> {
  const { explanation } = await import('./explain.ts')
  let left = options.explain!
  for await (const batch of rows)
    for (const row of batch) {
      const known = readers.known(row)
      const reader = known === 'not loaded' ? await readers.load(row) : known
      const steps: Step[] = []
      readRow(row, reader, options, context, readers, (step) => steps.push(step))
      const reply = options.text === undefined ? row.part('reply', 'text') : row.field(options.text)
      yield explanation(row, typeof reply === 'string' ? reply : undefined, steps, context.terminal.color)
      if (--left === 0) return
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

/** Makes a row that does not come from jb-render the only trial of its item; of a pair in the order that its own field `order` says. */
function introduce(
  row: Row,
  options: ParseOptions,
  { only }: Allowed,
  reader: Reader | RowFailure | undefined,
): void {
  if (only !== undefined && !row.has('judge')) row.set('judge', only)
  if (!row.has('item')) row.set('item', itemId(row, options.id))
  const order = row.field('order')
  const isPair = reader && !(reader instanceof RowFailure) && reader.judge.kind === 'pairwise'
  const isOrder = isPair && (order === 'AB' || order === 'BA')
  if (!row.has('trial')) row.set('trial', { n: 0, of: 1, ...(isOrder && { order }) })
}

/** Makes a row the only trial of its item, by a judge that reads the item itself; what another judge was asked is left out. */
function introduceUnasked(row: Row, { name }: Judge, { id }: ParseOptions): void {
  if (row.get('judge') !== name)
    forget(row, ['judge_digest', 'name', 'request', 'chain', 'criterion', 'criteria', 'own_endpoint'])
  row.set('judge', name)
  if (!row.has('item')) row.set('item', itemId(row, id))
  row.set('trial', { n: 0, of: 1 }).set('reply', undefined)
}

/** What a rule may read besides the text. Parsed on demand, because prompts are long. */
class RowContext implements ReadContext {
  readonly trial: Trial | undefined
  readonly finish: string | null
  readonly explain: ReadContext['explain']
  private readonly row: Row
  private readonly isReply: boolean
  constructor(row: Row, trial: Trial | undefined, { text }: ParseOptions, explain: ReadContext['explain']) {
    this.row = row
    this.trial = trial
    this.explain = explain
    this.isReply = text === undefined
    const finish = this.isReply ? row.part('reply', 'finish_reason') : undefined
    this.finish = typeof finish === 'string' ? finish : null
  }
  item() {
    return this.row.item
  }
  exact() {
    return exactJson(this.row.itemText()) as JsonObject
  }
  get reply() {
    return this.row.get('reply')
  }
  get logprobs() {
    return this.isReply ? this.row.part('reply', 'logprobs') : undefined
  }
  get request() {
    return this.row.get('request')
  }
  get id() {
    return this.row.get('item')
  }
}

/** Adds the verdict. @throws RowFailure */
function addVerdict(
  row: Row,
  { judge, read }: Reader,
  options: ParseOptions,
  explain: ReadContext['explain'],
): Verdict {
  // If the reply cannot be read now, an earlier verdict must not stay.
  forget(row, ['verdict'])
  if (options.text === undefined && !row.has('reply') && !asksNothing(judge))
    throw new RowFailure(
      'missing_field',
      row.has('result')
        ? 'a result of jb-score has no reply any more: give the rows from before jb-score'
        : 'no jb.reply: run jb-call first, or name the field with --text',
    )
  const trial = row.get('trial')
  const context = new RowContext(row, trial, options, explain)
  const shown = readReply(row, { judge, read }, options.text, context)
  const verdict = combinedBy(judge, completed(inItemTerms(shown, judge, trial), row, judge))
  row.set('verdict', verdict)
  return verdict
}

/** The verdict, or each of a window's, with the judge's own `combine`, which scoring reads. */
function combinedBy({ combine }: Judge, verdict: Verdict): Verdict {
  if (combine === undefined) return verdict
  const each = Array.isArray(verdict.each)
    ? { each: verdict.each.map((one) => one && { ...one, combine }) }
    : {}
  return { ...verdict, combine, ...each }
}

/** Reads the reply. @throws RowFailure */
function readReply(
  row: Row,
  { judge, read }: Reader,
  field: string | undefined,
  context: RowContext,
): Verdict {
  const text = asksNothing(judge)
    ? ''
    : field !== undefined
      ? fieldText(row, field)
      : row.part('reply', 'text')
  if (typeof text !== 'string')
    throw new RowFailure('bad_record', 'jb.reply.text is missing, expected a string')
  try {
    return read(text, context)
  } catch (error) {
    if (error instanceof RowFailure && error.code !== 'bad_record' && !asksNothing(judge))
      error.message += ` (item ${shortId(String(row.get('item')))} of ${judge.name}; ${endOf(text)})`
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
