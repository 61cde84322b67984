/** What a thread adds up of its part of the input, and how that is added to the report of the whole. */
import type { JsonObject, RowError } from '../rows/record.ts'
import { isAmong } from './_hash_list.ts'
import { hash, hashItem } from './_item_hash.ts'
import type { Report } from './_report.ts'
import { identityOf, isSameJudge, type RunIdentity, runKey } from './_run_identity.ts'
import type { Scorer } from './_scorer.ts'

/** Sums over the items that are complete in a part. It can be given to another thread. */
export interface PartSums {
  /** In the order in which they came: what --partial writes of each, without its items; and these. */
  runs: { state: JsonObject; items: readonly Uint32Array[] }[]
  firstFailure: RowError | undefined
  fields: string[] | undefined
}

/** @param report one that trusts: no item in it was looked up */
export function partSumsOf(report: Report): PartSums {
  const runs = [...report.runs.values()]
  const states = [...report.states('')].map((state, i) => ({ state, items: runs[i]!.items.packed() }))
  return { runs: states, firstFailure: report.firstFailure, fields: report.fields }
}

/**
 * Whether the sums of a part can be added to the report of the whole: not where it has an item that waits for more of its
 * rows, or where it depends on such items which run, or which failure, is the first. Whether an item came twice is found
 * out at the end, as it is where one thread reads all.
 * @param scorer has what is not complete of the parts before
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

/** Adds the sums of a part that is independent. */
export function addPartSums({ runs, firstFailure, fields }: PartSums, report: Report): void {
  for (const { state, items } of runs) {
    report.merge(state)
    report.runs.get(runKey(state))!.items.add(items)
  }
  report.firstFailure ??= firstFailure
  report.fields ??= fields
}

/** A failure may lack its model. */
const mayBeSameRun = (a: RunIdentity, b: RunIdentity) =>
  isSameJudge(a, b) && (a.model === b.model || a.model === undefined || b.model === undefined)
