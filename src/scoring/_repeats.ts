/**
 * Trials and results that are in the rows more than once. The same again counts once; a failure that was tried again
 * counts as it ended; replies that differ, or fields that a report is made of, are a failure (`conflict`), whatever the order of the rows.
 */
import { getOrInsert } from '../rows/maps.ts'
import type { Rows } from '../rows/reader.ts'
import { RowFailure } from '../rows/record.ts'
import { decode, type Latin1, type Row } from '../rows/row.ts'
import { type Context, forget } from '../rows/stage.ts'
import { CONFLICT, digestBits, failureCode, itemDigest, joinedDigest, mix, trialDigest } from './_digest.ts'
import { hashItem, hashTrial } from './_item_hash.ts'
import { ItemTable } from './_item_table.ts'
import { trialResult } from './_trial.ts'
import { homesOf, identityOf, modelBehind, type RunIdentity } from './_who.ts'

/** What a judge with a model said, with a digest of what each counts as when all rows are in. */
class Said {
  /** First trials that were never asked, as the item failed before it had a model. */
  readonly unasked = new ItemTable()
  readonly who: RunIdentity
  /** Replies and results. */
  valid = 0
  readonly results = new ItemTable()
  readonly trials = new ItemTable()
  /** The least that rows of a result or trial tell which count, or contradict each other: that one is given. */
  readonly least = new ItemTable()
  /** Items of results, and trials, that the second reading gave. */
  readonly given = new ItemTable()

  constructor(who: RunIdentity) {
    this.who = who
  }
}

/** A row that says something: a result (or the failure of an item), or one of its trials. */
interface Saying {
  said: Said
  /** JSON text of the item's id, or of that and its {@link Subject}. */
  item: Latin1
  /** Undefined for a result. */
  n: number | undefined
  digest: number
  /** See {@link Telling}. */
  told: number
}

/** JSON text that tells rows of an item apart which are about something else: of battles, the models that met. */
export type Subject = (row: Row, item: Latin1) => Latin1

/** A digest of what an item's row says beside the reply: rows of one trial that differ in it contradict each other. */
export type Telling = (row: Row) => number

export class Repeats {
  private differ = false
  private readonly runs = new Map<string, Said>()
  private last: { key: string; said: Said } | undefined
  private readonly context: Pick<Context, 'stage' | 'note'>
  private readonly subject: Subject | undefined

  private readonly telling: Telling | undefined

  constructor(context: Pick<Context, 'stage' | 'note'>, subject?: Subject, telling?: Telling) {
    this.context = context
    this.subject = subject
    this.telling = telling
  }

  /** Whether rows contradict those before them: what is given must be read again, as {@link settled} gives it. */
  get contradict(): boolean {
    return this.differ || this.retried
  }

  /** Whether an item or trial that failed before it had a model is there again, with all models it may belong to. */
  private get retried(): boolean {
    let found = false
    for (const lost of this.runs.values()) {
      const homes = this.homesOf(lost)
      if (homes.length === 0) continue
      for (const table of [lost.unasked, lost.trials])
        table.forEachItem(() => {
          found ||= homes.every(({ trials }) => trials.has)
        })
    }
    return found
  }

  /** What models said whose failures these may be; none where they are no failures without a model. */
  private homesOf(lost: Said): Said[] {
    return homesOf(lost, [...this.runs.values()]) ?? []
  }

  /** The rows without those that say the same again. */
  async *watched(rows: Rows): AsyncGenerator<Row[]> {
    for await (const batch of rows) yield batch.filter((row) => this.take(row))
  }

  /** The same rows, read again: of each item and trial one. */
  async *settled(rows: Rows): Rows {
    for await (const batch of rows) {
      const kept: Row[] = []
      for (const row of batch) {
        const saying = this.saying(row)
        if (saying === undefined || this.counts(row, saying)) kept.push(row)
      }
      yield kept
    }
  }

  /** Undefined for a row without an item, or that says nothing of it. */
  private saying(row: Row): Saying | undefined {
    const item = row.itemBytes
    if (item === undefined || !(row.has('result') || row.has('verdict') || row.has('error'))) return undefined
    const result = row.get('result')
    const trials = row.get('trials')
    const error = row.get('error')
    const trial = row.get('trial')
    const whole = result !== undefined || trials !== undefined || (error !== undefined && trial === undefined)
    const one = whole ? undefined : trialResult(row, trial ?? { n: 0, of: 1 })
    const model = one?.model ?? modelBehind(row)
    const fields = this.telling?.(row) ?? 0
    // Of failures with one code that of the least reply and message counts.
    const told = error ? mix(joinedDigest(fields, one?.digest ?? 0), row.text('error')!) : fields
    return {
      told,
      said: this.said(row, model),
      item: this.subject?.(row, item) ?? item,
      n: one?.trial.n,
      digest: one ? trialDigest(one, told) : itemDigest(trials ?? [], result ? undefined : error?.code, told),
    }
  }

  private said(row: Row, model: string | undefined): Said {
    // Mostly the judge is that of the row before.
    const key = `${row.text('judge')}\n${row.text('judge_digest')}\n${row.text('name')}\n${row.text('variant')}\n${model}`
    if (key === this.last?.key) return this.last.said
    const said = getOrInsert(this.runs, key, () => new Said(identityOf(row, model)))
    this.last = { key, said }
    return said
  }

