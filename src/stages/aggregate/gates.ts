/** Gates: --max-error-rate and --fail-under. */
import { ignoredOption } from '../../options/ignored.ts'
import { EXIT, type Json } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import type { Run } from '../../scoring/run.ts'
import { nameOfRun } from '../../scoring/run_identity.ts'
import { runReport } from './print.ts'

export interface Gates {
  /** Level of the report's intervals. */
  ci: number
  maxErrorRate?: number
  failUnder?: number
}

/** Ends the run with exit code 1 where a run has missed a gate. */
export function checkGates(runs: Run[], gates: Gates, context: Context): void {
  const { maxErrorRate, failUnder } = gates
  for (const run of runs) {
    if (maxErrorRate !== undefined) checkErrorRate(run, maxErrorRate, context)
    if (failUnder !== undefined) checkOverall(run, overall(run, gates), failUnder, context)
  }
}

function checkErrorRate(run: Run, limit: number, context: Context): void {
  const { items, failed } = run.all
  const missed = (why: string) => context.finish(EXIT.gate, `${nameOfRun(run)}: ${why}`)
  // Where there is no row at all, an earlier command of the pipe failed.
  if (items === 0) missed('no items, where --max-error-rate looks at them')
  else if (failed / items > limit)
    missed(`${failed} of ${items} items failed, more than --max-error-rate ${limit}`)
}

/** The number that --fail-under reads, and its name. */
function overall(run: Run, gates: Gates): [name: string, value: Json | undefined] {
  const { accuracy, score } = runReport(run, gates)
  return accuracy === undefined ? ['score', score] : ['accuracy', accuracy]
}

function checkOverall(
  run: Run,
  [name, value]: ReturnType<typeof overall>,
  limit: number,
  context: Context,
): void {
  const missed = (why: string) => context.finish(EXIT.gate, `${nameOfRun(run)}: ${why}`)
  if (name === 'accuracy' && (limit > 1 || limit < 0)) {
    const hint = limit > 1 ? ` (${limit / 100}?)` : ''
    context.finish(EXIT.usage, `--fail-under ${limit}: an accuracy is a share, 0 to 1${hint}`)
  } else if (value === undefined && run.all.valid > 0)
    missed(
      `there is no accuracy and no score for --fail-under ${limit}: no item has a label (--label FIELD names where it is)`,
    )
  else if (typeof value !== 'number') missed(`${name} of no valid item is below --fail-under ${limit}`)
  else if (value < limit) missed(`${name} ${shortly(value, limit)} is below --fail-under ${limit}`)
}

/** A number in four digits, or in as many as tell it from the gate that it missed. */
function shortly(value: number, gate: number): string {
  const short = Number(value.toPrecision(4))
  return String(short < gate ? short : value)
}

/** A shard's sums miss no gate: the whole does. @throws Fatal (usage) where the command line has one */
export function checkPartial({ maxErrorRate, failUnder }: Gates, context: Context): void {
  const why = 'a gate is for the whole: give it to --merge'
  if (maxErrorRate !== undefined) ignoredOption('max-error-rate', why, context)
  if (failUnder !== undefined) ignoredOption('fail-under', why, context)
}
