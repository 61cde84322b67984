/**
 * `--batch emit`: the requests as a provider's batch file.
 *
 * A request's custom_id is made from the request and the model, so `--batch join` finds its answer again
 * from the row alone, and rows with the same request share one. What is in the cache or in its row already is left out.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { bodyOf, type Provider } from '../../../providers/_provider.ts'
import type { Rows } from '../../../rows/reader.ts'
import { EXIT, Fatal, RowFailure } from '../../../rows/record.ts'
import { type Context, skipFailed } from '../../../rows/stage.ts'
import { StoredReplies } from '../cache/stored.ts'
import { Secrets } from '../http/secrets.ts'
import type { CallOptions } from '../options.ts'
import { Question } from '../question.ts'
import { Router } from '../router.ts'

/** `jb-` and 40 hex digits: within the 64 letters that every provider takes. */
export function customId(key: string, model: string): string {
  const { createHash } = process.getBuiltinModule('node:crypto')
  return `jb-${createHash('sha256').update(`${key}\n${model}`).digest('hex').slice(0, 40)}`
}

/** Yields the lines of the batch file; with `--batch-files` one JSON line for each file written. */
export async function* batchEmit(rows: Rows, options: CallOptions, context: Context): AsyncGenerator<string> {
  const router = new Router(options, context.env, new Secrets())
  const stored = new StoredReplies(options, context.env, context.note)
  const files = options.batchFiles ? new BatchFiles(options.batchFiles) : undefined
  const seen = new Set<string>()
  const count = { requests: 0, bytes: 0, cached: 0, saved: 0, repeated: 0, failed: 0 }
  const models = new Set<string>()
  let limits: Provider['batch'] | undefined
  for await (const batch of rows) {
    let text = ''
    for (const row of batch) {
      if (skipFailed(row, context.stage)) continue
      try {
        const { params, model, endpoint } = await router.route(row)
        if (!endpoint)
          throw new RowFailure('bad_request', `${model} is answered in process: no batch is needed`)
        const question = new Question(row, params, endpoint)
        const { identity } = question
        const id = customId(identity.key, model)
        const saved = options.refresh ? undefined : question.saved
        if (saved) {
          count.saved++
          await stored.takeOver(identity, saved)
        } else if (stored.get(identity)) count.cached++
        else if (seen.has(id)) count.repeated++
        else {
          seen.add(id)
          models.add(model)
          limits = endpoint.provider.batch
          const line = limits.line(id, bodyOf(endpoint.provider.prepare(params), model))
          count.requests++
          count.bytes += line.length
          if (files) files.write(line, model, limits)
          else text += line.toString()
        }
      } catch (error) {
        if (!(error instanceof RowFailure)) throw error
        count.failed++
        context.note(`${error.code}: ${error.message}`, { file: row.file, line: row.line, kind: error.code })
      }
    }
    if (text) yield text
  }
  stored.close()
  for (const file of files?.close() ?? []) yield `${JSON.stringify(file)}\n`
  if (!files && limits && (count.requests > limits.requests || count.bytes > limits.bytes))
    context.note(
      `${count.requests} requests in ${count.bytes} bytes: a batch takes ${limits.requests} in ${limits.bytes} at most (--batch-files PREFIX splits them)`,
    )
  if (!files && models.size > 1)
    context.note(
      `requests to ${[...models].join(', ')} in one file: a batch takes one model (--batch-files PREFIX splits them)`,
    )
  context.summary(() =>
    [
      `${count.requests} requests`,
      ...(count.cached > 0 ? [`${count.cached} in the cache already`] : []),
      ...(count.saved > 0 ? [`${count.saved} answered already`] : []),
      ...(count.repeated > 0 ? [`${count.repeated} the same as another`] : []),
      ...(count.failed > 0 ? [`${count.failed} rows without one`] : []),
    ].join(', '),
  )
}

interface BatchFile {
  file: string
  model: string
  requests: number
  bytes: number
}

/** PREFIX-001.jsonl and on: one model each, none above the provider's limits. */
export class BatchFiles {
  private readonly prefix: string
  private readonly open = new Map<string, BatchFile & { descriptor: number }>()
  private readonly written: BatchFile[] = []

  constructor(prefix: string) {
    this.prefix = prefix
  }

  write(line: Buffer, model: string, limits: Provider['batch']): void {
    let file = this.open.get(model)
    if (!file || file.requests >= limits.requests || file.bytes + line.length > limits.bytes)
      file = this.next(model)
    for (let at = 0; at < line.length; ) at += writeSync(file.descriptor, line, at)
    file.requests++
    file.bytes += line.length
  }

  close(): BatchFile[] {
    for (const { descriptor } of this.open.values()) closeSync(descriptor)
    return this.written.map(({ file, model, requests, bytes }) => ({ file, model, requests, bytes }))
  }

  private next(model: string) {
    const before = this.open.get(model)
    if (before) closeSync(before.descriptor)
    const name = `${this.prefix}-${String(this.written.length + 1).padStart(3, '0')}.jsonl`
    try {
      const file = { file: name, model, requests: 0, bytes: 0, descriptor: openSync(name, 'w') }
      this.open.set(model, file)
      this.written.push(file)
      return file
    } catch (error) {
      throw new Fatal(EXIT.io, `--batch-files: ${(error as Error).message}`, { cause: error })
    }
  }
}
