/** jb-call: request → reply. Calls run side by side in lanes; rows leave in the order of the input. */

import { rmSync, statSync } from 'node:fs'
import { countLines } from '../../files/count_lines.ts'
import { ignoredOption } from '../../options/ignored.ts'
import { firstRows } from '../../rows/first.ts'
import type { Rows } from '../../rows/reader.ts'
import { EXIT, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context, Stage } from '../../rows/stage.ts'
import { batchEmit } from './batch/emit.ts'
import { batchJobs } from './batch/jobs.ts'
import { batchJoin } from './batch/join.ts'
import { cacheFiles, cacheFolder } from './cache/cache_files.ts'
import { Journal } from './cache/journal.ts'
import { Caller } from './caller.ts'
import { dryRun } from './dry_run.ts'
import { failedBefore } from './failed_before.ts'
import { Lanes } from './lanes.ts'
import type { CallOptions } from './options.ts'
import { listServices } from './service.ts'

export const call: Stage<CallOptions> = (all, options, context) => {
  const rows = firstRows(all, options.limit)
  if (options.listProviders) return listServices()
  if (options.status !== undefined) return status(options.status, context)
  if (options.cacheInfo || options.cacheClear) return cacheCommand(options, context)
  if (options.dryRun && options.replay) throw usageError('--dry-run: --replay makes no calls')
  if (options.batch) {
    const why = `--batch ${options.batch} makes no calls`
    for (const option of ['record', 'replay', 'repair', 'limits'] as const)
      if (options[option] !== undefined) ignoredOption(option, why, context)
  }
  if (options.dryRun) return dryRun(rows, options, context)
  if (options.batch === 'emit') return batchEmit(rows, options, context)
  if (options.batch === 'join') return batchJoin(rows, options, context)
  if (options.batch) return batchJobs(options.batch, options, context)
  return calls(rows, options, context)
}

/** `--status DIR`: one line on the runs whose files are in the folder. */
async function* status(path: string, context: Context): AsyncGenerator<string> {
  const { statusOf } = await import('./run_status.ts')
  const unread: string[] = []
  yield statusOf(path, Date.now(), unread)
  if (unread.length > 0)
    context.finish(EXIT.data, `--status: not written by jb-call --run-file: ${unread.join(', ')}`)
}

async function* calls(rows: Rows, options: CallOptions, context: Context): AsyncGenerator<Row[]> {
  const caller = await Caller.open(options, context)
  const { tally, halt } = caller
  let read = false
  context.summary(() => (read ? tally.summaryWords() : ''))
  context.progress(() => {
    tally.countTotal()
    const { done, total } = tally
    return { label: options.model, words: tally.barWords(), ...(total !== undefined && { done, total }) }
  })
  tally.total = options.total
  const counting = new AbortController()
  tally.count = async () => {
    const paths = context.sources.map(({ path }) => path)
    const lines = await countLines(paths, counting.signal)
    return lines === undefined ? undefined : Math.min(lines, options.limit ?? lines)
  }
  if (options.runFile !== undefined) {
    const { RunFile } = await import('./run_file.ts')
    const file = new RunFile(options.runFile, options, context, tally)
    context.ended((exitCode) => file.end(exitCode))
  }
  const work = async (row: Row) => (failedBefore(row, context.stage) ? row : caller.answer(row))
  try {
    const counted = (count: number) => {
      tally.total = count
    }
    const { unordered } = options
    const width = () => caller.width
    const lanes = new Lanes(caller.checked(rows), work, { unordered, halt, width, counted })
    caller.rowsLeft = () => lanes.rowsLeft
    yield* lanes.run()
    caller.conclude()
    // A reader that stops early gets no summary.
    read = true
  } finally {
    counting.abort()
    await caller.close()
  }
}

/** `--cache-info`: one JSON line per journal. `--cache-clear` removes them. */
async function* cacheCommand(options: CallOptions, { env }: Context): AsyncGenerator<string> {
  // Only the first --cache is written, so only this one is cleared.
  const named = options.cacheClear ? options.cache.slice(0, 1) : options.cache
  const files = cacheFiles(cacheFolder(env), named, options.model)
  for (const file of files) {
    const journal = Journal.openToRead(file)
    const info = { file, replies: journal.size, bytes: statSync(file).size }
    journal.close()
    yield `${JSON.stringify({ ...info, ...(options.cacheClear && { removed: true }) })}\n`
  }
  if (options.cacheClear) for (const file of files) rmSync(file, { force: true })
}
