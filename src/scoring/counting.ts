/** Adds up what the items of a ledger come to. */
import type { Criterion, JsonObject, Result } from '../rows/record.ts'
import { RowFailure } from '../rows/record.ts'
import type { Context } from '../rows/stage.ts'
import { windowOf } from '../verdicts/_window.ts'
import { runKey } from './_run_identity.ts'
import type { CountedItem } from './group.ts'
import { AMOUNTS, countedOf, type Intake, type ItemResult } from './intake.ts'
import { type Scored, type ScoreSettings, scoredWith } from './kind.ts'
import { KIND, kindIn, kindOf } from './kinds.ts'
import { unreadLabelIn } from './label.ts'
import type { ItemLeads } from './leads.ts'
import { FAILED } from './ledger.ts'
import { addScoring } from './made.ts'
import { homesOf, Report } from './report.ts'
import type { LostItem, Run } from './run.ts'

export interface CountSettings extends ScoreSettings {
  by: string[]
  /** --common: only items that are valid in all runs count, beside those that failed. */
  common?: boolean | undefined
}

/** The report of all rows that were taken. */
export function reportOf(
  intake: Intake,
  leads: ItemLeads,
  settings: CountSettings,
  note: Context['note'],
): Report {
  const counting = new Counting(intake, leads, settings, note)
  counting.giveLost()
  counting.findGroups()
  counting.count()
  return counting.report
}

/** What an item comes to: its result, or the code with which it fails. */
interface Decided {
  result?: Result
  code?: string
  message?: string
}

class Counting {
  readonly report: Report
  private readonly intake: Intake
  private readonly leads: ItemLeads
  private readonly settings: CountSettings
  private readonly note: Context['note']
  /** By number. */
  private readonly runs: Run[] = []
  private readonly usage: readonly string[]
  /** The options of the results that are made here. */
  private readonly options: Pick<Result, 'scored_with'>
  /** --common: numbers of the runs with a valid item. */
  private readonly measured = new Set<number>()
  /** Items whose rows contradict each other. */
  private readonly conflicts = new Set<number>()

  constructor(intake: Intake, leads: ItemLeads, settings: CountSettings, note: Context['note']) {
    this.intake = intake
    this.leads = leads
    this.settings = settings
    this.note = note
    this.options = { scored_with: scoredWith(settings) }
    this.usage = intake.amounts.slice(AMOUNTS.length)
    this.report = new Report(settings.by, intake.ledger)
    for (const [number, identity] of intake.runs.values.entries()) {
      if (number === 0) continue
      const run = this.report.run(identity, number)
      if (intake.made[number]) run.made = intake.made[number]
      run.named = identity.model !== undefined || intake.replied[number] === true
      this.runs[number] = run
    }
  }

  /** Gives failures without a model to the runs that they may be of. */
  giveLost(): void {
    const { ledger } = this.intake
    const named = this.report.runs.filter((run) => run.named)
    const homes = new Map<number, Run[]>()
    for (const run of this.report.runs)
      if (!run.named) {
        const possible = homesOf(run.identity, named)
        run.lost.push({ homes: possible.map(({ identity }) => runKey(identity)), items: [] })
        homes.set(run.number, possible)
      }
    if (homes.size === 0) return
    const { size } = ledger
    for (let item = 1; item <= size; item++)
      for (const home of homes.get(ledger.runOf(item)) ?? []) ledger.give(item, home.number)
  }

  /** Without --by: groups are by the first usual field that an item has. */
  findGroups(): void {
    const { leads } = this
    const { ledger } = this.intake
    if (leads.by) return
    for (let item = 1; item <= ledger.size; item++)
      leads.best = Math.min(leads.best, leads.get(ledger.leadOf(item)).usual)
    this.report.best = leads.best
  }

