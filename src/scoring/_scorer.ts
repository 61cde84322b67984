/** Collects the trials of each item and scores it as soon as the last one is in. */
import { itemId } from '../rows/item_id.ts'
import { append } from '../rows/maps.ts'
import {
  type Criterion,
  type JsonObject,
  RowFailure,
  type StageName,
  type Trial,
  type TrialResult,
} from '../rows/record.ts'
import type { Latin1, Row } from '../rows/row.ts'
import { type Context, rowFailure } from '../rows/stage.ts'
import { unreadLabelIn } from './_label.ts'
import {
  addItem,
  areApart,
  criteriaOf,
  itemRow,
  type OpenItem,
  openItemOf,
  removeItem,
  takeCriterion,
  takeItemRow,
  takeSameReply,
  takeTrial,
  trialsInOrder,
  withCalls,
} from './_open_item.ts'
import { relabelled } from './_relabelled.ts'
import { kindOf, type ScoreSettings, type Scoring, scoredWith, scoringModules } from './_scoring.ts'
import { apart, isTrial, itemKey, trialCount, trialResult, UNREAD } from './_trial.ts'

/** Items that may begin before those that still wait for trials get a copy of their bytes. */
const WAITING = 256
/** Complete items that --combine holds for further replies to the same trials; jb-audit holds all items anyway. */
const HELD: { [stage in StageName]?: number } = {
  aggregate: 10_000,
  compare: 10_000,
  audit: Number.POSITIVE_INFINITY,
}

/**
 * Trials in, results out, in whatever order. An item is identified by item, judge, version, name and model,
 * so that a jury of several judges or models flows through one pipe.
 */
export class Scorer {
  readonly open = new Map<string, OpenItem>()
  /** Open items that began recently. */
  private arrived: OpenItem[] = []
  private readonly settings: ScoreSettings
  private readonly context: Pick<Context, 'stage' | 'note'>
  private readonly modules: ReadonlyMap<string, Scoring>
  /** Trials that are held, each the only one of its item unless another row has more; by the item's key. */
  private readonly heldAlone = new Map<string, { row: Row; one: TrialResult }[]>()
  /** Keys of complete items that are held, the oldest first. */
  private readonly held = new Set<string>()
  private readonly hold: number
  /** The options that decide a result, if any is given. */
  private readonly scoredWith: JsonObject | undefined

  private constructor(
    settings: ScoreSettings,
    context: Pick<Context, 'stage' | 'note'>,
    modules: ReadonlyMap<string, Scoring>,
  ) {
    this.settings = settings
    this.context = context
    this.modules = modules
    this.scoredWith = scoredWith(settings)
    this.hold = settings.combine === undefined ? 0 : (HELD[context.stage] ?? 0)
  }

  static async create(settings: ScoreSettings, context: Pick<Context, 'stage' | 'note'>): Promise<Scorer> {
    const { criteria = [], compat } = settings
    if (criteria.length > 0) {
      const { loadCriteria } = await import('../criteria/_load.ts')
      settings.criteriaSource = await loadCriteria(criteria, (found) => found, { compat })
    }
    return new Scorer(settings, context, await scoringModules())
  }

  /**
   * Takes a trial's row; returns the item's row once it is complete. Results and failures without a trial are passed on, by
   * jb-score as they are.
   */
  add(row: Row): Row | undefined {
    if (!isTrial(row)) {
      const { stage, note } = this.context
      return stage === 'score' ? row : relabelled(row, this.modules, this.settings, note)
    }
    const trial = row.get('trial') ?? ({ n: 0, of: 1 } as Trial)
    const one = trialResult(row, trial)
    const of = trialCount(trial)
    const held = this.settings.isHeld?.(row)
    if (of > 1 || this.hold > 0) return this.addTrial(this.keyOf(row, one.model), row, one, of, held)
    if (!held) return this.alone(row, one)
    const made = itemRow(row)
    const criterion = row.get('criterion')
    if (criterion) made.set('criterion', criterion)
    append(this.heldAlone, this.keyOf(row, one.model), { row: made.detached(), one })
    return undefined
  }

