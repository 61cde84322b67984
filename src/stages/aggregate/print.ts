/** A report as JSON, CSV or TSV: whole, for programs. For people: table.ts. */
import type { Json, JsonObject } from '../../rows/record.ts'
import type { Group, Run } from '../../scoring/_report.ts'

export interface PrintSettings {
  ci: number
  color: boolean
}

/** One object a run, one a line. */
export function printJson(runs: Run[], settings: PrintSettings): string {
  return runs.map((run) => `${JSON.stringify(runReport(run, settings))}\n`).join('')
}

/** The whole report of a run: who judged, the sums over all, and `by` field and value. */
export function runReport(run: Run, settings: { ci: number }): JsonObject {
  const { judge, name, model, all, by } = run
  const report: JsonObject = {
    ...(judge !== undefined && { judge }),
    ...(name !== undefined && { name }),
    ...(model !== undefined && { model }),
    ...kindsOf(all),
    ...all.report(settings),
  }
  if (by.size > 0) {
    report.by = Object.fromEntries(
      [...by].map(([field, groups]) => [
        field,
        Object.fromEntries(sorted(groups).map(([value, group]) => [value, group.report(settings)])),
      ]),
    )
  }
  return report
}

function kindsOf(group: Group): JsonObject {
  const kinds = [...group.tallies.keys()]
  return kinds.length === 0 ? {} : { kind: kinds.join('+') }
}

/** Groups in the order of their names. */
export const sorted = (groups: Map<string, Group>) =>
  [...groups].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))

/** One line a run and group, one column a number. */
function flat(runs: Run[], settings: PrintSettings): { columns: string[]; rows: string[][] } {
  const records: JsonObject[] = []
  for (const { judge, name, model, all, by } of runs) {
    const who = { judge: judge ?? '', name: name ?? '', model: model ?? '' }
    records.push({ ...who, by: '', group: '', ...columnsOf(all.report(settings)) })
    for (const [field, groups] of by)
      for (const [value, group] of sorted(groups))
        records.push({ ...who, by: field, group: value, ...columnsOf(group.report(settings)) })
  }
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))].filter((column) =>
    records.some((record) => record[column] !== '' && record[column] !== undefined),
  )
  return { columns, rows: records.map((record) => columns.map((column) => cell(record[column]))) }
}

/** Nested values as columns of their own: `ci_low`, `failures_timeout`, `usage_prompt_tokens`. */
function columnsOf(report: JsonObject): JsonObject {
  const columns: JsonObject = {}
  for (const [key, value] of Object.entries(report)) {
    if (Array.isArray(value) && value.length === 2 && value.every((bound) => typeof bound === 'number'))
      [columns[`${key}_low`], columns[`${key}_high`]] = value as [number, number]
    else if (value !== null && typeof value === 'object' && !Array.isArray(value))
      for (const [inner, one] of Object.entries(value)) columns[`${key}_${inner}`] = one
    else columns[key] = value
  }
  return columns
}

const cell = (value: Json | undefined) =>
  value === undefined || value === null
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)

export async function printCsv(runs: Run[], settings: PrintSettings, delimiter: string): Promise<string> {
  const { stringify } = await import('csv-stringify/sync')
  const { columns, rows } = flat(runs, settings)
  return stringify([columns, ...rows], { delimiter })
}
