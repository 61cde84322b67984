/**
 * `--batch submit`, `status` and `fetch`: the files that `--batch emit --batch-files PREFIX` wrote are handed in, looked
 * after and their results fetched. Each goes on where it was: what is submitted is not submitted again.
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

/** Yields a JSON line for each file: its batch, its status, its results. */
export async function* batchJobs(
  what: 'submit' | 'status' | 'fetch',
  options: CallOptions,
  context: Context,
): AsyncGenerator<string> {
  if (options.batchFiles === undefined)
    throw usageError(`--batch ${what}: --batch-files PREFIX names the files that --batch emit wrote`)
  if (context.sources.length > 0) throw usageError(`--batch ${what} reads no rows`)
  const list = new JobList(options.batchFiles)
  const secrets = new Secrets()
  const stop = new AbortController()
  const interrupted = () => stop.abort()
  context.stop.addEventListener('abort', interrupted)
  try {
    if (what === 'fetch') yield* fetched(list, options, context, secrets, stop.signal)
    else
      for (const job of list.all()) {
        const place = await placeOf(job, options, context, secrets, stop.signal)
        try {
          if (what === 'submit') await submit(place, job, list, options.refresh)
          else if (job.batch) await look(place, job, list)
        } finally {
          await place.exchange.close()
        }
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

/** Where a file's batch is made, and by what. */
interface Place extends BatchPlace {
  jobs: Jobs
  exchange: BatchExchange
}

/** @throws Fatal (configuration) where the settings name another place than when the file was written */
async function placeOf(
  job: Job,
  options: CallOptions,
  { env }: Context,
  secrets: Secrets,
  stop: AbortSignal,
): Promise<Place> {
  const usual = /(?<!\/chat)\/completions(\?|$)/.test(job.endpoint) ? 'completions' : 'chat'
  const endpoint = await endpointOf(options, env, usual, options.model ?? job.model, {}, secrets)
  if (endpoint.label !== job.endpoint || endpoint.model !== job.model)
    throw configError(
      `${job.file} was written for ${job.model} at ${job.endpoint}, and this would go to ${endpoint.model} at ${endpoint.label}: give the same -m, --api and --base-url`,
    )
  if (endpoint.missingKey) throw new Fatal(EXIT.auth, endpoint.missingKey)
  const jobs = endpoint.provider.batch?.jobs
  if (!jobs) throw configError(`${endpoint.label} has no batches that jb-call knows`)
  const exchange = new BatchExchange(endpoint, options, secrets, stop)
  const { url, sentModel: model } = endpoint
  return { url, model, env, send: (call) => exchange.json(call), jobs, exchange }
}

async function submit(place: Place, job: Job, list: JobList, again: boolean): Promise<void> {
  if (job.batch && !again) return
  if (job.starting && !job.batch && !again)
    throw configError(
      `${job.file}: an earlier run ended while it was submitted, so the provider may have a batch of it already: look there, then --refresh submits it once more`,
    )
  const { jobs, exchange } = place
  const file = uploadOf(job.file, sizeOf(job))
  const uploaded = (await jobs.upload?.(file, place)) ?? job.file
  list.note(job, { starting: true, batch: undefined, status: undefined, results: undefined })
  try {
    const batch = await jobs.start(uploaded, file, { ...place, send: (call) => exchange.json(call, true) })
    list.note(job, { batch, status: 'submitted' })
  } catch (error) {
    // Refused, it was not begun.
    if (error instanceof RowFailure && error.detail.status !== undefined) list.note(job, { starting: false })
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

async function look(place: Place, job: Job, list: JobList): Promise<JobState> {
  const state = await place.jobs.state(job.batch!, uploadOf(job.file, job.bytes), place)
  const { status, completed, failed } = state
  if (status !== job.status || completed !== job.completed || failed !== job.failed)
    list.note(job, { status, completed, failed })
  return state
}

/** Looks at each batch until it has ended, and writes its results beside its file. */
async function* fetched(
  list: JobList,
  options: CallOptions,
  context: Context,
  secrets: Secrets,
  stop: AbortSignal,
): AsyncGenerator<string> {
  const jobs = list.all()
  const unsent = jobs.filter(({ batch }) => !batch)
  if (unsent.length > 0)
    throw configError(`${unsent[0]!.file} is not submitted: --batch submit does that first`)
  const waiting = new Set<Job>()
  for (const job of jobs)
    if (job.results && existsSync(job.results)) yield lineOf(job)
    else waiting.add(job)
  for (let round = 1; waiting.size > 0; round++) {
    for (const job of waiting) {
      const place = await placeOf(job, options, context, secrets, stop)
      try {
        const state = await look(place, job, list)
        if (state.phase === 'waiting') continue
        waiting.delete(job)
        if (state.phase === 'failed' || state.results.length === 0) {
          context.note(
            secrets.hide(
              `${job.file}: the batch is ${state.status}${state.message ? `: ${state.message}` : ''}`,
            ),
          )
          context.finish(EXIT.gate, 'a batch has no results: its rows can be emitted again (another PREFIX)')
        } else {
          await place.exchange.download(state.results, resultsOf(job.file))
          list.note(job, { results: resultsOf(job.file) })
        }
        yield lineOf(job)
      } finally {
        await place.exchange.close()
      }
    }
    if (waiting.size === 0) return
    await pause(backoff(round, options.retryMin * 1000, options.retryMax * 1000), stop)
    if (stop.aborted)
      return context.finish(
        EXIT.stopped,
        `${waiting.size} of ${jobs.length} batches are under way: run it again to go on`,
      )
  }
}

const lineOf = ({ file, model, requests, batch, status, completed, failed, results }: Job): string =>
  `${JSON.stringify({ file, model, requests, batch: batch ?? null, status: status ?? 'not submitted', completed, failed, results })}\n`

function exitCodeOf({ code, detail }: RowFailure): number {
  if (code === 'auth') return EXIT.auth
  return detail.status === undefined && code === 'unavailable' ? EXIT.unavailable : EXIT.config
}
