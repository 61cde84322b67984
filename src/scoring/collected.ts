/** A ledger of rows for figures: what its items come to, and their sums by run and group. */
import type { Criterion, RowFailure } from '../rows/record.ts'
import type { Context } from '../rows/stage.ts'
import { AMOUNTS, isCostOfModel } from './calls.ts'
import { Decider, type ItemSource, noteRepeats } from './decider.ts'
import type { CountedItem } from './group.ts'
import { Intake, type IntakeSettings } from './intake.ts'
import { type ScoreSettings, scoreSettings } from './kind.ts'
import { kindIn } from './kinds.ts'
import { ItemLeads } from './leads.ts'
import { giveLost, homesOf, isKnown, lostItems } from './lost.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import { provenanceSums, seeItem } from './provenance.ts'
import { relabelled } from './relabelled.ts'
import { Report } from './report.ts'
import type { Tried } from './result.ts'
import type { LostItem, Run } from './run.ts'
import { runKey } from './run_identity.ts'

export interface CollectSettings extends ScoreSettings, Omit<IntakeSettings, 'combine' | 'result'> {
  /** The fields that make groups. */
  by: readonly string[]
  /** --common: only items that are valid in all runs count, beside those that failed. */
  common?: boolean | undefined
}

/** What an item comes to. */
export interface CollectedItem extends CountedItem {
  /** Why it failed. */
  failure: Pick<RowFailure, 'code' | 'message'> | undefined
  /** The criteria that its trials asked about. */
  asked: readonly Criterion[]
}

export class Collected {
  readonly intake: Intake
  readonly leads: ItemLeads
  private readonly settings: CollectSettings
  private readonly context: Pick<Context, 'stage' | 'note'>
  private readonly decider: Decider
  /** Names of the amounts of usage: known once all rows are in. */
  private usage: readonly string[] = []
  /** What cannot be scored is told. */
  private tells = false

  /** The item that is decided, in the ledger's columns. */
  private item = 0
  private readonly source: ItemSource<Tried> = {
    trial: (record) => this.intake.tried(record),
    // Messages of failures name their trial.
    of: 1,
    about: () => {
      const lead = this.leads.get(this.intake.ledger.leadOf(this.item))
      if (lead.failure) throw lead.failure
      return lead
    },
    tell: (words, kind) => {
      const { ledger } = this.intake
      if (this.tells) this.context.note(words, { ...ledger.placeOf(ledger.kept[0]!), kind })
    },
  }

  private constructor(
    settings: CollectSettings,
    context: Pick<Context, 'stage' | 'note'>,
    onResult: () => void,
  ) {
    this.settings = settings
    this.context = context
    this.leads = new ItemLeads(settings.by, settings, () => this.intake.current)
    const result: IntakeSettings['result'] = (row) => {
      onResult()
      return relabelled(row, settings, context)
    }
    this.intake = new Intake(this.leads, { ...settings, result }, context)
    this.decider = new Decider(this.intake, this.leads, settings)
  }

  /** @param onResult called for each row that is a result already. @throws Fatal (configuration) for bad criteria */
  static async create(
    settings: CollectSettings,
    context: Pick<Context, 'stage' | 'note'>,
    onResult = () => {},
  ): Promise<Collected> {
    return new Collected(await scoreSettings(settings), context, onResult)
  }

  /** What an item comes to by the rows that were taken so far. */
  itemOf(item: number): CollectedItem {
    const { ledger, calls, cascades } = this.intake
    this.item = item
    const { result, failure, isGiven, trials, asked } = this.decider.decide(item, this.source)
    const valid = failure || isGiven ? trials.filter(({ verdict }) => verdict) : trials
    const amounts = calls.amounts.map((_, i) => ledger.amountsOf(item, i))
    return {
      result,
      asked,
      failure,
      code: failure?.code,
      kind: kindIn(result, valid),
      trials: valid,
      usage: this.usage,
      models: this.leads.get(ledger.leadOf(item)).models,
      cascade: cascades.get(item),
      amounts: (name) => amounts[calls.amounts.indexOf(name)] ?? [],
    }
  }

