/** A ledger of rows for a report. */
import type { Context } from '../rows/stage.ts'
import { type CountSettings, reportOf } from './counting.ts'
import { Decider } from './decider.ts'
import { Intake, type IntakeSettings } from './intake.ts'
import { scoreSettings } from './kind.ts'
import { ItemLeads } from './leads.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import { relabelled } from './relabelled.ts'
import type { Report } from './report.ts'

export interface Collected {
  intake: Intake
  leads: ItemLeads
  /** An item's outcome, when all its rows are taken; undefined if it failed. */
  outcome(item: number): Outcome | undefined
  /** The report of all rows that were taken: to be called once. */
  report(): Report
}

/** @param onResult called for each row that is a result already. @throws Fatal (configuration) for bad criteria */
export async function collectFor(
  options: CountSettings & Pick<IntakeSettings, 'reads' | 'partOf'>,
  { stage, note }: Pick<Context, 'stage' | 'note'>,
  onResult = () => {},
): Promise<Collected> {
  const settings = await scoreSettings(options)
  const leads: ItemLeads = new ItemLeads(options.by, settings, () => intake.current)
  const intake: Intake = new Intake(
    leads,
    {
      combine: options.combine,
      reads: options.reads,
      partOf: options.partOf,
      result(row) {
        onResult()
        return relabelled(row, settings, { stage, note })
      },
    },
    { stage, note },
  )
  const decider = new Decider(intake, leads, settings, () => {})
  return {
    intake,
    leads,
    outcome(item) {
      const { result, trials } = decider.itemOf(item)
      return result && outcomeOf(result, trials)
    },
    report: () => reportOf(intake, leads, settings, note),
  }
}
