/** jb-parse: reply → verdict, by the judge's rule, in the item's own terms. */

import type { Judge } from '../../judges/_judge.ts'
import { type Allowed, allowJudges, judgeOfRow, nameOfRow } from '../../judges/_of_row.ts'
import { checkSpreadsheet } from '../../options/ignored.ts'
import { firstRows } from '../../rows/first.ts'
import { itemId } from '../../rows/item_id.ts'
import type { Rows } from '../../rows/reader.ts'
import { RowFailure, type Verdict } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { type Context, eachRow, forget, rowFailure, type Stage } from '../../rows/stage.ts'
import { readerOf } from '../../verdicts/_read.ts'
import type { Read, ReadContext } from '../../verdicts/_rule.ts'
import { completed, inItemTerms } from '../../verdicts/_terms.ts'
import type { ParseOptions } from './options.ts'

interface Reader {
  judge: Judge
  read: Read
  /** --compat of an original that gives a call that failed a score. */
  failed?: number
}

/** Adds `jb.verdict` to every row with a reply; with --format csv, a table of the rows. */
export const parse: Stage<ParseOptions> = async function* (rows, options, context) {
  checkSpreadsheet(options, context)
  if (options.format === 'ndjson') {
    yield* parsed(rows, options, context)
    return
  }
  const [{ spreadsheet }, { TRIAL_COLUMNS, trialRowCells, userCells }] = await Promise.all([
    import('../../formats/_spreadsheet.ts'),
    import('../../formats/_cells.ts'),
  ])
  async function* lines() {
    for await (const batch of parsed(rows, options, context))
      yield batch.map((row) => ({ user: userCells(row), jb: trialRowCells(row) }))
  }
  yield* spreadsheet(lines(), options, { first: TRIAL_COLUMNS, what: 'rows' }, context)
}

async function* parsed(rows: Rows, options: ParseOptions, context: Context): AsyncGenerator<Row[]> {
  const readers = new Map<string, Reader>()
  const allowed = allowJudges(options.judge)
  const need = { reading: true, own: options.text !== undefined }
  const nameOf = (row: Row) => nameOfRow(row, allowed, need).name
  // Every key is a judge that rows may name.
  // By judge; where rows carry an original's name, by both.
  const compatOf = (row: Row) => options.compat ?? row.get('compat')
  const keyOf = (name: string, row: Row) =>
    options.compat === undefined && row.has('compat') ? `${row.get('compat')}\n${name}` : name
  const readerOf = (row: Row) =>
    (need.own ? undefined : readers.get(keyOf(row.get('judge') as string, row))) ??
    readers.get(keyOf(nameOf(row), row))
  /** Judges are files: they are loaded when a row first needs them, before its batch is read. */
  async function* prepared(): Rows {
    for await (const batch of firstRows(rows, options.limit)) {
      let done = 0
      for (const [i, row] of batch.entries()) {
        if (isRead(row, options)) continue
        try {
          let reader = readerOf(row)
          if (!reader) {
            // There may be something to say of the judge: the rows before come first.
            if (i > done) yield batch.slice(done, i)
            done = i
            const judge = await judgeOfRow(row, allowed, need)
            reader = await readerFor(judge, { ...options, compat: compatOf(row) }, context)
            readers.set(keyOf(nameOf(row), row), reader)
          }
          if (reader.failed !== undefined) scoreFailed(row, reader.failed)
        } catch (error) {
          // The row fails where it is read.
          rowFailure(error, row)
        }
      }
      yield done === 0 ? batch : batch.slice(done)
    }
  }
  yield* eachRow(prepared(), context.stage, (row) => {
    if (options.text !== undefined) introduce(row, options, allowed)
    if (isRead(row, options)) return row
    const { judge, read } = readerOf(row)!
    // A reply that cannot be read this time has no verdict from another time.
    forget(row, ['verdict'])
    const verdict = readRow(row, read, options)
    return row.set('verdict', completed(inItemTerms(verdict, judge, row.get('trial')), row))
  })
}

async function readerFor(judge: Judge, options: ParseOptions, context: Context): Promise<Reader> {
  const failed = options.compat ? judge.compat?.[options.compat]?.failed : undefined
  const read = await readerOf(judge, { ...options, note: context.note })
  return { judge, read, failed: failed as number | undefined }
}

/** An original's score for a call that failed: the failure stands in the verdict and is counted all the same. */
function scoreFailed(row: Row, score: number): void {
  const error = row.get('error')
  if (error?.stage !== 'call') return
  row.set('error', undefined)
  const verdict: Verdict = { label: null, score, failure: error.code, error: error.message }
  row.set('verdict', typeof error.model === 'string' ? { ...verdict, model: error.model } : verdict)
}

/** A verdict without a reply (a reward model's) stands as it is. */
const isRead = (row: Row, options: ParseOptions) =>
  options.text === undefined && !row.has('reply') && row.has('verdict')

/** A row that no jb-render made becomes the only trial of its item. */
function introduce(row: Row, options: ParseOptions, { only }: Allowed): void {
  if (only !== undefined && !row.has('judge')) row.set('judge', only)
  if (!row.has('item')) row.set('item', itemId(row, options.id))
  if (!row.has('trial')) row.set('trial', { n: 0, of: 1 })
}

/** What a rule may look at beside the text, parsed where it does: a prompt is most of a row. */
class RowContext implements ReadContext {
  readonly seed: string | undefined
  private readonly row: Row
  constructor(row: Row, seed: string | undefined) {
    this.row = row
    this.seed = seed
  }
  item = () => this.row.item
  get trial() {
    return this.row.get('trial')
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

function readRow(row: Row, read: Read, { text: field, seed }: ParseOptions): Verdict {
  if (field === undefined && !row.has('reply'))
    throw new RowFailure('missing_field', 'no jb.reply: run jb-call first, or name the field with --text')
  const raw = read.raw && field === undefined ? row.partBytes('reply', 'text') : undefined
  const known = raw?.startsWith('"') ? read.raw!(raw, new RowContext(row, seed)) : undefined
  if (known) return known
  const text = field === undefined ? row.part('reply', 'text') : row.field(field)
  if (typeof text !== 'string')
    throw field === undefined
      ? new RowFailure('bad_record', 'jb.reply.text is missing, expected a text')
      : new RowFailure(
          'missing_field',
          `field "${field}" is ${text === undefined ? 'missing' : 'not a string'}`,
        )
  try {
    return read(text, new RowContext(row, seed))
  } catch (error) {
    if (!(error instanceof RowFailure) || error.code === 'bad_record') throw error
    error.message += ` (item ${row.get('item')} of ${row.get('judge')}; ${endOf(text)})`
    if (error.code === 'no_verdict') {
      const reason = field === undefined ? row.part('reply', 'finish_reason') : undefined
      // The reason why there is none is kept, rather than the plain fact.
      if (reason === 'length' || reason === 'max_tokens')
        throw new RowFailure('truncated', `the reply was cut short by max_tokens: ${error.message}`)
      if (reason === 'content_filter' || reason === 'refusal')
        throw new RowFailure('refused', `the model refused (${reason})`)
    }
    throw error
  }
}

/** The last characters of a reply that could not be read, controls and marks of direction made visible. */
function endOf(text: string): string {
  if (text === '') return 'the reply is empty'
  const end = JSON.stringify(text.slice(-80)).replace(
    /[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return text.length > 80 ? `the reply ends ${end}` : `the reply: ${end}`
}