  /** The row of an item of which this is the only trial; one of several is incomplete. */
  alone(row: Row, one: TrialResult, of = 1, conflict?: string): Row {
    const criterion = row.get('criterion')
    return this.finish(itemRow(row), [one], of, criterion ? [criterion] : [], conflict)
  }

  private addTrial(key: string, row: Row, one: TrialResult, of: number, held?: boolean): Row | undefined {
    const item = this.takeRow(key, row, one, of)
    return item.trials.size < item.of || held ? undefined : this.complete(key, item)
  }

  /** Takes a trial's row. @returns its item */
  takeRow(key: string, row: Row, one: TrialResult, of: number): OpenItem {
    const { trial } = one
    const criterion = row.get('criterion')
    let item = this.open.get(key)
    if (this.settings.sampled) while (item?.trials.has(trial.n)) item = item.next
    if (!item) {
      item = openItemOf(row, one, of)
      addItem(this.open, key, item)
      this.arrive(item)
    } else if (takeItemRow(item, row, trial.n, one.error !== undefined, this.settings)) this.arrive(item)
    item.of = Math.max(item.of, of)
    this.take(item, one, row)
    if (this.settings.isPart) item.lines.push(row.line)
    if (criterion) takeCriterion(item, criterion, trial.n)
    return item
  }

  /** Takes the trials of earlier rows of an item. */
  takeEarlier(item: OpenItem, earlier: OpenItem): void {
    takeItemRow(item, earlier.row, earlier.first, earlier.failed, this.settings)
    item.of = Math.max(item.of, earlier.of)
    for (const one of earlier.trials.values()) this.take(item, one, earlier.row)
    for (const { criterion, n } of earlier.criteria?.values() ?? []) takeCriterion(item, criterion, n)
  }

  /**
   * JSON text of the id of the item that a row completed; undefined if it has no id: such items cannot be recognised.
   * Under --combine it is the item that was held longest, which may be another than the row's.
   */
  idOf(result: Row, row: Row): Latin1 | undefined {
    return this.hold > 0 ? result.itemBytes : row.itemBytes
  }

  private arrive(item: OpenItem): void {
    if (this.arrived.push(item) === WAITING) this.settle()
  }

  /** At the end of a batch: a row keeps all bytes that were read with it, so rows that wait get a copy of their own. */
  settle(): void {
    for (const item of this.arrived) if (!item.released) item.row = item.row.detached()
    this.arrived = []
  }

  private take(item: OpenItem, one: TrialResult, row: Row): void {
    // A trial that failed may have been tried again.
    if (takeTrial(item, one)) return
    const { n } = one.trial
    const known = item.trials.get(n)!
    if (one.error || known.error) return
    const where = { file: row.file, line: row.line }
    const what = `item ${JSON.stringify(row.get('item') ?? itemId(row))}, trial ${n}`
    if (takeSameReply(item, one))
      this.context.note(`${what} was there already, with the same reply: it counts once`, {
        ...where,
        kind: 'same trial again',
      })
    else if (this.settings.combine !== undefined) (item.more ??= []).push(one)
    else {
      item.conflict ??= `trial ${n} has two replies that differ (--combine takes both)`
      const [first, second] = Number(one.digest) < Number(known.digest) ? [one, known] : [known, one]
      item.trials.set(n, withCalls(first, second))
    }
  }

  /** The item's row, or while it is held that of the item held longest. */
  private complete(key: string, item: OpenItem): Row | undefined {
    if (this.hold === 0) return this.release(key, item)
    this.held.add(key)
    if (this.held.size <= this.hold) return undefined
    const [oldest] = this.held
    return this.release(oldest!, this.open.get(oldest!)!)
  }

  /** Forgets an open item. */
  drop(key: string, item: OpenItem): void {
    if (this.settings.sampled) removeItem(this.open, key, item)
    else this.open.delete(key)
    this.held.delete(key)
    item.released = true
  }

  /** The row of an item, which is not open any more. */
  release(key: string, item: OpenItem): Row {
    this.drop(key, item)
    const { row, of, conflict, others } = item
    return this.finish(row, trialsInOrder(item), of, criteriaOf(item), conflict, others)
  }