  count(): void {
    const { intake, leads, runs, settings } = this
    const { ledger } = intake
    const valid = settings.common ? this.validItems() : undefined
    for (let item = 1; item <= ledger.size; item++) {
      const run = runs[ledger.runOf(item)]!
      const groups = leads.groupsOf(ledger.leadOf(item))
      const counted = this.itemOf(item)
      if (ledger.isNamed(item)) run.size++
      if (!run.named && this.addLost(run, [...ledger.keyOf(item), counted.code!, groups])) continue
      if (counted.result) run.addValid(ledger.keyOf(item))
      const all = run.groupsOf(groups)
      if (valid && counted.result && ledger.isNamed(item) && !this.isCommon(item, valid))
        for (const group of all) group.leaveOut(counted)
      else for (const group of all) group.add(counted)
    }
    this.noteRepeats()
  }

  /** Keeps an item that failed before it had a model. @returns whether other runs have it */
  private addLost({ lost: [part] }: Run, item: LostItem): boolean {
    part!.items.push(item)
    return part!.homes.length > 0
  }

  /** What an item comes to, noted where it cannot be scored. */
  private itemOf(item: number): CountedItem {
    const { intake, report } = this
    const { ledger } = intake
    const number = ledger.decide(item)
    const kept = [...ledger.kept]
    const [trials, lack] = this.trialsOf(kept)
    const decided: Decided = number === 0 ? this.decided(item, kept, trials, lack) : {}
    const code = decided.result ? undefined : (decided.code ?? ledger.codes.values[number]!)
    if (code !== undefined) {
      const message = decided.message ?? this.messageOf(item, code)
      report.firstFailure ??= { code: code as RowFailure['code'], message }
      if (code === 'conflict' && ledger.isRepeated(item)) this.conflicts.add(item)
    }
    return {
      result: decided.result,
      code,
      kind: kindIn(decided.result, trials),
      trials,
      usage: this.usage,
      amounts: (name) => ledger.amountsOf(item, intake.amounts.indexOf(name)),
    }
  }

  /** The trials of these records that have a verdict, and why one of them lacks a part of it. */
  private trialsOf(kept: readonly number[]): [trials: Scored[], lack: string | undefined] {
    const { ledger } = this.intake
    const trials: Scored[] = []
    let lack: string | undefined
    for (const record of kept) {
      if (ledger.saidOf(record) >= FAILED) continue
      for (const one of apart(this.intake.scored(record)))
        if (typeof one === 'string') lack = one
        else if (one.verdict) trials.push(one)
    }
    return [trials, lack]
  }

  /** The result of an item none of whose trials failed, or why it has none. */
  private decided(item: number, kept: readonly number[], trials: readonly Scored[], lack?: string): Decided {
    try {
      if (lack !== undefined) throw new RowFailure('no_verdict', lack)
      return { result: this.resultOf(item, kept, trials) }
    } catch (error) {
      if (!(error instanceof RowFailure)) throw error
      const { code, message } = error
      if (code !== 'conflict')
        this.note(`${code}: ${message}`, { ...this.intake.ledger.placeOf(kept[0]!), kind: code })
      return { code, message }
    }
  }

  private messageOf(item: number, code: string): string {
    const { ledger, messages } = this.intake
    if (code === 'incomplete') return `${ledger.kept.length} of ${ledger.countOf(item)} trials are there`
    return messages.get(code)?.message ?? 'rows differ'
  }

  /** @throws RowFailure if the trials have no result */
  private resultOf(item: number, kept: readonly number[], trials: readonly Scored[]): Result {
    const { ledger } = this.intake
    const given = this.intake.results.values[ledger.resultOf(item)] as ItemResult | undefined
    const plain = ledger.isPlain(item)
    if (!given || (plain && (kept.length > given.trials || !given.result)))
      return this.scored(item, kept, trials)
    if (!given.result)
      throw new RowFailure(this.codeOf(given), this.intake.messages.get(this.codeOf(given))!.message)
    if (plain && countedOf(this.scored(item, kept, trials)) !== given.counts)
      throw new RowFailure('conflict', 'its result is not that of its trials')
    return given.result
  }

