/** What has to be known before a run's report is believed. */
import type { JsonObject } from '../rows/record.ts'
import { mixedOrders } from './provenance.ts'
import type { RunSums } from './run_sums.ts'
import {
  ceiling,
  failuresByGroup,
  fewClusters,
  fewItems,
  mixedOrder,
  oneClass,
  oneOrder,
  raised,
  repeatedPrompts,
  severalVersions,
  slotBias,
  unusedOrders,
  type Warning,
  worseThanCoin,
} from './warnings.ts'

/** @param runs all of the report: several may be of versions of one judge */
export function reportWarnings(run: RunSums, runs: readonly RunSums[], settings: { ci: number }): Warning[] {
  const report = run.all.report(settings)
  const orders = [...run.provenance.orders]
  const { games, first_slot, decisive, correct, incorrect, labelled, accuracy } = report as Record<
    string,
    number
  >
  return raised(
    // The accuracy is of labelled items.
    labelled! > 0 && labelled! < run.valid ? fewItems(labelled!, 'labelled ') : fewItems(run.valid),
    fewClusters(report),
    repeatedPrompts(run.repeatedPrompts, run.valid, report.clusters !== undefined),
    ...[...run.by].map(([field, groups]) =>
      failuresByGroup(
        [...groups].map(([value, { items, failed }]) => ({ where: `${field} is ${value}`, items, failed })),
      ),
    ),
    accuracy === 1 && ceiling(labelled!, labelled!),
    oneClass(verdictsIn(report, run), 'the judge'),
    ...run.all.warnings(),
    games !== undefined && correct !== undefined && worseThanCoin(correct, incorrect!),
    games !== undefined && oneOrder(orders, games),
    mixedOrder(mixedOrders(run.provenance)),
    orders.length > 1 && unusedOrders(run.all.unusedOrders),
    games !== undefined && orders.length > 1 && slotBias(first_slot!, decisive!),
    run.ambiguous && severalVersions('versions of the judge', versionsOf(run, runs)),
    severalVersions('models', [...run.provenance.served_models].sort()),
  )
}

/** How many items have each decision, option or grade. */
function verdictsIn({ a_better, b_better, options, distribution }: JsonObject, { valid }: RunSums) {
  if (typeof a_better !== 'number') return (options ?? distribution ?? {}) as Record<string, number>
  return { 'A>B': a_better, 'B>A': b_better as number, 'A=B': valid - a_better - (b_better as number) }
}

const versionsOf = ({ identity: { judge } }: RunSums, runs: readonly RunSums[]) =>
  runs
    .filter(({ identity }) => identity.judge === judge)
    .map(({ identity }) => identity.judge_digest ?? 'unknown')
