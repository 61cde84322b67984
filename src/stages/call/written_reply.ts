/** Replies as they stand in rows. */
import type { Answer } from '../../providers/_provider.ts'
import { ascii, encode, type Latin1, Spliced } from '../../rows/bytes.ts'
import { type Reply, RowFailure } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { forget } from '../../rows/stage.ts'

/** The reply for the row and the cache. @param names of the model: as requested, and at the endpoint */
export function replyOf(
  answer: Answer,
  { model, sentModel }: { model: string; sentModel: string },
  ms?: number,
  tries?: number,
): Reply {
  const { served_model, logprobs, stop_text } = answer
  // Assigned one by one, in the order of the output: spreading optional members takes five times as long.
  const reply = { text: answer.text } as Reply
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
  cost === undefined || cost === reply.cost ? reply : { ...reply, cost }

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
  write(row, reply, { ...own, fingerprint: own.fingerprint ?? reply.fingerprint })
}

/** Replaces the row's reply by one with another cost; keeps the verdict and result. */
export function setReply(row: Row, reply: Reply): void {
  const { fingerprint, parameters } = reply
  write(row, reply, {
    fingerprint,
    parameters: parameters && encode(JSON.stringify(parameters)),
  })
}

function write(row: Row, { fingerprint: _, parameters: __, ...reply }: Reply, own: OfRow): void {
  const open = encode(JSON.stringify(reply)).slice(0, -1) as Latin1
  const fingerprint = own.fingerprint === undefined ? '' : `,"fingerprint":"${own.fingerprint}"`
  const parameters = own.parameters === undefined ? '' : `,"parameters":${own.parameters}`
  row.set('reply', new Spliced([open, ascii(`${fingerprint}${parameters}}`)]))
}
