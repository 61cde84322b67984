/**
 * `--batch join RESULTS`: a provider's batch results → replies, by custom_id and never by line order. A row
 * whose answer is not there fails with `incomplete` and can be emitted again.
 */
import { closeSync, fstatSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type Provider } from '../../../providers/_provider.ts'
import type { Rows } from '../../../rows/reader.ts'
import { EXIT, Fatal, type JsonObject, type Reply, RowFailure } from '../../../rows/record.ts'
import type { Row } from '../../../rows/row.ts'
import { type Context, skipFailed } from '../../../rows/stage.ts'
import { readBody } from '../answer.ts'
import { lineAt, scanLines } from '../cache/line_file.ts'
import { Places } from '../cache/offset_index.ts'
import { StoredReplies } from '../cache/stored.ts'
import { failureOf } from '../http/failure.ts'
import { Secrets } from '../http/secrets.ts'
import { costOf, pricesOf } from '../limits/money.ts'
import { Tally } from '../limits/tally.ts'
import type { CallOptions } from '../options.ts'
import { askedOf, Question } from '../question.ts'
import { forgetOld, putReply, replyOf, setReply, withCost } from '../reply_text.ts'
import { Router } from '../router.ts'
import { customId } from './emit.ts'

export async function* batchJoin(rows: Rows, options: CallOptions, context: Context): AsyncGenerator<Row[]> {
  const secrets = new Secrets()
  const router = new Router(options, context.env, secrets)
  const prices = await pricesOf(options.price)
  const stored = new StoredReplies(options, context.env, context.note)
  const results = new Results(context.positional[0]!)
  const count = { joined: 0, cached: 0, saved: 0, missing: 0 }
  const tally = new Tally()
  context.summary(() =>
    [
      `${count.joined} answers joined`,
      ...(count.cached > 0 ? [`${count.cached} from the cache`] : []),
      ...(count.saved > 0 ? [`${count.saved} answered already`] : []),
      ...(count.missing > 0 ? [`${count.missing} missing`] : []),
      ...(results.unused > 0
        ? [`${results.unused} in ${context.positional[0]} are to none of these rows`]
        : []),
      ...(results.broken > 0
        ? [`${results.broken} line${results.broken === 1 ? ' is' : 's are'} no result`]
        : []),
    ].join(', '),
  )
  const replyTo = async (
    { identity, endpoint: { provider } }: Question,
    saved: Reply | undefined,
  ): Promise<Reply> => {
    const found = results.all(customId(identity.key, identity.model))
    if (saved) {
      count.saved++
      await stored.takeOver(identity, saved)
      return saved
    }
    const kept = stored.get(identity)
    let failure: RowFailure | undefined
    for (const result of found)
      try {
        const reply = readResult(result, provider, identity.model, secrets)
        count.joined++
        if (JSON.stringify(kept) !== JSON.stringify(reply)) await stored.put(identity, reply)
        return reply
      } catch (error) {
        if (!(error instanceof RowFailure)) throw error
        // Of several results an answer counts, wherever it stands; else the last.
        failure ??= error
      }
    if (kept) {
      count.cached++
      return kept
    }
    if (failure) throw failure
    count.missing++
    throw new RowFailure('incomplete', `no answer in ${context.positional[0]}`, { retryable: true })
  }
  for await (const batch of rows) {
    for (const row of batch) {
      if (skipFailed(row, context.stage)) continue
      let model: string | undefined
      try {
        const route = await router.route(row)
        model = route.model
        if (!route.endpoint)
          throw new RowFailure('bad_request', `${model} is answered in process: it has no batch`)
        const question = new Question(row, route.params, route.endpoint)
        const held = options.refresh ? undefined : question.saved
        const came = await replyTo(question, held)
        const reply = withCost(came, costOf(came.usage, prices(came.model)))
        if (came !== held) putReply(row, reply, askedOf(question.identity))
        else if (reply !== held) setReply(row, reply)
        tally.succeeded('called')
      } catch (error) {
        if (!(error instanceof RowFailure)) throw error
        forgetOld(row)
        if (model) error.detail.model ??= model
        tally.rowFailed(error)
        row.fail(context.stage, error)
      }
    }
    yield batch
  }
  results.close()
  stored.close()
  if (tally.failed / Math.max(1, tally.done) > options.maxErrorRate)
    context.finish(EXIT.gate, tally.failureWords(options.maxErrorRate))
}

