/** jb-call: request → reply. Calls run side by side in lanes; rows leave in the order of the input. */

import { countLines } from '../../files/count_lines.ts'
import { ignoredOption } from '../../options/ignored.ts'
import type { Rows } from '../../rows/reader.ts'
import { type Shuffle, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { type Context, type Stage, validRows } from '../../rows/stage.ts'
import { batchEmit } from './batch/emit.ts'
import { batchJobs } from './batch/jobs.ts'
import { batchJoin } from './batch/join.ts'
import { Caller } from './caller.ts'
import { Escalation } from './cascade.ts'
import { dryRun } from './dry_run.ts'
import { failedBefore } from './failed_before.ts'
import { Lanes } from './lanes.ts'
import type { CallOptions } from './options.ts'
import { failedCalls } from './written_reply.ts'

export const call: Stage<CallOptions> = (all, options, context) => {
  const escalation =
    options.where === undefined ? undefined : new Escalation(options.where, options.model, context.note)
  const isPassed = (row: Row) => escalation?.settled.has(row) || failedBefore(row, context.stage)
  const rows = escalation ? escalation.mark(validRows(all, context)) : all
  if (options.dryRun && options.replay) throw usageError('--dry-run: --replay makes no calls')
  if (options.batch) {
    const why = `--batch ${options.batch} makes no calls`
    for (const option of ['where', 'record', 'replay', 'repair', 'limits', 'samplesAtOnce'] as const)
      if (options[option]) ignoredOption(option, why, context)
  }
  if (options.dryRun) return dryRun(rows, options, context, isPassed)
  if (options.batch === 'emit') return batchEmit(rows, options, context)
  if (options.batch === 'join') return batchJoin(rows, options, context)
  if (options.batch) return batchJobs(options.batch, options, context)
  return calls(rows, options, context, isPassed)
}

async function* calls(
  rows: Rows,
  options: CallOptions,
  context: Context,
  isPassed: (row: Row) => boolean,
): AsyncGenerator<Row[]> {
  const caller = await Caller.open(options, context)
  const { tally, halt } = caller
  /** Undefined until the end: a reader that stops early has no further rows. */
  let end: 'read' | 'failed' | undefined
  /** The items so far, where jb-render --shuffle has counted them. */
  let items: { done: number; total: number } | undefined
  context.summary(() => {
    if (end !== undefined) return end === 'read' ? tally.summaryWords() : ''
    return items
      ? `${tally.summaryWords()}; stopped by the reader after ${items.done} of ${items.total} items`
      : ''
  })
  context.progress(() => {
    if (!items) tally.countTotal()
    const { done, total = 0 } = items ?? tally
    return { label: options.model, words: tally.barWords(), ...(total > 0 && { done, total }) }
  })
  const counting = new AbortController()
  tally.count = async () => {
    const paths = context.sources.map(({ path }) => path)
    return countLines(paths, counting.signal)
  }
  const work = async (row: Row) => {
    const before = failedCalls(row)
    return isPassed(row) ? row : caller.answer(row, before)
  }
  try {
    const counted = (count: number) => {
      tally.total = count
    }
    const { unordered } = options
    const width = () => caller.rows
    const lanes = new Lanes(caller.checked(rows), work, { unordered, halt, width, counted })
    caller.rowsLeft = () => lanes.rowsLeft
    for await (const batch of lanes.run()) {
      const mark = markOf(batch.at(-1)!)
      if (mark) items = { done: mark.n + 1, total: mark.of }
      yield batch
    }
    caller.conclude()
    end = 'read'
  } catch (error) {
    end = 'failed'
    throw error
  } finally {
    counting.abort()
    await caller.close()
  }
}

function markOf(row: Row): Shuffle | undefined {
  try {
    return row.get('shuffle')
  } catch {
    return undefined
  }
}
