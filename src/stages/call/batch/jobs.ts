/**
 * `--batch submit`, `status` and `fetch`: submit the files of `--batch emit --batch-files PREFIX`, poll their batches and
 * fetch the results. Each continues where an earlier run stopped: nothing is submitted twice.
 */
import { existsSync, statSync } from 'node:fs'
import type { BatchPlace, JobState, Jobs } from '../../../providers/_batch.ts'
import { configError, EXIT, Fatal, RowFailure, usageError } from '../../../rows/record.ts'
import type { Context } from '../../../rows/stage.ts'
import { endpointOf } from '../endpoint.ts'
import { Secrets } from '../http/secrets.ts'
import { backoff, pause } from '../limits/waits.ts'
import type { CallOptions } from '../options.ts'
import { BatchExchange, uploadOf } from './exchange.ts'
import { type Job, JobList, resultsOf } from './job_list.ts'

interface JobContext {
  list: JobList
  options: CallOptions
  context: Context
  secrets: Secrets
  stop: AbortSignal
}

/** Yields one JSON line per file: its batch, status and results. */
export async function* batchJobs(
  what: 'submit' | 'status' | 'fetch',
  options: CallOptions,
  context: Context,
): AsyncGenerator<string> {
  if (options.batchFiles === undefined)
    throw usageError(`--batch ${what}: --batch-files PREFIX names the files that --batch emit wrote`)
  if (context.sources.length > 0) throw usageError(`--batch ${what} reads no rows`)
  const secrets = new Secrets()
  const stop = new AbortController()
  const run = { list: new JobList(options.batchFiles), options, context, secrets, stop: stop.signal }
  const interrupted = () => stop.abort()
  context.stop.addEventListener('abort', interrupted)
  try {
    if (what === 'fetch') yield* fetchResults(run)
    else
      for (const job of run.list.all()) {
        await withPlace(job, run, async (place) => {
          if (what === 'submit') await submit(place, job, run)
          else if (job.batch) await poll(place, job, run)
        })
        yield lineOf(job)
      }
  } catch (error) {
    if (!(error instanceof RowFailure)) throw error
    if (context.stop.aborted)
      return context.finish(EXIT.stopped, 'stopped: run the same command again to go on')
    // Without its cause: --debug would print the server's whole answer.
    throw new Fatal(exitCodeOf(error), secrets.hide(error.message))
  } finally {
    context.stop.removeEventListener('abort', interrupted)
  }
}

interface Place extends BatchPlace {
  jobs: Jobs
  exchange: BatchExchange
}

/**
 * Calls `use` with the endpoint of a file's batch.
 * @throws Fatal (configuration) if the settings name another endpoint than when the file was written
 */
async function withPlace<T>(job: Job, run: JobContext, use: (place: Place) => Promise<T>): Promise<T> {
  const { options, secrets, stop } = run
  const { env } = run.context
  const usual = /(?<!\/chat)\/completions(\?|$)/.test(job.endpoint) ? 'completions' : 'chat'
  const endpoint = await endpointOf(options, env, usual, options.model ?? job.model, {}, secrets)
  if (endpoint.label !== job.endpoint || endpoint.model !== job.model)
    throw configError(
      `${job.file} was written for ${job.model} at ${job.endpoint}, and this would go to ${endpoint.model} at ${endpoint.label}: give the same -m, --api and --base-url`,
    )
  if (endpoint.missingKey) throw new Fatal(EXIT.auth, endpoint.missingKey)
  const jobs = endpoint.provider.batch?.jobs
  if (!jobs) throw configError(`jb-call supports no batches for ${endpoint.label}`)
  const exchange = new BatchExchange(endpoint, options, secrets, stop)
  const { url, sentModel: model } = endpoint
  try {
    return await use({ url, model, env, send: (call) => exchange.json(call), jobs, exchange })
  } finally {
    await exchange.close()
  }
}

