/**
 * The report of large files in several threads: each adds up the items that are complete in its parts, and gives back
 * the rows of the others, which the main thread puts together.
 */
import { Row } from '../../rows/row.ts'
import type { Context, InputPart, LinesOf, PartLine } from '../../rows/stage.ts'
import { Accumulator } from '../../scoring/_accumulator.ts'
import { settled } from '../../scoring/_already_scored.ts'
import { addPartSums, isIndependent, type PartSums, partSumsOf } from '../../scoring/_part_sums.ts'
import { type Entry, Report } from '../../scoring/_report.ts'
import { scoringModules } from '../../scoring/_scoring.ts'
import type { AggregateOptions } from './options.ts'

/** Rows of a part that are given back: with more, the rows of an item do not stand together, and threads save nothing. */
const LEFT = 1000

interface Made {
  share: PartSums
  /** Rows of items that are not complete in the part. */
  left: PartLine[]
  /** Rows about items that jb-render --probe changed. */
  probes: number
}

/** What a thread makes of the rows of a part. */
export async function partOf(options: AggregateOptions, context: Context) {
  const modules = await scoringModules()
  const onResult = settled(options, context)
  return async (rows: AsyncIterable<Row[]>, linesOf: LinesOf): Promise<Made> => {
    const report = new Report(modules, options.by, { trusting: true })
    const results = await Accumulator.create<Entry, Report>(
      report,
      { ...options, isPart: true },
      context,
      onResult,
    )
    await results.add(rows)
    const lines = [...results.scorer.waiting()].flatMap((item) => item.lines).sort((a, b) => a - b)
    const share = partSumsOf(report)
    if (lines.length > LEFT) context.alone()
    return { share, left: linesOf(lines), probes: results.probes }
  }
}

/** Adds the parts up, in order. A part that is not independent of those before it is read again: what it counts as depends on them. */
export async function putTogether(
  parts: AsyncIterable<InputPart>,
  results: Accumulator<Entry, Report>,
  context: Context,
): Promise<void> {
  for await (const part of parts) {
    const made = part.value as Made | undefined
    // Its words and those on the rows that it gives back would not be in their order.
    const inOrder = made && !(part.speaks && made.left.length > 0)
    if (inOrder && isIndependent(made.share, results.sums, results.scorer)) {
      part.take()
      addPartSums(made.share, results.sums)
      results.probes += made.probes
      results.gather(made.left.map(({ text, line }) => Row.read(text, part.file, part.line + line)))
    } else {
      await results.add(part.rows())
      if (context.cut()) return
    }
  }
}