/** OpenAI's `{response: {status_code, body}, error}` or Anthropic's `{result: {type, message | error}}`. */
function readResult(result: JsonObject, provider: Provider, model: string, secrets: Secrets): Reply {
  const { response, result: own, error } = result
  if (isObject(response)) {
    const status = Number(response.status_code ?? 200)
    const body = Buffer.from(JSON.stringify(response.body ?? {}))
    if (status !== 200) throw failureOf({ status, headers: {}, body }, secrets)
    return replyOf(readBody((response.body ?? {}) as JsonObject, provider), model)
  }
  if (isObject(own) && own.type === 'succeeded' && isObject(own.message))
    return replyOf(readBody(own.message, provider), model)
  const failed = isObject(own) ? (own.error ?? { message: own.type }) : error
  const said = isObject(failed)
    ? isObject(failed.error)
      ? failed.error
      : failed
    : { message: String(failed) }
  throw new RowFailure('unavailable', `the batch did not answer: ${said.message ?? said.type ?? said.code}`, {
    retryable: true,
  })
}

/** Result files, indexed by custom_id: their lines are read one at a time. */
class Results {
  private readonly files: number[] = []
  private readonly places = new Places()
  private readonly used = new Places()
  private total = 0
  private matched = 0
  /** Lines that are no results: of another file, or cut short. */
  broken = 0

  /** @param path a file, or a folder whose .jsonl files are all read */
  constructor(path: string) {
    try {
      const names = statSync(path).isDirectory()
        ? readdirSync(path)
            .filter((name) => name.endsWith('.jsonl'))
            .sort()
            .map((name) => join(path, name))
        : [path]
      for (const name of names) this.index(openSync(name, 'r'))
    } catch (error) {
      throw new Fatal(EXIT.noInput, `${path}: ${(error as Error).message}`, { cause: error })
    }
  }

  /** Answers that no row asked for. */
  get unused(): number {
    return this.total - this.matched
  }

  /** The results to a request, the latest first. */
  all(id: string): JsonObject[] {
    const hash = hashOf(id)
    const found: JsonObject[] = []
    for (const place of this.places.find(hash)) {
      const result = parse(lineAt(this.files[Math.floor(place / FILE)]!, place % FILE))
      if (result?.custom_id !== id) continue
      if (!this.used.find(hash).includes(place)) {
        this.used.add(hash, place)
        this.matched++
      }
      found.push(result)
    }
    return found
  }

  close(): void {
    for (const file of this.files) closeSync(file)
  }

  private index(file: number): void {
    const base = this.files.push(file) - 1
    const { size } = fstatSync(file)
    const visit = (place: number, line: string) => {
      // A key inside a text has its quotes escaped, so this one is the line's own.
      const id = /"custom_id"\s*:\s*"([^"\\]+)"/.exec(line)?.[1]
      if (id === undefined || !line.trimEnd().endsWith('}')) {
        if (line.trim() !== '') this.broken++
        return
      }
      this.total++
      this.places.add(hashOf(id), base * FILE + place)
    }
    const end = scanLines(file, 0, size, (place, line) =>
      visit(place, line?.latin1Slice(0, line.length) ?? lineAt(file, place)),
    )
    if (end < size) visit(end, lineAt(file, end))
  }
}

/** Places of the next file begin here. */
const FILE = 2 ** 40

function parse(line: string): JsonObject | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** 32 bits of our ids; ids of others are told apart when the line is read. */
const hashOf = (id: string) => Number.parseInt(/^jb-([0-9a-f]{8})/.exec(id)?.[1] ?? '0', 16)
