/** Gates: --max-error-rate and --fail-under, for jb's own report and for what --as writes. */
import { type Format, type Overall, overallNames } from '../../formats/_format.ts'
import { ignoredOption } from '../../options/ignored.ts'
import { EXIT } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import type { Run } from '../../scoring/_report.ts'
import { nameOfRun } from '../../scoring/_run_identity.ts'
import { runReport } from './print.ts'

export interface ReportGateOptions {
  as?: string
  ci: number
  maxErrorRate?: number
  failUnder?: number
}

/** What is checked when all rows are in; a gate that is undefined is not. */
export interface Gates {
  maxErrorRate: number | undefined
  failUnder: number | undefined
  /** The number that --fail-under reads. */
  overall: Overall
}

/** Of jb's own report. */
export const ownGates = ({ maxErrorRate, failUnder }: ReportGateOptions): Gates => ({
  maxErrorRate,
  failUnder,
  overall: ({ accuracy, score }) => (accuracy === undefined ? ['score', score] : ['accuracy', accuracy]),
})

/** Of what a format writes. @throws Fatal (usage) for --fail-under where the format has no number for it */
export async function gatesOf(format: Format, options: ReportGateOptions, context: Context): Promise<Gates> {
  const own = ownGates(options)
  const maxErrorRate = format.countsMissing ? undefined : own.maxErrorRate
  if (format.overall || own.failUnder === undefined)
    return { ...own, maxErrorRate, overall: format.overall ?? own.overall }
  const those = (await overallNames()).join(', ')
  ignoredOption(
    'fail-under',
    `--as ${options.as} has no accuracy or mean score over all (${those} have)`,
    context,
  )
  return { ...own, maxErrorRate, failUnder: undefined }
}

/** Ends the run with exit code 1 where a run has missed a gate. */
export function checkGates(runs: Run[], gates: Gates, settings: { ci: number }, context: Context): void {
  const { maxErrorRate, failUnder, overall } = gates
  for (const run of runs) {
    if (maxErrorRate !== undefined) checkErrorRate(run, maxErrorRate, context)
    if (failUnder !== undefined) checkOverall(run, overall(runReport(run, settings)), failUnder, context)
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

function checkOverall(run: Run, [name, value]: ReturnType<Overall>, limit: number, context: Context): void {
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
export function checkPartial({ maxErrorRate, failUnder }: ReportGateOptions, context: Context): void {
  const why = 'a gate is for the whole: give it to --merge'
  if (maxErrorRate !== undefined) ignoredOption('max-error-rate', why, context)
  if (failUnder !== undefined) ignoredOption('fail-under', why, context)
}
