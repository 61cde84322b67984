/**
 * `--batch emit`: writes the requests to a provider's batch file, without those whose reply is in the cache or the row.
 *
 * A request's id is a hash of the request and the model, so `--batch join` can compute it from the row, and rows with the
 * same request share one.
 */

import { ManyFiles } from '../../../files/many_files.ts'
import type { Batch } from '../../../providers/_batch.ts'
import { sha256 } from '../../../rows/crypto.ts'
import type { Rows } from '../../../rows/reader.ts'
import { EXIT, Fatal, RowFailure } from '../../../rows/record.ts'
import type { Row } from '../../../rows/row.ts'
import { type Context, rowFailure } from '../../../rows/stage.ts'
import { writeWhole } from '../../../rows/writer.ts'
import { PendingRequests } from '../cache/pending.ts'
import { StoredReplies } from '../cache/stored.ts'
import { CallRequest } from '../call_request.ts'
import type { Endpoint } from '../endpoint.ts'
import { failedBefore } from '../failed_before.ts'
import { Secrets } from '../http/secrets.ts'
import { nonZero } from '../limits/tally.ts'
import type { CallOptions } from '../options.ts'
import { Router } from '../router.ts'
import { type Job, JobList } from './job_list.ts'

/** The prefix of an id, before 40 hex digits. Every provider accepts 64 characters. */
const ID = 'jb-'

export const batchId = (key: string, model: string): string => ID + sha256(`${key}\n${model}`).slice(0, 40)

/** The endpoint's batch API. @throws RowFailure bad_request if it has none */
export function batchOf({ provider, label }: Endpoint): Batch {
  if (provider.batch) return provider.batch
  throw new RowFailure('bad_request', `jb-call supports no batches for the API of ${label}`)
}

/** Yields the lines of the batch file, or with `--batch-files` one JSON line per file. */
export async function* batchEmit(rows: Rows, options: CallOptions, context: Context): AsyncGenerator<string> {
  const router = new Router(options, context.env, new Secrets(), context.note)
  const stored = StoredReplies.toRead(options, context.env, context.note)
  if (options.batchFiles) JobList.refuseStarted(options.batchFiles)
  const files = options.batchFiles ? new BatchFiles(options.batchFiles) : undefined
  const emitter = new Emitter(router, new PendingRequests(stored, true))
  /** Writes the line of a row to its file, or returns it. */
  const emit = async (row: Row): Promise<string> => {
    try {
      const emitted = failedBefore(row, context.stage) ? undefined : await emitter.line(row)
      if (!emitted) return ''
      if (!files) return emitted.line.toString()
      files.write(emitted.line, emitted.model, emitted.batch)
    } catch (error) {
      const { code, message } = rowFailure(error, row)
      emitter.count.failed++
      context.note(`${code}: ${message}`, { file: row.file, line: row.line, kind: code })
    }
    return ''
  }
  let rowCount = 0
  for await (const batch of rows) {
    rowCount += batch.length
    let text = ''
    for (const row of batch) text += await emit(row)
    if (text) yield text
  }
  stored.close()
  if (files) {
    const written = files.close()
    JobList.create(
      options.batchFiles!,
      written.map((file) => ({ ...file, endpoint: emitter.endpointOf(file.model) })),
    )
    for (const file of written) yield `${JSON.stringify(file)}\n`
  } else for (const words of emitter.oversights()) context.note(words)
  context.summary(() => emitter.summaryWords())
  const { failed } = emitter.count
  if (failed / Math.max(1, rowCount) > options.maxErrorRate)
    context.finish(
      EXIT.gate,
      `${failed} of ${rowCount} rows have no request (more than --max-error-rate ${options.maxErrorRate})`,
    )
}

/** Turns rows into lines of a batch file. */
class Emitter {
  readonly count = { requests: 0, bytes: 0, failed: 0 }
  private readonly router: Router
  private readonly pending: PendingRequests
  /** Endpoints by model. */
  private readonly endpoints = new Map<string, string>()
  private limits: Batch | undefined

