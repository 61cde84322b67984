/** Adds up what the items of a ledger come to, by run and group. */
import type { Context } from '../rows/stage.ts'
import { Decider } from './decider.ts'
import type { Intake } from './intake.ts'
import type { ScoreSettings } from './kind.ts'
import type { ItemLeads } from './leads.ts'
import { giveLost, homesOf, isKnown } from './lost.ts'
import { madeSums } from './made.ts'
import { Report } from './report.ts'
import type { LostItem, Run } from './run.ts'
import { runKey } from './run_identity.ts'

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
  giveLost(intake)
  const decider = new Decider(intake, leads, settings, note)
  const report = new Report(settings.by, intake.ledger)
  report.best = leads.best
  const runs = runsOf(intake, report)
  const isCommon = settings.common ? commonItems(intake, leads, settings, runs) : () => true
  const { ledger } = intake
  for (let item = 1; item <= ledger.size; item++) {
    const run = runs[ledger.runOf(item)]!
    const groups = leads.groupsOf(ledger.leadOf(item))
    const counted = decider.itemOf(item)
    if (ledger.isNamed(item)) run.size++
    if (!run.named && addLost(run, [...ledger.keyOf(item), counted.code!, groups])) continue
    if (counted.result) run.addValid(ledger.keyOf(item))
    const isLeftOut = counted.result && !isCommon(item)
    for (const group of run.groupsOf(groups)) isLeftOut ? group.leaveOut(counted) : group.add(counted)
  }
  report.firstFailure = decider.firstFailure
  decider.noteRepeats()
  return report
}

/** The runs of the report, by number. */
function runsOf(intake: Intake, report: Report): Run[] {
  const runs: Run[] = []
  for (const [number, identity] of intake.runs.values.entries()) {
    if (number === 0) continue
    const run = report.run(identity, number)
    run.made = intake.made[number] ??= madeSums()
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

/** Keeps an item that failed before it had a model. @returns whether other runs have it */
function addLost({ lost: [part] }: Run, item: LostItem): boolean {
  part!.items.push(item)
  return part!.homes.length > 0
}

/** --common: whether an item is valid in all runs that have a valid item. */
function commonItems(
  intake: Intake,
  leads: ItemLeads,
  settings: ScoreSettings,
  runs: readonly Run[],
): (item: number) => boolean {
  const { ledger } = intake
  const decider = new Decider(intake, leads, settings, () => {})
  const valid = new Uint8Array(ledger.size + 1)
  const measured = new Set<Run>()
  for (let item = 1; item <= ledger.size; item++) {
    if (decider.itemOf(item).result === undefined) continue
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