  private codeOf({ code }: ItemResult): RowFailure['code'] {
    return this.intake.ledger.codes.values[code] as RowFailure['code']
  }

  private scored(item: number, kept: readonly number[], trials: readonly Scored[]): Result {
    const { intake, settings } = this
    const lead = this.leads.get(intake.ledger.leadOf(item))
    if (lead.failure) throw lead.failure
    const asked = criteriaOf(kept.map((record) => intake.asks.values[intake.ledger.askOf(record)]!.criterion))
    const kind = KIND[kindOf(trials[0]!.verdict!)]
    const result = kind.score(trials, { ...lead, asked }, settings)
    addScoring(this.runs[intake.ledger.runOf(item)]!.made, this.options)
    const unread = unreadLabelIn(result)
    if (unread) this.note(unread, { ...intake.ledger.placeOf(kept[0]!), kind: 'label' })
    return result
  }

  /** --common: whether each item is valid, by number. */
  private validItems(): Uint8Array {
    const { ledger } = this.intake
    const quiet = new Counting(this.intake, this.leads, this.settings, () => {})
    const valid = new Uint8Array(ledger.size + 1)
    for (let item = 1; item <= ledger.size; item++) {
      if (quiet.itemOf(item).result === undefined) continue
      valid[item] = 1
      this.measured.add(ledger.runOf(item))
    }
    return valid
  }

  private isCommon(item: number, valid: Uint8Array): boolean {
    const { ledger } = this.intake
    const key = Uint32Array.from(ledger.keyOf(item))
    const { variant } = this.runs[ledger.runOf(item)]!.identity
    return this.report.runs.every(
      (run) =>
        !this.measured.has(run.number) ||
        run.identity.variant !== variant ||
        valid[ledger.find(run.number, key)] === 1,
    )
  }

  /** Notes items of which there are several rows, each once. */
  private noteRepeats(): void {
    const { conflicts } = this
    const { ledger, repeats } = this.intake
    for (const [item, { id, same, file, line }] of repeats) {
      const isConflict = conflicts.has(item)
      if (!isConflict && !same) continue
      const apart = isConflict ? ledger.asksApart(item) : undefined
      const words = apart
        ? `has rows that were asked differently, at ${apart.map((record) => placeText(ledger.placeOf(record))).join(' and ')}: two items have this id, and it counts as failed (conflict) (jb-render --id FIELD tells them apart)`
        : isConflict
          ? 'occurs twice with different replies, scores, labels or groups (--by): it counts as failed (conflict). Two runs in one input, or ids that several items have? (jb-render --id FIELD; --combine takes all replies)'
          : 'was counted already, with the same reply: it counts once'
      this.note(`item ${id} ${words}`, {
        file,
        line,
        kind: isConflict ? 'conflict item again' : 'same item again',
      })
    }
  }
}

const placeText = ({ file, line }: { file: string; line: number }) => `${file}:${line}`

/** Criteria in the order of the trials, each once. */
export function criteriaOf(all: readonly (Criterion | undefined)[]): Criterion[] {
  const criteria = new Map<string, Criterion>()
  for (const one of all) if (one && !criteria.has(one.name)) criteria.set(one.name, one)
  return [...criteria.values()]
}

/** Of a window a verdict for every element; a text for one that no line could be read for. */
export function apart(one: Scored): (Scored | string)[] {
  const ids = one.trial.nuggets === undefined ? undefined : windowOf(one.trial as never)
  if (!ids) return [one]
  const { nuggets: _, ...trial } = one.trial
  const each = (one.verdict?.each ?? []) as unknown as (JsonObject | null)[]
  return ids.map((nugget, place) => {
    const verdict = each[place]
    return verdict
      ? { trial: { ...trial, nugget }, verdict: verdict as Scored['verdict'] & object }
      : `no line for nugget ${nugget}`
  })
}