  constructor(router: Router, pending: PendingRequests) {
    this.router = router
    this.pending = pending
  }

  /** The line for a row's request; undefined if it needs none. @throws RowFailure */
  async line(row: Row): Promise<{ line: Buffer; model: string; batch: Batch } | undefined> {
    const { keys, model, endpoint } = await this.router.route(row)
    if (!endpoint) throw new RowFailure('bad_request', `${model} is answered in process: no batch is needed`)
    const request = new CallRequest(keys, endpoint)
    const id = batchId(request.identity.key, model)
    const other = this.endpoints.get(model)
    if (other !== undefined && other !== endpoint.label)
      throw new RowFailure(
        'bad_request',
        `other rows ask ${model} at ${other}, this one at ${endpoint.label}: batches of one run go to one endpoint a model`,
      )
    if (!this.pending.needs(request)) return undefined
    this.endpoints.set(model, endpoint.label)
    const { provider } = endpoint
    const batch = batchOf(endpoint)
    this.limits = batch
    const line = batch.line(
      id,
      provider.body(provider.prepare(request.asked, endpoint.env), endpoint.sentModel),
    )
    this.count.requests++
    this.count.bytes += line.length
    return { line, model, batch }
  }

  endpointOf(model: string): string {
    return this.endpoints.get(model) ?? ''
  }

  /** Why a provider would refuse all the requests in one file. */
  oversights(): string[] {
    const { count, limits, endpoints } = this
    const words = []
    if (limits && (count.requests > limits.requests || count.bytes > limits.bytes))
      words.push(
        `${count.requests} requests in ${count.bytes} bytes: a batch takes ${limits.requests} in ${limits.bytes} at most (--batch-files PREFIX splits them)`,
      )
    if (endpoints.size > 1)
      words.push(
        `requests to ${[...endpoints.keys()].join(', ')} in one file: a batch takes one model (--batch-files PREFIX splits them)`,
      )
    return words
  }

  summaryWords(): string {
    const { requests, failed } = this.count
    const { cache, row, repeated } = this.pending.answered
    return [
      `${requests} requests`,
      ...nonZero(cache, 'in the cache already'),
      ...nonZero(row, 'answered already'),
      ...nonZero(repeated, 'the same as another'),
      ...nonZero(failed, 'rows without one'),
    ].join(', ')
  }
}

type BatchFile = Pick<Job, 'file' | 'model' | 'requests' | 'bytes'>

/** PREFIX-001.jsonl and so on, each for one model and within the provider's limits. */
export class BatchFiles {
  private readonly prefix: string
  private readonly files = new ManyFiles()
  /** The last file of each model. */
  private readonly last = new Map<string, BatchFile>()
  private readonly written: BatchFile[] = []

  constructor(prefix: string) {
    this.prefix = prefix
  }

  write(line: Buffer, model: string, limits: Pick<Batch, 'requests' | 'bytes'>): void {
    let file = this.last.get(model)
    if (!file || file.requests >= limits.requests || file.bytes + line.length > limits.bytes)
      file = this.next(model)
    writeWhole(this.opened(file.file), line)
    file.requests++
    file.bytes += line.length
  }

  close(): BatchFile[] {
    this.files.closeAll()
    return this.written
  }

  private next(model: string): BatchFile {
    const before = this.last.get(model)
    if (before) this.files.close(before.file)
    const name = `${this.prefix}-${String(this.written.length + 1).padStart(3, '0')}.jsonl`
    const file = { file: name, model, requests: 0, bytes: 0 }
    this.last.set(model, file)
    this.written.push(file)
    return file
  }

  private opened(name: string): number {
    try {
      return this.files.at(name)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      const why = code === 'ENOENT' ? `cannot make ${name}: there is no such folder` : message
      throw new Fatal(EXIT.io, `--batch-files: ${why}`, { cause: error })
    }
  }
}