  private seeItem(item: number, { result, trials }: CollectedItem): void {
    const { ledger, provenance } = this.intake
    if (result) seeItem((provenance[ledger.runOf(item)] ??= provenanceSums()), trials)
  }

  /** An item's value for comparisons; undefined if it failed. */
  outcome(item: number): Outcome | undefined {
    const { result, trials } = this.itemOf(item)
    return result && outcomeOf(result, trials)
  }

  /** To be called when all rows were taken. */
  private end(): void {
    giveLost(this.intake)
    this.leads.findGroups(this.intake.ledger)
    this.usage = this.intake.calls.amounts.slice(AMOUNTS.length).filter((name) => !isCostOfModel(name))
  }

  /**
   * All items, when all rows were taken. Those that failed before they had a model are given to the runs that they may be of.
   * `given`: there are only such failures of the item.
   */
  *items(): Generator<[item: number, judged: CollectedItem, given: boolean]> {
    const { ledger } = this.intake
    const lost = new Map(lostItems(this.intake))
    const { size } = ledger
    this.end()
    this.tells = true
    for (let item = 1; item <= ledger.size; item++) {
      if ((lost.get(item)?.length ?? 0) > 0) continue
      const collected = this.itemOf(item)
      this.seeItem(item, collected)
      yield [item, collected, item > size]
    }
    this.tells = false
    noteRepeats(this.intake, this.decider.conflicts, this.context.note)
  }

  /** The report of all rows that were taken: to be called once. */
  report(): Report {
    this.end()
    const { leads, intake } = this
    const report = new Report(this.settings.by, intake.ledger)
    report.best = leads.best
    const runs = this.runsOf(report)
    const isCommon = this.settings.common ? this.commonItems(runs) : () => true
    const { ledger } = intake
    this.tells = true
    for (let item = 1; item <= ledger.size; item++) {
      const run = runs[ledger.runOf(item)]!
      const groups = leads.groupsOf(ledger.leadOf(item))
      const counted = this.itemOf(item)
      this.seeItem(item, counted)
      if (counted.failure) report.firstFailure ??= counted.failure
      if (ledger.isNamed(item)) run.size++
      if (!run.named && addLost(run, [...ledger.keyOf(item), counted.code!, groups])) continue
      if (counted.result) run.addValid(ledger.keyOf(item))
      const isLeftOut = counted.result && !isCommon(item)
      for (const group of run.groupsOf(groups)) isLeftOut ? group.leaveOut(counted) : group.add(counted)
    }
    this.tells = false
    noteRepeats(intake, this.decider.conflicts, this.context.note)
    return report
  }

  /** The runs of the report, by number. */
  private runsOf(report: Report): Run[] {
    const { intake } = this
    const runs: Run[] = []
    for (const [number, identity] of intake.runs.values.entries()) {
      if (number === 0) continue
      const run = report.run(identity, number)
      run.provenance = intake.provenance[number] ??= provenanceSums()
      run.named = isKnown(intake, number)
      runs[number] = run
    }
    const known = report.runs.filter(({ named }) => named)
    for (const run of report.runs)
      if (!run.named)
        run.lost.push({
          homes: homesOf(run.identity, known).map(({ identity }) => runKey(identity)),
          items: [],
        })
    return runs
  }

  /** --common: whether an item is valid in all runs that have a valid item. */
  private commonItems(runs: readonly Run[]): (item: number) => boolean {
    const { ledger } = this.intake
    const valid = new Uint8Array(ledger.size + 1)
    const measured = new Set<Run>()
    for (let item = 1; item <= ledger.size; item++) {
      if (this.itemOf(item).result === undefined) continue
      valid[item] = 1
      measured.add(runs[ledger.runOf(item)]!)
    }
    return (item) => {
      if (!ledger.isNamed(item)) return true
      const key = Uint32Array.from(ledger.keyOf(item))
      const { variant } = runs[ledger.runOf(item)]!.identity
      return [...measured].every(
        ({ number, identity }) => identity.variant !== variant || valid[ledger.find(number, key)] === 1,
      )
    }
  }
}

/** Keeps an item that failed before it had a model. @returns whether other runs have it */
function addLost({ lost: [part] }: Run, item: LostItem): boolean {
  part!.items.push(item)
  return part!.homes.length > 0
}
