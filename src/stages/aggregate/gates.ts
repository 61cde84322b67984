/** What jb-aggregate does with gates: exit code 1. */
import { ignoredOption } from '../../options/ignored.ts'
import { EXIT } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import { type Gates, gatesOf } from '../../scoring/gates.ts'
import { nameOfRun } from '../../scoring/run_identity.ts'
import type { RunSums } from '../../scoring/run_sums.ts'

/** Ends the run with exit code 1 where a run has missed a gate. */
export function checkGates(runs: RunSums[], gates: Gates, context: Context): void {
  for (const run of runs)
    for (const { missed, isWrong } of gatesOf(run.all, gates))
      if (missed !== undefined)
        context.finish(isWrong ? EXIT.usage : EXIT.gate, isWrong ? missed : `${nameOfRun(run)}: ${missed}`)
}

/** A shard's sums miss no gate: the whole does. @throws Fatal (usage) where the command line has one */
export function checkPartial({ maxErrorRate, failUnder }: Gates, context: Context): void {
  const why = 'a gate is for the whole: give it to --merge'
  if (maxErrorRate !== undefined) ignoredOption('max-error-rate', why, context)
  if (failUnder !== undefined) ignoredOption('fail-under', why, context)
}