  /** Incomplete items: their identity, and the line numbers of their rows. */
  *waiting(): Generator<{ row: Row; model: string | undefined; lines: readonly number[] }> {
    yield* this.open.values()
  }

  /** Items that stayed incomplete, as failed rows. */
  *rest(): Generator<Row> {
    // Another row says that the item has more trials.
    for (const [key, rows] of this.heldAlone)
      for (const { row, one } of rows)
        if (this.open.has(key)) this.addTrial(key, row, one, 1, true)
        else yield this.alone(row, one)
    this.heldAlone.clear()
    this.joinFailures()
    for (const [key] of this.open)
      for (let item = this.open.get(key); item; item = item.next) yield this.release(key, item)
  }

  /** A failure without a model (from a recording) belongs to those trials of the item that have no model either. */
  joinFailures(): void {
    const nameless = [...this.open].filter(([, { model }]) => model === undefined)
    if (nameless.length === 0) return
    const lacking = new Map<string, OpenItem[]>()
    for (const item of this.open.values())
      if (item.model !== undefined) append(lacking, this.keyOf(item.row), item)
    for (const [key, { row, trials }] of nameless) {
      let joined = false
      for (const item of lacking.get(this.keyOf(row)) ?? [])
        for (const [n, one] of trials)
          if (!item.trials.has(n)) {
            item.trials.set(n, one)
            joined = true
          }
      if (joined) this.open.delete(key)
    }
  }

  /** @param result the item's row so far */
  private finish(
    result: Row,
    asked: TrialResult[],
    of: number,
    criteria: Criterion[],
    conflict?: string,
    others: Row[] = [],
  ): Row {
    if (criteria.length > 0) result.set('criteria', criteria)
    const trials = asked.some(({ trial }) => trial.nuggets !== undefined) ? asked.flatMap(apart) : asked
    const failed = trials.find(({ error }) => error)
    try {
      if (asked.length < of) throw new RowFailure('incomplete', `${asked.length} of ${of} trials are there`)
      // Even if another trial failed: a later row may have another try of it.
      if (conflict !== undefined) throw new RowFailure('conflict', conflict)
      if (failed) return this.failed(result, trials, failed, of)
      const { verdict, model } = trials[0]!
      const { score } = this.modules.get(kindOf(verdict!))!
      const scoredBy = (row: Row) => score(trials, row, this.settings)
      const scored = scoredBy(result)
      const unread = unreadLabelIn(scored)
      if (unread) this.context.note(unread, { file: result.file, line: result.line, kind: 'label' })
      if (areApart(others, result, scored, scoredBy, this.settings))
        throw new RowFailure(
          'conflict',
          `trial ${trials[0]!.trial.n} is there several times, and not with the same label or group`,
        )
      if (model !== undefined) scored.model = model
      if (this.scoredWith) scored.scored_with = this.scoredWith
      result.set('result', scored)
    } catch (error) {
      const failure = rowFailure(error, result)
      this.noteFailed(failure, result)
      result.fail(this.context.stage, failure)
    }
    return result.set('trials', trials)
  }

  /** Notes an item that cannot be scored, with its place: only jb-score writes its row. */
  private noteFailed({ code, message }: RowFailure, { file, line }: Row): void {
    if (this.context.stage === 'score' || code === 'incomplete' || code === 'conflict') return
    this.context.note(`${code}: ${message}`, { file, line, kind: code })
  }

  /** The item gets the error of its failed trial, with the stage in which it failed. */
  private failed(result: Row, trials: TrialResult[], { trial, ...one }: TrialResult, of: number): Row {
    const error = one.error!
    const { stage, code, message: said, ...detail } = error
    const message = of === 1 ? said : `trial ${trial.n}: ${said}`
    if (stage === UNREAD.stage) result.fail(this.context.stage, new RowFailure(code, message, detail))
    else result.set('error', { ...error, message })
    return result.set('trials', trials)
  }

  private keyOf(row: Row, model?: string): string {
    return itemKey(row, model, this.settings.subject)
  }
}
