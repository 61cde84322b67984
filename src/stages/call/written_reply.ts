/** Replies that are serialized once for the cache and the row. */
import type { Answer } from '../../providers/_provider.ts'
import { ascii, encode, type Latin1, Spliced } from '../../rows/bytes.ts'
import { type Reply, RowFailure } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { forget } from '../../rows/stage.ts'

/** A reply that keeps its JSON. A copy (`{ ...reply }`) does not, so it can be changed. */
class WrittenReply implements Reply {
  text: string
  declare model: string;
  [more: string]: unknown
  /** JSON of the text as the server wrote it. */
  readonly #json: Latin1 | undefined
  #pieces: Latin1[] | undefined

  constructor(text: string, json: Latin1 | undefined) {
    this.text = text
    this.#json = json
  }

  static piecesOf(reply: Reply): Latin1[] {
    return #pieces in reply ? (reply.#pieces ??= reply.#write()) : [encode(JSON.stringify(reply))]
  }

  static jsonOf(reply: Reply): Latin1 | undefined {
    return #json in reply ? reply.#json : undefined
  }

  #write(): Latin1[] {
    if (this.#json === undefined) return [encode(JSON.stringify(this))]
    const { text } = this
    this.text = ''
    const rest = encode(JSON.stringify(this)).slice('{"text":""'.length) as Latin1
    this.text = text
    return [ascii('{"text":'), this.#json, rest]
  }
}

/** The reply for the row and the cache. @param names of the model: as requested, and at the endpoint */
export function replyOf(
  answer: Answer,
  { model, sentModel }: { model: string; sentModel: string },
  ms?: number,
  tries?: number,
): Reply {
  const { served_model, logprobs, stop_text } = answer
  // Assigned one by one, in the order of the output: spreading optional members takes five times as long.
  const reply: Reply = new WrittenReply(answer.text, answer.json)
  if (answer.reasoning) reply.reasoning = answer.reasoning
  reply.finish_reason = answer.finish_reason ?? null
  reply.model = model
  if (served_model && served_model !== model && served_model !== sentModel) reply.served_model = served_model
  if (answer.usage) reply.usage = answer.usage
  if (logprobs !== undefined) reply.logprobs = logprobs
  if (stop_text !== undefined) reply.stop_text = stop_text
  if (ms !== undefined) {
    reply.ms = ms
    reply.tries = tries
  }
  return reply
}

/** The replies to a request; of one for several samples, the failures of some. */
export const repliesOf = (answer: Answer, ...of: [Parameters<typeof replyOf>[1], number, number]) =>
  (answer.all ?? [answer]).map((one) => (one instanceof RowFailure ? one : replyOf(one, ...of)))

/** The reply with its cost, if known. */
export const withCost = (reply: Reply, cost: number | undefined): Reply =>
  cost === undefined || cost === reply.cost
    ? reply
    : Object.assign(new WrittenReply(reply.text, WrittenReply.jsonOf(reply)), reply, { cost })

/** The reply's JSON in pieces. */
export const replyPieces = (reply: Reply): Latin1[] => WrittenReply.piecesOf(reply)

/** Removes a row's earlier reply, and what later stages made of it. */
export function dropEarlier(row: Row): void {
  // A row without a request, such as a result, is left unchanged.
  if (row.has('request')) forget(row, ['reply', 'verdict', 'result', 'trials', 'error'])
}

/** What a reply has only in its row, and not in the cache. */
interface OfRow {
  /** Of its request. */
  fingerprint?: string | undefined
  /** JSON of the parameters of the command line. */
  parameters?: Latin1 | undefined
}

/** Sets a row's reply, and removes the verdict and result of an earlier reply. */
export function putReply(row: Row, reply: Reply, own: OfRow): void {
  dropEarlier(row)
  // A recorded reply has its fingerprint.
  write(row, reply, { ...own, fingerprint: own.fingerprint ?? reply.fingerprint ?? reply.asked })
}

/** Replaces the row's reply by one with another cost; keeps the verdict and result. */
export function setReply(row: Row, reply: Reply): void {
  const { fingerprint, asked, parameters } = reply
  write(row, reply, {
    fingerprint: fingerprint ?? asked,
    parameters: parameters && encode(JSON.stringify(parameters)),
  })
}

function write(row: Row, reply: Reply, { fingerprint, parameters }: OfRow): void {
  const known = reply.fingerprint ?? reply.asked ?? reply.parameters
  let pieces = replyPieces(known === undefined ? reply : withoutOwn(reply))
  const own = fingerprint === undefined ? '' : `,"fingerprint":"${fingerprint}"`
  const more = parameters === undefined ? own : `${own},"parameters":${parameters}`
  if (more !== '') pieces = pieces.with(-1, `${pieces.at(-1)!.slice(0, -1)}${more}}` as Latin1)
  row.set('reply', new Spliced(pieces))
}

const withoutOwn = ({ fingerprint: _, asked: __, parameters: ___, ...reply }: Reply): Reply => reply
