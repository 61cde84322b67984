/** A ledger of rows for a report. */
import type { Context } from '../rows/stage.ts'
import { type CountSettings, reportOf } from './counting.ts'
import { Intake, type IntakeSettings } from './intake.ts'
import { scoreSettings } from './kind.ts'
import { ItemLeads } from './leads.ts'
import { relabelled } from './relabelled.ts'
import type { Report } from './report.ts'

export interface Collected {
  intake: Intake
  leads: ItemLeads
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
        return relabelled(row, settings, note)
      },
    },
    { stage, note },
  )
  return { intake, leads, report: () => reportOf(intake, leads, settings, note) }
}
