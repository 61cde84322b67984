/** `--expect`: counts the items that are missing. */

import { someNames } from '../../options/nearest.ts'
import { shortId } from '../../rows/controls.ts'
import { append } from '../../rows/maps.ts'
import { usageError } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import { hashOf } from '../../scoring/digests.ts'
import { type ExpectOptions, expectedItems, expectedNumber } from '../../scoring/expected.ts'
import type { Report } from '../../scoring/report.ts'
import { nameOfRun } from '../../scoring/run_identity.ts'
import type { RunSums } from '../../scoring/run_sums.ts'

/** Missing items that a message names. */
const NAMED = 10
const TOO_MANY = '(rows of another run in the input?)'

/**
 * Counts what is missing in each run as failed.
 * @returns a message for each run that has other items than those expected
 */
export async function countMissing(
  expect: string,
  runs: RunSums[],
  report: Report,
  options: ExpectOptions,
  context: Context,
): Promise<string[]> {
  const number = expectedNumber(expect)
  if (number !== undefined)
    return runs.flatMap((run) => {
      const missing = number - run.all.items
      if (missing > 0) run.all.addFailed('missing', missing)
      if (missing < 0) return [`${nameOfRun(run)}: ${number - missing} items, not ${number} ${TOO_MANY}`]
      return missing > 0 ? [`${nameOfRun(run)}: ${missing} of ${number} items are missing`] : []
    })
  const named = new Map<RunSums, string[]>()
  let all = 0
  for await (const batch of expectedItems(expect, options, context))
    for (const { id, row } of batch) {
      all++
      for (const run of runs.filter((one) => lacks(one, id))) {
        for (const group of run.groupsOf(report.groupsOf(row))) group.addFailed('missing', 1)
        append(named, run, id)
      }
    }
  return mismatches(expect, runs, named, all)
}

/** A message for each run that lacks items, `named`, of the `all` that are expected, or has others. */
function mismatches(
  path: string,
  runs: RunSums[],
  named: ReadonlyMap<RunSums, string[]>,
  all: number,
): string[] {
  return runs.flatMap((run) => {
    const ids = named.get(run) ?? []
    const others = run.items.size - (all - ids.length)
    const found: string[] = []
    if (ids.length > 0)
      found.push(`${ids.length} of ${all} items are missing: ${someNames(ids.map(shortId), NAMED)}`)
    if (others > 0) found.push(`${others} items are not in ${path} ${TOO_MANY}`)
    return found.length > 0 ? [`${nameOfRun(run)}: ${found.join('; ')}`] : []
  })
}

/** Whether an item is not in the run. @throws Fatal (usage) where its rows have no ids */
function lacks(run: RunSums, id: string): boolean {
  if (run.items.size === 0 && run.all.valid > 0)
    throw usageError('--expect FILE: the rows have no jb.item, by which jb-render names their items')
  return !run.items.has(hashOf(id))
}