async function submit(place: Place, job: Job, { list, options }: JobContext): Promise<void> {
  if (job.batch && !options.refresh) return
  if (job.starting && !job.batch && !options.refresh)
    throw configError(
      `${job.file}: an earlier run ended while it was submitted, so the provider may have a batch of it already: look there, then --refresh submits it once more`,
    )
  const { jobs, exchange } = place
  const file = uploadOf(job.file, sizeOf(job))
  const uploaded = (await jobs.upload?.(file, place)) ?? job.file
  list.update(job, { starting: true, batch: undefined, status: undefined, results: undefined })
  try {
    const batch = await jobs.start(uploaded, file, { ...place, send: (call) => exchange.json(call, true) })
    list.update(job, { batch, status: 'submitted' })
  } catch (error) {
    // With a status, the server refused to start it.
    if (error instanceof RowFailure && error.detail.status !== undefined)
      list.update(job, { starting: false })
    throw error
  }
}

function sizeOf(job: Job): number {
  const size = statSync(job.file, { throwIfNoEntry: false })?.size
  if (size === undefined) throw new Fatal(EXIT.noInput, `${job.file}: no such file`)
  if (size !== job.bytes)
    throw configError(
      `${job.file} has ${size} bytes, and --batch emit wrote ${job.bytes}: run --batch emit again`,
    )
  return size
}

async function poll(place: Place, job: Job, { list }: JobContext): Promise<JobState> {
  const state = await place.jobs.state(job.batch!, uploadOf(job.file, job.bytes), place)
  const { status, completed, failed } = state
  if (status !== job.status || completed !== job.completed || failed !== job.failed)
    list.update(job, { status, completed, failed })
  return state
}

/** Polls each batch until it has ended, and writes its results beside its file. */
async function* fetchResults(run: JobContext): AsyncGenerator<string> {
  const { options, context, stop } = run
  const jobs = run.list.all()
  const unsent = jobs.find(({ batch }) => !batch)
  if (unsent) throw configError(`${unsent.file} is not submitted: --batch submit does that first`)
  const waiting = new Set<Job>()
  for (const job of jobs)
    if (job.results && existsSync(job.results)) yield lineOf(job)
    else waiting.add(job)
  for (let round = 1; waiting.size > 0; round++) {
    for (const job of waiting) {
      if (!(await withPlace(job, run, (place) => fetchIfEnded(place, job, run)))) continue
      waiting.delete(job)
      yield lineOf(job)
    }
    if (waiting.size === 0) return
    await pause(backoff(round, options.retryMin * 1000, options.retryMax * 1000), stop)
    if (stop.aborted)
      return context.finish(
        EXIT.stopped,
        `${waiting.size} of ${jobs.length} batches are in progress: run it again to go on`,
      )
  }
}

/** @returns whether the batch has ended */
async function fetchIfEnded(place: Place, job: Job, run: JobContext): Promise<boolean> {
  const { phase, results, status, message } = await poll(place, job, run)
  if (phase === 'waiting') return false
  if (phase === 'failed' || results.length === 0) {
    const why = message ? `: ${message}` : ''
    run.context.note(run.secrets.hide(`${job.file}: the batch is ${status}${why}`))
    run.context.finish(EXIT.gate, 'a batch has no results: its rows can be emitted again (another PREFIX)')
  } else {
    await place.exchange.download(results, resultsOf(job.file))
    run.list.update(job, { results: resultsOf(job.file) })
  }
  return true
}

const lineOf = ({ file, model, requests, batch, status, completed, failed, results }: Job): string =>
  `${JSON.stringify({ file, model, requests, batch: batch ?? null, status: status ?? 'not submitted', completed, failed, results })}\n`

function exitCodeOf({ code, detail }: RowFailure): number {
  if (code === 'auth') return EXIT.auth
  return detail.status === undefined && code === 'unavailable' ? EXIT.unavailable : EXIT.config
}
