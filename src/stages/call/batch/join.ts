/**
 * `--batch join RESULTS`: adds the replies in batch results to the rows, by request id. A row without a result fails with
 * `incomplete` and can be emitted again.
 */
import type { Rows } from '../../../rows/reader.ts'
import { EXIT, type JsonObject, type Reply, RowFailure, usageError } from '../../../rows/record.ts'
import type { Row } from '../../../rows/row.ts'
import { type Context, rowFailure } from '../../../rows/stage.ts'
import { asksForTools, readBody } from '../answer.ts'
import type { SourcedReply } from '../cache/replies.ts'
import { StoredReplies } from '../cache/stored.ts'
import { CallRequest } from '../call_request.ts'
import { failedBefore } from '../failed_before.ts'
import { failureOf } from '../http/failure.ts'
import { Secrets } from '../http/secrets.ts'
import { isSuccess } from '../http/transfer.ts'
import { type Prices, pricesOf } from '../limits/prices.ts'
import { CallTally, nonZero } from '../limits/tally.ts'
import type { CallOptions } from '../options.ts'
import { Router } from '../router.ts'
import { dropEarlier, putReply, replyOf, setReply, withCost } from '../written_reply.ts'
import { batchId, batchOf } from './emit.ts'
import { fetchedFiles } from './job_list.ts'
import { BatchResults, resultFiles } from './results.ts'

export async function* batchJoin(rows: Rows, options: CallOptions, context: Context): AsyncGenerator<Row[]> {
  const joiner = new Joiner(options, context, await pricesOf(options.price))
  context.summary(() => joiner.summaryWords())
  for await (const batch of rows) {
    for (const row of batch) if (!failedBefore(row, context.stage)) await joiner.join(row)
    yield batch
  }
  joiner.close()
  const { tally } = joiner
  if (tally.failed / Math.max(1, tally.done) > options.maxErrorRate)
    context.finish(EXIT.gate, tally.failureWords(options.maxErrorRate))
}

class Joiner {
  readonly tally = new CallTally()
  private missing = 0
  private readonly context: Context
  private readonly secrets = new Secrets()
  private readonly router: Router
  private readonly stored: StoredReplies
  private readonly prices: Prices
  private readonly path: string
  private readonly results: BatchResults

  constructor(options: CallOptions, context: Context, prices: Prices) {
    this.context = context
    this.prices = prices
    this.router = new Router(options, context.env, this.secrets)
    this.stored = new StoredReplies(options, context.env, context.note)
    const { batchFiles } = options
    this.path = batchFiles === undefined ? context.positional[0]! : `the results of ${batchFiles}`
    this.results = new BatchResults(
      batchFiles === undefined ? resultFiles(this.path) : fetchedFiles(batchFiles),
    )
    const { ofRows } = this.results
    if (ofRows !== undefined)
      throw usageError(`${ofRows} has rows: the results come first, as in --batch join RESULTS ROWS`)
  }

  /** Adds the row's reply, or its failure. */
  async join(row: Row): Promise<void> {
    let model: string | undefined
    try {
      const route = await this.router.route(row)
      model = route.model
      if (!route.endpoint)
        throw new RowFailure('bad_request', `${model} is answered in process: it has no batch`)
      const request = new CallRequest(route.keys, route.endpoint)
      const { reply: got, source } = await this.reply(request)
      this.tally.succeeded(source)
      const reply = withCost(got, this.prices(route.endpoint))
      if (source !== 'row')
        putReply(row, reply, {
          fingerprint: request.fingerprint,
          parameters: this.router.given,
        })
      else if (reply !== got) setReply(row, reply)
    } catch (error) {
      const failure = rowFailure(error, row)
      dropEarlier(row)
      if (model) failure.detail.model ??= model
      this.tally.rowFailed(failure)
      row.fail(this.context.stage, failure)
    }
  }

  summaryWords(): string {
    const { answered } = this.tally
    const { unused, broken } = this.results
    return [
      `${answered.call} answers joined`,
      ...nonZero(answered.cache, 'from the cache'),
      ...nonZero(answered.row, 'answered already'),
      ...nonZero(this.missing, 'missing'),
      ...nonZero(unused, `in ${this.path} belong to none of these rows`),
      ...nonZero(broken, broken === 1 ? 'line is not a result' : 'lines are not results'),
    ].join(', ')
  }

  close(): void {
    this.results.close()
    this.stored.close()
  }

  /** The reply in the row, in the results or in the cache, in this order. @throws RowFailure */
  private async reply(request: CallRequest): Promise<SourcedReply> {
    const { identity, endpoint } = request
    const id = batchId(identity.key, identity.model)
    const lines = this.results.all(id, batchOf(endpoint).id)
    const known = this.stored.find(request)
    if (known?.source === 'row') return known
    let failure: RowFailure | undefined
    const replies: Reply[] = []
    // Of several results, an answer takes precedence over failures.
    for (const line of lines)
      try {
        replies.push(readResult(line, request, this.secrets))
      } catch (error) {
        if (!(error instanceof RowFailure)) throw error
        failure ??= error
      }
    const [reply] = replies
    if (replies.some(({ text }) => text !== reply!.text))
      throw new RowFailure(
        'conflict',
        `${replies.length} answers to this request in ${this.path}, and they differ (${batchOf(endpoint).id} ${id}): remove all but one`,
      )
    if (reply) {
      if (JSON.stringify(known?.reply) !== JSON.stringify(reply)) await this.stored.put(identity, reply)
      return { reply, source: 'call' }
    }
    if (known) return known
    if (failure) throw failure
    this.missing++
    throw new RowFailure('incomplete', `no answer in ${this.path}`, { retryable: true })
  }
}

/** @throws RowFailure if the request failed, or the answer cannot be read */
function readResult(line: JsonObject, { endpoint, asked }: CallRequest, secrets: Secrets): Reply {
  const { provider } = endpoint
  const { status, body } = provider.batch!.result(line)
  if (!isSuccess(status))
    throw failureOf({ status, headers: {}, body: Buffer.from(JSON.stringify(body)) }, secrets, provider)
  const answer = readBody(body, { provider, tools: asksForTools(asked) })
  // Selects the price of batches.
  if (answer.usage) answer.usage = { ...answer.usage, service_tier: 'batch' }
  return replyOf(answer, endpoint)
}
