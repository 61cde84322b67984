/** What the report of `jb-compare --choose` says. */
import type { JsonObject } from '../rows/record.ts'
import type { Interval } from '../statistics/choice.ts'
import { warningLines } from './warnings.ts'

/** A run of the report. */
export interface ChoiceRun {
  run: string
  threshold: number | null
  /** Its own, before any choice: a share, with its interval. */
  value: number
  ci: Interval
  sensitivity?: number
  sensitivity_ci?: Interval
  specificity?: number
  specificity_ci?: Interval
  /** Without the missing ones. */
  failed: number
  missing: number
  /** Share of the resamples that choose it. */
  picked: number
}

export const percent = (share: number) => `${(100 * share).toFixed(0)} %`
export const between = ([low, high]: Interval) => `${(100 * low).toFixed(0)} to ${(100 * high).toFixed(0)}`

/** Of a report as it is printed: what it says, what it is worth by kind and group, the warnings. */
export function choiceSentences({
  sentence,
  sensitivity,
  specificity,
  warnings,
  ...report
}: JsonObject): string[] {
  const seen = (what: string, value: number, ci: Interval) => `${what} ${percent(value)} (${between(ci)})`
  const groups = (report.by ?? []) as {
    by: string
    group: string
    labels: number
    value: number | null
    ci: Interval
  }[]
  return [
    String(sentence),
    ...(typeof sensitivity === 'number' && typeof specificity === 'number'
      ? [
          `${seen('sensitivity', sensitivity, report.sensitivity_ci as Interval)}, ${seen('specificity', specificity, report.specificity_ci as Interval)}`,
        ]
      : []),
    ...groups.flatMap(({ by, group, labels, value, ci }) =>
      value === null ? [] : [`${by}=${group}: ${seen('about', value, ci)}, ${labels} labels`],
    ),
    ...warningLines(warnings),
  ]
}
