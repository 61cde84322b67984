/** A report without one valid item measured nothing: that is no success. */
import { EXIT, type RowError } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import type { Run } from '../../scoring/_report.ts'

/** Ends the run with exit code 1, and says why, where no item is valid. */
export function checkMeasured(runs: Run[], failure: RowError | undefined, context: Context): void {
  if (runs.some(({ all }) => all.valid > 0)) return
  const items = runs.reduce((sum, { all }) => sum + all.items, 0)
  if (items === 0) context.finish(EXIT.gate, 'nothing was measured: there is no item in the input')
  else {
    const why = failure ? `: ${failure.code}: ${failure.message}` : ''
    context.finish(EXIT.gate, `nothing was measured: no item of ${items} is valid${why}`)
  }
}
