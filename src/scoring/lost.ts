/** Items that failed before they were asked of a model: they are failures of each run that they may be of. */

import type { Row } from '../rows/row.ts'
import type { Intake } from './intake.ts'
import { isSameJudge, type RunIdentity, runModel } from './run_identity.ts'

/** A run with a model, or with a reply, is known; items of others failed before they had a model. */
export const isKnown = ({ runs, replied }: Intake, run: number): boolean =>
  runs.values[run]!.model !== undefined || replied[run] === true

/** The known runs that a failure without a model may be of: those of its judge, or all if it names no judge. */
export const homesOf = <R extends { identity: RunIdentity }>(lost: RunIdentity, known: readonly R[]): R[] =>
  known.filter(
    ({ identity }) =>
      identity.part === lost.part && (lost.judge === undefined || isSameJudge(identity, lost)),
  )

/** Items without a model, each with the numbers of the runs that it may be of. */
export function* lostItems(intake: Intake): Generator<[item: number, homes: number[]]> {
  const { ledger, runs } = intake
  const all = runs.values.flatMap((identity, number) => (number === 0 ? [] : [{ identity, number }]))
  const known = all.filter(({ number }) => isKnown(intake, number))
  if (known.length === all.length) return
  const homes = all.map(({ identity }) => homesOf(identity, known).map(({ number }) => number))
  const { size } = ledger
  for (let item = 1; item <= size; item++) {
    const run = ledger.runOf(item)
    if (!isKnown(intake, run)) yield [item, homes[run - 1]!]
  }
}

/** Gives them to these runs, as trials that have no row there. @param copied called for each record that is given */
export function giveLost(intake: Intake, copied: (copy: number, record: number) => void = () => {}): void {
  for (const [item, homes] of lostItems(intake))
    for (const run of homes)
      for (const [copy, record] of intake.ledger.give(item, run)[1]) copied(copy, record)
}

/** Makes the row of a failure without a model one of the run that it was given to. */
export function setRun(row: Row, run: RunIdentity): Row {
  if (run.model === undefined || !row.has('error') || runModel(row) !== undefined) return row
  for (const key of ['judge', 'judge_digest', 'name', 'variant'] as const)
    if (run[key] !== undefined && row.get(key) === undefined) row.set(key, run[key])
  return row.set('error', { ...row.get('error')!, model: run.model })
}
