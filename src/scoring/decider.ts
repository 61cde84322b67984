/** What the items of a ledger come to: each is scored once all rows are in. */
import { type Criterion, type JsonObject, type Result, RowFailure } from '../rows/record.ts'
import type { Context } from '../rows/stage.ts'
import { windowOf } from '../verdicts/_window.ts'
import { AMOUNTS, isCostOfModel } from './calls.ts'
import type { CountedItem } from './group.ts'
import type { Intake } from './intake.ts'
import { type Scored, type ScoreSettings, scoredWith } from './kind.ts'
import { KIND, kindIn, kindOf } from './kinds.ts'
import { unreadLabelIn } from './label.ts'
import type { ItemLeads } from './leads.ts'
import { FAILED } from './ledger.ts'
import { addScoring, madeSums } from './made.ts'
import { countedOf, type ItemResult } from './result_rows.ts'

/** An item's result, or the code with which it fails, and why. */
interface Decided {
  result?: Result
  code?: string
  message?: string
}

export class Decider {
  /** Of the first item that failed. */
  firstFailure: { code: RowFailure['code']; message: string } | undefined
  private readonly intake: Intake
  private readonly leads: ItemLeads
  private readonly settings: ScoreSettings
  private readonly note: Context['note']
  private readonly usage: readonly string[]
  /** The options of the results that are made here. */
  private readonly options: Pick<Result, 'scored_with'>
  /** Items whose rows contradict each other. */
  private readonly conflicts = new Set<number>()

  /** @param intake all its rows are taken, and failures without a model are given to their runs */
  constructor(intake: Intake, leads: ItemLeads, settings: ScoreSettings, note: Context['note']) {
    this.intake = intake
    this.leads = leads
    this.settings = settings
    this.note = note
    this.usage = intake.calls.amounts.slice(AMOUNTS.length).filter((name) => !isCostOfModel(name))
    this.options = { scored_with: scoredWith(settings) }
    leads.findGroups(intake.ledger)
  }

  /** What an item comes to, noted where it cannot be scored. */
  itemOf(item: number): CountedItem {
    const { intake } = this
    const { ledger } = intake
    const number = ledger.decide(item)
    const { kept } = ledger
    const [trials, lack] = this.trialsOf(kept)
    const decided: Decided = number === 0 ? this.decided(item, kept, trials, lack) : {}
    const code = decided.result ? undefined : (decided.code ?? ledger.codes.values[number]!)
    if (code !== undefined) {
      const message = decided.message ?? this.messageOf(item, code)
      this.firstFailure ??= { code: code as RowFailure['code'], message }
      if (code === 'conflict' && ledger.isRepeated(item)) this.conflicts.add(item)
    }
    const names = intake.calls.amounts
    const amounts = names.map((_, i) => ledger.amountsOf(item, i))
    return {
      result: decided.result,
      code,
      kind: kindIn(decided.result, trials),
      trials,
      usage: this.usage,
      models: this.leads.get(ledger.leadOf(item)).models,
      cascade: intake.cascades.get(item),
      amounts: (name) => amounts[names.indexOf(name)] ?? [],
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
    const given = this.intake.resultRows.results.values[ledger.resultOf(item)] as ItemResult | undefined
    const plain = ledger.isPlain(item)
    if (!given || (plain && ((given.trials > 0 && kept.length > given.trials) || !given.result)))
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
    const asked = criteriaOf(
      kept.map((record) => intake.meanings.asked(intake.ledger.askOf(record)).criterion),
    )
    const kind = KIND[kindOf(trials[0]!.verdict!)]
    const { label, lack, criteria } = lead
    const result = kind.score(trials, { label, lack, criteria, asked }, settings)
    addScoring((intake.made[intake.ledger.runOf(item)] ??= madeSums()), this.options)
    const unread = unreadLabelIn(result)
    if (unread) this.note(unread, { ...intake.ledger.placeOf(kept[0]!), kind: 'label' })
    return result
  }

  /** Notes items of which there are several rows, each once. */
  noteRepeats(): void {
    noteRepeats(this.intake, this.conflicts, this.note)
  }
}

const APART =
  'two items have this id, and it counts as failed (conflict) (jb-render --id FIELD tells them apart)'
const CONFLICT =
  'occurs twice with different replies, scores, labels, models or groups (--by): it counts as failed (conflict). Two runs in one input, or ids that several items have? (jb-render --id FIELD; jb-score --combine takes all replies)'
const SAME = 'was counted already, with the same reply: it counts once'

/** Notes items of which there are several rows, each once. @param conflicts those whose rows contradict each other */
export function noteRepeats(
  { ledger, repeats }: Intake,
  conflicts: ReadonlySet<number>,
  note: Context['note'],
): void {
  for (const [item, { id, same, file, line }] of repeats) {
    const isConflict = conflicts.has(item)
    if (!isConflict && !same) continue
    const places = isConflict && ledger.asksApart(item)?.map((record) => placeText(ledger.placeOf(record)))
    const words = places
      ? `has rows that were asked differently, at ${places.join(' and ')}: ${APART}`
      : isConflict
        ? CONFLICT
        : SAME
    note(`item ${id} ${words}`, { file, line, kind: isConflict ? 'conflict item again' : 'same item again' })
  }
}

const placeText = ({ file, line }: { file: string; line: number }) => `${file}:${line}`

/** Criteria in the order of the trials, each once. */
export function criteriaOf(all: readonly (Criterion | undefined)[]): Criterion[] {
  return all.filter(
    (one, i) => one && all.findIndex((other) => other?.name === one.name) === i,
  ) as Criterion[]
}

/** Of a window a verdict for every element; a text for one that no line could be read for. */
export function apart(one: Scored): (Scored | string)[] {
  const window = windowOf(one.trial)
  if (!window) return [one]
  const each = (one.verdict?.each ?? []) as unknown as (JsonObject | null)[]
  return window.trials.map((trial, place) => {
    const verdict = each[place]
    return verdict
      ? { trial, verdict: verdict as Scored['verdict'] & object }
      : `no line for ${window.name} ${window.ids[place]}`
  })
}
