/** Replies as they stand in rows. */
import type { Answer } from '../../providers/_provider.ts'
import { type PaidTry, type Reply, type RowError, RowFailure } from '../../rows/record.ts'
import { JsonText, type Row } from '../../rows/row.ts'
import { forget } from '../../rows/stage.ts'
import { costOf } from './limits/money.ts'
import type { Price } from './limits/prices.ts'

/** How an answer was got. */
interface Got {
  ms: number
  tries: number
  /** The tries before it that were paid for. */
  paid: readonly PaidTry[]
}

/** The paid tries that a failure tells of: those before it, then its own. */
export function paidIn({ detail }: Pick<RowFailure, 'detail'>): PaidTry[] {
  const { usage, cost, paid = [] } = detail as Partial<RowError>
  return usage ? [...paid, { usage, ...(cost !== undefined && { cost }) }] : paid
}

/** Puts paid tries before those that a failure tells of. */
export function keepPaid({ detail }: RowFailure, before: readonly PaidTry[]): void {
  if (before.length > 0) detail.paid = [...before, ...((detail.paid as PaidTry[] | undefined) ?? [])]
}

/** The failure of a call that another row has paid for. */
export function unpaid(failure: unknown): unknown {
  if (!(failure instanceof RowFailure)) return failure
  const { usage: _, cost: __, paid: ___, ...detail } = failure.detail
  return Object.create(failure, { detail: { value: detail } })
}

/** What a row's failed calls used before this run asks again, and the model that was asked. */
export interface FailedCalls {
  model: unknown
  paid: PaidTry[]
}

/** The paid calls of a row that failed in an earlier run of jb-call. */
export function failedCalls(row: Row): FailedCalls | undefined {
  if (!row.has('error')) return undefined
  try {
    const error = row.get('error')!
    return error.stage === 'call' ? { model: error.model, paid: paidIn({ detail: error }) } : undefined
  } catch {
    // An invalid error is reported where the row is passed on.
    return undefined
  }
}

/** What a row's failed calls used, if the same model is asked again. */
export const paidBefore = (before: FailedCalls | undefined, model: string | undefined): PaidTry[] =>
  before && before.model === model ? before.paid : []

/** The reply for the row and the cache. @param names of the model: as requested, and at the endpoint */
export function replyOf(
  answer: Answer,
  { model, sentModel }: { model: string; sentModel: string },
  got?: Got,
): Reply {
  const { served_model, logprobs, stop_text } = answer
  // Assigned one by one, in the order of the output: spreading optional members takes five times as long.
  const reply = { text: answer.text } as Reply
  if (answer.answers) reply.answers = answer.answers
  if (answer.reasoning) reply.reasoning = answer.reasoning
  reply.finish_reason = answer.finish_reason ?? null
  reply.model = model
  if (served_model && served_model !== model && served_model !== sentModel) reply.served_model = served_model
  if (answer.usage) reply.usage = answer.usage
  if (logprobs !== undefined) reply.logprobs = logprobs
  if (stop_text !== undefined) reply.stop_text = stop_text
  if (got) {
    reply.ms = got.ms
    reply.tries = got.tries
    // The price of the day is added to each row.
    if (got.paid.length > 0) reply.paid = got.paid.map(({ usage }) => ({ usage }))
  }
  return reply
}

/** The replies to a request; of one for several samples, the failures of some. What was paid stands in the first reply. */
export function repliesOf(answer: Answer, names: Parameters<typeof replyOf>[1], got: Got) {
  let { paid } = got
  return (answer.all ?? [answer]).map((one) => {
    if (one instanceof RowFailure) return one
    const reply = replyOf(one, names, { ...got, paid })
    paid = []
    return reply
  })
}

/** The reply with paid tries before its own. */
export const withPaid = (reply: Reply, before: readonly PaidTry[]): Reply =>
  before.length === 0 ? reply : { ...reply, paid: [...before, ...(reply.paid ?? [])] }

/** The reply with the cost of each of its calls, where it is known. */
export function withCost(reply: Reply, price: Price | undefined): Reply {
  const cost = costOf(reply.usage, price) ?? reply.cost
  const paid = reply.paid?.map((one) => {
    const its = costOf(one.usage, price) ?? one.cost
    return its === one.cost ? one : { ...one, cost: its! }
  })
  if (cost === reply.cost && !paid?.some((one, i) => one !== reply.paid![i])) return reply
  return { ...reply, ...(cost !== undefined && { cost }), ...(paid && { paid }) }
}

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
  parameters?: string | undefined
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
    parameters: parameters ? JSON.stringify(parameters) : undefined,
  })
}

function write(row: Row, { fingerprint: _, parameters: __, ...reply }: Reply, own: OfRow): void {
  const open = JSON.stringify(reply).slice(0, -1)
  const fingerprint = own.fingerprint === undefined ? '' : `,"fingerprint":"${own.fingerprint}"`
  const parameters = own.parameters === undefined ? '' : `,"parameters":${own.parameters}`
  row.set('reply', new JsonText(`${open}${fingerprint}${parameters}}`))
}
