/** A report without one valid item measured nothing, nor did a judge or model without one: that is no success. */
import { EXIT, type RowError } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import { nameOfRun } from '../../scoring/run_identity.ts'
import type { RunSums } from '../../scoring/run_sums.ts'

/** Ends the run with exit code 1, and says why, where no item is valid, or none of some judge and model. */
export function checkMeasured(
  runs: RunSums[],
  failure: Pick<RowError, 'code' | 'message'> | undefined,
  context: Context,
): void {
  const without = runs.filter(({ valid }) => valid === 0)
  const items = without.reduce((sum, { all }) => sum + all.items, 0)
  if (without.length < runs.length) {
    if (without.length > 0)
      context.finish(EXIT.gate, `nothing was measured of ${without.map(wordsOf).join('; ')}`)
  } else if (items === 0) context.finish(EXIT.gate, 'nothing was measured: there is no item in the input')
  else if (runs.some(({ all }) => all.leftOut > 0))
    context.finish(EXIT.gate, 'nothing was measured: no item is valid for all judges (--common)')
  else {
    const why = failure ? `: ${failure.code}: ${failure.message}` : ''
    context.finish(EXIT.gate, `nothing was measured: no item of ${items} is valid${why}`)
  }
}

/**
 * Notes for groups without a valid item (how much may fail is for --max-error-rate to say), and for runs of which only a
 * part is labelled.
 */
export function noteUnmeasured(runs: readonly RunSums[], settings: { ci: number }, { note }: Context): void {
  for (const run of runs.filter(({ all }) => all.valid > 0)) {
    const unlabelled = unlabelledIn(run, settings)
    if (unlabelled) note(`${nameOfRun(run)}: ${unlabelled}`)
    const incomplete = run.all.failures.get('incomplete')
    if (incomplete)
      note(
        `${nameOfRun(run)}: ${incomplete} of ${run.all.items} items are incomplete, and count as failed: rows of their trials are missing in the input`,
      )
    for (const [field, groups] of run.by)
      for (const [value, { items, valid }] of groups)
        if (valid === 0)
          note(
            `${nameOfRun(run)}: nothing was measured where ${field} is ${value}: none of ${items} items is valid`,
            { kind: 'group without a valid item' },
          )
  }
}

function unlabelledIn({ all }: RunSums, settings: { ci: number }): string | undefined {
  const { valid } = all
  const { labelled, unread_labels: unread } = all.report(settings)
  const of = Number(labelled ?? 0)
  if (of === valid || (of === 0 && unread === undefined)) return undefined
  const lack = `${valid - of} of ${valid} valid items have no label${unread === undefined ? '' : ' that could be read'}`
  return `${lack}: ${of > 0 ? `the accuracy is of the other ${of}` : 'there is no accuracy'}`
}

function wordsOf(run: RunSums): string {
  const codes = [...run.all.failures]
    .sort()
    .map(([code, n]) => `${code} ${n}`)
    .join(', ')
  return `${nameOfRun(run)}: ${run.all.items === 1 ? 'its item is not' : `none of its ${run.all.items} items is`} valid (${codes})`
}
