/** --show pairs: who beats whom. */

import { tableForms } from '../../formats/_fit.ts'
import type { ReportForms } from '../../formats/_report.ts'
import type { Table } from '../../formats/_table.ts'
import { inLine } from '../../rows/controls.ts'
import { byKey, getOrInsert } from '../../rows/maps.ts'
import type { JsonObject } from '../../rows/record.ts'
import type { BattleGroup } from './gather.ts'

/** Records in any format of reports. */
export function recordForms(records: readonly JsonObject[]): ReportForms {
  const head = [...new Set(records.flatMap((record) => Object.keys(record)))]
  const cell = (value: unknown) =>
    value === undefined || value === null
      ? ''
      : inLine(typeof value === 'string' ? value : JSON.stringify(value))
  const table: Table = { head, lines: records.map((record) => head.map((key) => cell(record[key]))) }
  const figures = head.findIndex((key) => records.some((record) => typeof record[key] === 'number'))
  const names = figures < 0 ? head.length : figures
  return { json: () => records, ...tableForms(table, [], names) }
}

interface Pair {
  a: string
  b: string
  wins: number
  ties: number
  losses: number
}

function pairsOf({ sums }: BattleGroup): Pair[] {
  const all = new Map<string, Pair>()
  for (const { a, b, n, wins, ties } of sums.all().clusters.flatMap(({ pairs }) => pairs)) {
    const pair = getOrInsert(all, JSON.stringify([a, b]), () => ({ a, b, wins: 0, ties: 0, losses: 0 }))
    pair.wins += wins
    pair.ties += ties
    pair.losses += n - wins - ties
  }
  return byKey(all).map(([, pair]) => pair)
}

export const pairs = (group: BattleGroup): JsonObject[] =>
  pairsOf(group).map((pair) => ({ ...group.by, ...pair }))
