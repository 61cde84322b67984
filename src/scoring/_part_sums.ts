/** The sums of a thread over its part of the input, and how they are added to the whole report. */
import type { JsonObject, RowError } from '../rows/record.ts'
import { isAmong } from './_hash_list.ts'
import { hash, hashItem } from './_item_hash.ts'
import type { Report } from './_report.ts'
import { identityOf, isSameJudge, type RunIdentity, runKey } from './_run_identity.ts'
import type { Scorer } from './_scorer.ts'

/** Sums over the items that are complete in a part, in a form that can be sent to another thread. */
export interface PartSums {
  /** In the order of the input: the state that --partial writes, without the items, and the items. */
  runs: { state: JsonObject; items: readonly Uint32Array[] }[]
  firstFailure: RowError | undefined
  fields: string[] | undefined
}

/** @param report a trusting one, in which no item was looked up */
export function partSumsOf(report: Report): PartSums {
  const runs = [...report.runs.values()]
  const states = [...report.states('')].map((state, i) => ({ state, items: runs[i]!.items.packed() }))
  return { runs: states, firstFailure: report.firstFailure, fields: report.fields }
}

/**
 * Whether the sums of a part can be added to the whole report: not if the part has an item that is incomplete in earlier
 * parts, or if such items decide which run or failure is the first. Repeated items are found at the end, as with one
 * thread.
 * @param scorer holds the incomplete items of earlier parts
 */
export function isIndependent({ runs, firstFailure }: PartSums, report: Report, scorer: Scorer): boolean {
  const waiting = [...scorer.waiting()].map(({ row, model }) => ({ row, identity: identityOf(row, model) }))
  if (waiting.length > 0 && firstFailure && !report.firstFailure) return false
  return runs.every(({ state, items }) => {
    if (waiting.length > 0 && !report.runs.has(runKey(state))) return false
    const here = waiting.filter(({ identity }) => mayBeSameRun(state, identity))
    return !isAmong(
      items,
      here.map(({ row }) => {
        hashItem(row.itemBytes!)
        return [hash[0]!, hash[1]!]
      }),
    )
  })
}

/** Adds the sums of an independent part. */
export function addPartSums({ runs, firstFailure, fields }: PartSums, report: Report): void {
  for (const { state, items } of runs) {
    report.merge(state)
    report.runs.get(runKey(state))!.items.add(items)
  }
  report.firstFailure ??= firstFailure
  report.fields ??= fields
}

/** A failed call may not name its model. */
const mayBeSameRun = (a: RunIdentity, b: RunIdentity) =>
  isSameJudge(a, b) && (a.model === b.model || a.model === undefined || b.model === undefined)
