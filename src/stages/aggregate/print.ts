/** A report as JSON, CSV or TSV: whole, for programs. For people: table.ts. */

import { VERSION } from '../../options/version.ts'
import { byKey } from '../../rows/maps.ts'
import type { JsonObject } from '../../rows/record.ts'
import type { Group } from '../../scoring/group.ts'
import { provenanceReport } from '../../scoring/provenance.ts'
import type { RunSums } from '../../scoring/run_sums.ts'
import { reportWarnings } from '../../scoring/run_warnings.ts'
import { shareSentence } from '../../scoring/share_words.ts'
import type { DecidedGate } from './until.ts'

export interface PrintSettings {
  /** Level of the intervals. */
  ci: number
  /** --until */
  decided?: DecidedGate | undefined
}

/** What is printed. */
export interface Printed {
  runs: RunSums[]
  /** The runs' valid items are not the same. */
  differ: boolean
}

/** One object a run. */
export const reportObjects = ({ runs, differ }: Printed, settings: PrintSettings): JsonObject[] =>
  runs.map((run) => ({
    ...runReport(run, settings),
    ...(differ && { same_items: false }),
    warnings: reportWarnings(run, runs, settings),
    made: madeOf(run),
  }))

/** What made the report: the version of jb, of the judge, and how it was asked. */
export const madeOf = ({ identity, provenance }: RunSums): JsonObject => ({
  jb: VERSION,
  ...(identity.judge_digest !== undefined && { judge_digest: identity.judge_digest }),
  ...provenanceReport(provenance),
})

/** The whole report of a run: who judged, the sums over all, and `by` field and value. */
function runReport(run: RunSums, settings: PrintSettings): JsonObject {
  const { all, by } = run
  const { judge_digest: _, ...identity } = run.identity
  const report: JsonObject = {
    ...(identity as JsonObject),
    ...kindsOf(all),
    ...wholeReport(all, settings),
  }
  if (by.size > 0) {
    report.by = Object.fromEntries(
      [...by].map(([field, groups]) => [
        field,
        Object.fromEntries(byKey(groups).map(([value, group]) => [value, partReport(group, settings)])),
      ]),
    )
  }
  return report
}

/** The figures of all items. With --until their interval is one that may be looked at after every item. */
export function wholeReport(all: Group, settings: PrintSettings): JsonObject {
  const { decided } = settings
  const report = partReport(all, settings)
  if (decided) return { ...report, ci: decided.ci, until: decided.report }
  const sentence = shareSentence(report, settings.ci)
  return sentence === undefined ? report : { ...report, sentence }
}

/** The figures of a part of them. With --until no other interval or p is known: they were looked at after every item. */
export const partReport = (group: Group, settings: PrintSettings): JsonObject =>
  settings.decided
    ? JSON.parse(
        JSON.stringify(group.report(settings), (key, value) =>
          key === 'ci' || key === 'score_ci' || key === 'p' ? null : value,
        ),
      )
    : group.report(settings)

function kindsOf(group: Group): JsonObject {
  const { kinds } = group
  return kinds.length === 0 ? {} : { kind: kinds.join('+') }
}

/** A report for CSV, whose cells hold no lists of models, and no sentences. */
const numbersOf = ({ shares: _, sentence: _1, ...numbers }: JsonObject): JsonObject => numbers

/** One line a run and group, one column a number. */
export function recordsOf({ runs }: Printed, settings: PrintSettings): JsonObject[] {
  const records: JsonObject[] = []
  for (const { identity: run, all, by } of runs) {
    const { judge = '', name = '', model = '', variant = '' } = run
    const identity = { judge, name, model, variant }
    records.push({ ...identity, by: '', group: '', ...numbersOf(wholeReport(all, settings)) })
    for (const [field, groups] of by)
      for (const [value, group] of byKey(groups))
        records.push({ ...identity, by: field, group: value, ...numbersOf(partReport(group, settings)) })
  }
  return records
}
