/** What the items of a ledger come to: each is decided and scored once all rows are in. */
import type { Criterion, Result, RowFailure } from '../rows/record.ts'
import type { Context } from '../rows/stage.ts'
import type { Intake } from './intake.ts'
import { type ScoreSettings, scoredWith } from './kind.ts'
import type { Leads } from './ledger.ts'
import { addScoring, provenanceSums } from './provenance.ts'
import {
  type AboutItem,
  conflicting,
  decideItem,
  type ItemDecision,
  incomplete,
  type Tried,
  trialsApart,
} from './result.ts'
import { countedOf, type ItemResult } from './result_rows.ts'

/** What a command knows of an item: the ledger's columns, or rows that it holds. */
export interface ItemSource<T extends Tried> extends AboutItem {
  /** The trial of a record; undefined for one that is not held. */
  trial(record: number): T | undefined
}

/** What an item comes to, by these trials. */
export interface DecidedItem<T extends Tried> extends ItemDecision {
  trials: T[]
  /** The criteria that they asked about. */
  asked: readonly Criterion[]
}

export class Decider {
  private readonly intake: Intake
  private readonly leads: Leads
  private readonly settings: ScoreSettings
  /** The options of the results that are made here. */
  private readonly options: Parameters<typeof addScoring>[1]
  /** Items whose rows contradict each other, of which several came. */
  readonly conflicts = new Set<number>()

  /** @param intake when items are decided, all its rows are taken, and failures without a model are given to their runs */
  constructor(intake: Intake, leads: Leads, settings: ScoreSettings) {
    this.intake = intake
    this.leads = leads
    this.settings = settings
    this.options = { scored_with: scoredWith(settings) }
  }

  /** What an item comes to. @throws Fatal (usage) for options that its kind of judge does not have */
  decide<T extends Tried>(item: number, source: ItemSource<T>): DecidedItem<T> {
    const { ledger } = this.intake
    const number = ledger.decide(item)
    const trials: T[] = []
    for (const record of ledger.kept) {
      const one = source.trial(record)
      if (one) for (const each of trialsApart(one)) trials.push(each)
    }
    const asked = this.criteriaOf(ledger.kept)
    const { result, failure, error, isGiven } = this.found(item, number, trials, asked, source)
    if (failure?.code === 'conflict' && ledger.isRepeated(item)) this.conflicts.add(item)
    return { result, failure, error, isGiven, trials, asked }
  }

  private found(
    item: number,
    number: number,
    trials: readonly Tried[],
    asked: readonly Criterion[],
    source: AboutItem,
  ): ItemDecision {
    const { ledger } = this.intake
    if (!ledger.isWhole(item)) {
      const there = new Set(ledger.kept.map((record) => ledger.trialOf(record))).size
      return incomplete(there, ledger.countOf(item))
    }
    if (ledger.differing.length > 0 || ledger.hasConflict(item)) return conflicting(this.whyConflict(item))
    const given = number === 0 ? this.givenTo(item) : undefined
    if (given && !ledger.isPlain(item)) return this.asGiven(given, source)
    const scored = decideItem(trials, asked, source, this.settings)
    const { result } = scored
    if (result) addScoring((this.intake.provenance[ledger.runOf(item)] ??= provenanceSums()), this.options)
    return given && result && this.countsOf(result) !== this.countsOf(given.result!)
      ? conflicting('its result is not that of its trials')
      : scored
  }

  /** The result of a row of jb-score, if it counts: rows of the item's trials may be more than it has. */
  private givenTo(item: number): ItemResult | undefined {
    const { ledger, resultRows } = this.intake
    const given = resultRows.results.values[ledger.resultOf(item)] as ItemResult | undefined
    if (!given || !ledger.isPlain(item)) return given
    return given.result && (given.trials === 0 || ledger.kept.length <= given.trials) ? given : undefined
  }

  private asGiven({ result, code }: ItemResult, source: AboutItem): ItemDecision {
    if (result) return { result, isGiven: true }
    const { ledger, messages } = this.intake
    const name = ledger.codes.values[code] as RowFailure['code']
    const { message } = messages.get(name)!
    source.tell(`${name}: ${message}`, name)
    return { failure: { code: name, message }, isGiven: true }
  }

  /** What counts of a result; not what it has of a label where the command does not read that. */
  private countsOf(result: Result): string {
    const unread = { correct: undefined, credit: undefined, label: undefined }
    return countedOf(this.settings.isLabelled ? { ...result, ...unread } : result)
  }

  /** The criteria of these records, in the order of the trials, each once. */
  private criteriaOf(kept: readonly number[]): Criterion[] {
    const { ledger, meanings } = this.intake
    let all: Criterion[] = NONE
    for (const record of kept) {
      const { criterion } = meanings.asked(ledger.askOf(record))
      if (criterion && !all.some(({ name }) => name === criterion.name)) all = [...all, criterion]
    }
    return all
  }

  private whyConflict(item: number): string {
    const { ledger, resultRows } = this.intake
    const [n] = ledger.differing
    if (n === undefined) return resultRows.conflicts.get(item) ?? 'several results of the same trials differ'
    const places = asksApart(this.intake, item)
    if (places)
      return `trial ${n} was asked differently at ${places}: two items have this id (jb-render --id FIELD tells them apart)`
    return this.leads.differs(ledger.leadOf(item))
      ? `trial ${n} is there several times, and not with the same label or group`
      : `trial ${n} has two replies that differ (jb-score --combine takes both)`
  }
}

/** The places of two rows of one trial that were asked differently; undefined if there are none. */
function asksApart({ ledger }: Intake, item: number): string | undefined {
  const places = ledger.asksApart(item)?.map((record) => ledger.placeOf(record))
  return places?.map(({ file, line }) => `${file}:${line}`).join(' and ')
}

const NONE: Criterion[] = []

const APART =
  'two items have this id, and it counts as failed (conflict) (jb-render --id FIELD tells them apart)'
const CONFLICT =
  'occurs twice with different replies, scores, labels, models or groups (--by): it counts as failed (conflict). Two runs in one input, or ids that several items have? (jb-render --id FIELD; jb-score --combine takes all replies)'
const SAME = 'was counted already, with the same reply: it counts once'

/** Notes items of which there are several rows, each once. @param conflicts those whose rows contradict each other */
export function noteRepeats(intake: Intake, conflicts: ReadonlySet<number>, note: Context['note']): void {
  for (const [item, { id, same, file, line }] of intake.repeats) {
    const isConflict = conflicts.has(item)
    if (!isConflict && !same) continue
    const places = isConflict && asksApart(intake, item)
    const words = places
      ? `has rows that were asked differently, at ${places}: ${APART}`
      : isConflict
        ? CONFLICT
        : SAME
    note(`item ${id} ${words}`, { file, line, kind: isConflict ? 'conflict item again' : 'same item again' })
  }
}