  /** Whether the row says something new. */
  private take(row: Row): boolean {
    const saying = this.saying(row)
    if (!saying) return true
    const { said, item, n, digest, told } = saying
    hashItem(item)
    if (n === undefined) {
      const same = this.add(said, said.results, digest, told)
      for (const one of row.get('trials') ?? []) {
        hashItem(item)
        hashTrial(one.trial.n)
        // Trials of an item whose result is there as well: which rows are left out is known at the end.
        if (!same && said.trials.has) this.differ = true
        if (typeof one.digest === 'number' || one.error) this.add(said, said.trials, trialDigest(one, told))
      }
      if (said.who.model === undefined && said.valid === 0) {
        hashItem(item)
        hashTrial(0)
        said.unasked.take(1)
      }
      return !same || this.repeated(row, 'the item')
    }
    const settled = said.results.has
    hashTrial(n)
    if (this.add(said, said.trials, digest, told)) return this.repeated(row, `trial ${n}`)
    if (settled) this.differ = true
    return true
  }

  /**
   * Adds what the item or trial hashed last says.
   * @param told undefined for a trial in a result, which tells nothing
   * @returns whether that was there already
   */
  private add(said: Said, table: ItemTable, digest: number, told?: number): boolean {
    const known = table.take(digest)
    if (failureCode(digest) === undefined) said.valid++
    const alike = known === digest
    const counting = known === 0 || alike ? digest : ending(known, digest)
    if (this.telling && told !== undefined) {
      const bits = digestBits(told)
      const before = said.least.take(bits)
      const ends = counting === digest && !alike
      const joins = alike || (counting === CONFLICT && failureCode(digest) === undefined)
      if (before !== 0 && (ends || (joins && bits < before))) {
        said.least.replace(bits)
        this.differ = true
      }
    }
    if (known === 0 || alike) return alike
    this.differ = true
    table.replace(counting)
    return false
  }

  private repeated(row: Row, what: string): false {
    this.context.note(
      `item ${decode(row.itemBytes!)}: ${what} was there already, with the same reply: it counts once`,
      { file: row.file, line: row.line, kind: 'same again' },
    )
    return false
  }

  /** Whether the row is the one that counts; the first of those that contradict each other fails. */
  private counts(row: Row, { said, item, n, digest, told }: Saying): boolean {
    const conflict = n === undefined ? this.trialsConflict(row, said, item) : false
    if (failureCode(digest) !== undefined && this.isRetried(said, item, n)) return false
    hashItem(item)
    // The result of an item stands for its trials.
    if (n !== undefined && said.results.has) return false
    if (n !== undefined) hashTrial(n)
    const table = n === undefined ? said.results : said.trials
    const counting = conflict ? CONFLICT : table.digest
    if (counting !== digest && counting !== CONFLICT) return false
    // One of the replies that differ tells more than a failure beside them.
    if (table.digest === CONFLICT && failureCode(digest) !== undefined) return false
    if (this.telling && said.least.digest !== digestBits(told)) return false
    if (said.given.take(1) !== 0) return false
    if (counting === CONFLICT) this.fail(row, n)
    return true
  }

  private isRetried(said: Said, item: Latin1, n: number | undefined): boolean {
    const homes = this.homesOf(said)
    return (
      homes.length > 0 &&
      homes.every(({ trials }) => {
        hashItem(item)
        hashTrial(n ?? 0)
        return trials.has
      })
    )
  }

  /** Whether trials of the item, in rows of their own, say something else. */
  private trialsConflict(row: Row, said: Said, item: Latin1): boolean {
    return (row.get('trials') ?? []).some(({ trial }) => {
      hashItem(item)
      hashTrial(trial.n)
      return said.trials.digest === CONFLICT
    })
  }

  private fail(row: Row, n: number | undefined): void {
    const { stage, note } = this.context
    const what = n === undefined ? 'the item' : `trial ${n}`
    const all = stage === 'rank' ? '' : '; --combine takes all replies'
    note(
      `item ${decode(row.itemBytes!)}: ${what} is there twice, and its replies or fields differ: it counts as failed (conflict). Two runs in one input, or ids that several items have? (jb-render --id FIELD${all})`,
      { file: row.file, line: row.line, kind: 'conflict again' },
    )
    const model =
      row.get('result')?.model ??
      row.get('trials')?.find((one) => one.model)?.model ??
      row.get('reply')?.model
    const detail = model === undefined ? {} : { model }
    // Nothing tells which of its replies counts.
    forget(row, ['result', 'verdict', 'reply', 'trials'])
    row.fail(
      stage,
      new RowFailure(
        'conflict',
        `${what} is there several times, with replies or fields that differ`,
        detail,
      ),
    )
  }
}

/** What counts of two that differ: a reply before a failure, of failures that whose code comes first. */
function ending(known: number, digest: number): number {
  if (known === CONFLICT || digest === CONFLICT) return CONFLICT
  const [failedBefore, fails] = [failureCode(known), failureCode(digest)]
  if (failedBefore === undefined && fails === undefined) return CONFLICT
  if (failedBefore !== undefined && fails !== undefined) return Math.min(known, digest)
  return failedBefore === undefined ? known : digest
}
