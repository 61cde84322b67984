/**
 * `--repair`: if the judge's rule finds no verdict in a reply, asks again as the judge file says: with a further turn, with a
 * prefill (and in words, if the server does not continue it), with the error and the JSON schema, or with the same request (a file with only `times`).
 */
import type { AgainConfig, Judge } from '../../judges/_judge.ts'
import { jsonText, type Params, parsed } from '../../providers/_params.ts'
import { EmptyAnswer } from '../../providers/_provider.ts'
import {
  isObject,
  type Json,
  type JsonObject,
  type Message,
  type Reply,
  RowFailure,
} from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { readerOf } from '../../verdicts/_read.ts'
import { replySchema } from '../../verdicts/_reply_format.ts'
import type { Read, ReadContext } from '../../verdicts/_rule.ts'
import { withoutThinking } from '../../verdicts/_text.ts'
import { exact } from './limits/money.ts'
import { addToSeed } from './request.ts'
import { keepPaid, paidIn, withPaid } from './written_reply.ts'

/** Sends a request; `draw` numbers further requests with the same parameters. */
export type Ask = (params: Params, draw?: number) => Promise<Reply>

/** Between the seeds of two draws of a request; in between are those of its samples. */
const SEEDS_APART = 1000

/** Failures that another reply can repair; not `conflict`. */
const REPAIRABLE = new Set(['no_verdict', 'out_of_range', 'truncated'])

const PLAIN_ASK =
  'No verdict could be read from your last reply. Give it now, in exactly the form you were asked for, and nothing else.'

/**
 * The reply to a row, repaired with up to `times` further requests. Usage, ms and tries are the sums of all turns, which are
 * in `turns`.
 * @param saved the reply in the row
 * @param compat the original whose rule jb-parse will use; if an empty reply ends its run (EvalAssist), it ends the repair
 * @throws RowFailure, Halted as `ask` does
 */
export async function repair(
  row: Row,
  params: Params,
  ask: Ask,
  times: number,
  judgeOf: () => Promise<Judge>,
  { saved, compat }: { saved?: Reply; compat?: string },
): Promise<Reply> {
  if (!row.has('judge')) return saved ?? ask(params)
  const judge = await judgeOf()
  const context: RepairContext = {
    judge,
    again: againOf(judge),
    read: await readerOf(judge, { ...(compat && judge.compat?.[compat] && { compat }), raise: true }),
    row,
    params,
  }
  const limit = Math.min(times, context.again.times ?? times)
  const first = saved ?? (await ask(params))
  if (first.turns && (first.turns.length > limit || !faultOf(context, first))) return first
  const state = first.turns
    ? (resumed(context, first) ?? initialState(params, await ask(params)))
    : initialState(params, first)
  const before = state.turns.length
  while (state.turns.length <= limit) {
    const fault = faultOf(context, state.combined)
    if (!fault) break
    const step = nextStep(context, state, fault)
    const reply = await ask(step.params, step.draw).catch((error: unknown) =>
      unlessPermanent(error, state, saved),
    )
    if (reply instanceof RowFailure) {
      state.combined = withPaid(state.combined, paidIn(reply))
      break
    }
    state.turns.push(turnOf(reply, step.turn))
    state.combined = combined(state.combined, reply, step.combine(reply))
    state.last = reply
    state.sent = step.params
  }
  return state.turns.length > before ? { ...state.combined, turns: state.turns } : state.combined
}

/**
 * Keeps the turns so far after a permanent failure, or an empty text; else the row can be run again.
 * @returns the failure
 * @throws the error, with what the turns so far used if the row does not keep them
 */
function unlessPermanent(error: unknown, { combined }: RepairState, saved: Reply | undefined): RowFailure {
  if (!(error instanceof RowFailure)) throw error
  if (error instanceof EmptyAnswer || !error.detail.retryable) return error
  const { usage, cost, paid = [] } = combined
  if (!saved && usage) keepPaid(error, [...paid, { usage, ...(cost !== undefined && { cost }) }])
  throw error
}

/** The state after the first turn. */
const initialState = (params: Params, first: Reply): RepairState => ({
  sent: params,
  last: first,
  combined: first,
  turns: [turnOf(first, {})],
})

/** The state after the turns of a repaired reply; undefined if the judge file has changed. */
function resumed(context: RepairContext, reply: Reply): RepairState | undefined {
  const [first, ...more] = Array.isArray(reply.turns) ? reply.turns.filter(isTurn) : []
  if (!first) return undefined
  const state = initialState(context.params, first)
  for (const turn of more) {
    const fault = faultOf(context, state.combined)
    const step = fault && nextStep(context, state, fault)
    if (!step || Object.entries(step.turn).some(([key, value]) => turn[key] !== value)) return undefined
    state.turns.push(turn)
    state.combined = withText(turn, step.combine(turn), state.combined)
    state.last = turn
    state.sent = step.params
  }
  return state.combined.text === reply.text ? { ...state, combined: reply } : undefined
}

const isTurn = (turn: unknown): turn is Reply & JsonObject => isObject(turn) && typeof turn.text === 'string'

function againOf(judge: Judge): AgainConfig {
  if (judge.again) return judge.again
  return judge.verdict?.rule === 'json' ? { schema: true } : { ask: PLAIN_ASK }
}

/** Why no verdict can be read; undefined if one can, or if asking again would not help. */
function faultOf({ read, row }: RepairContext, reply: Reply): RowFailure | undefined {
  try {
    const { failure } = read(reply.text, contextOf(reply, row))
    return failure && new RowFailure(failure, 'no verdict could be read')
  } catch (error) {
    if (error instanceof RowFailure)
      return REPAIRABLE.has(error.code) && !error.detail.crash ? error : undefined
    throw error
  }
}

function turnOf({ text, reasoning, finish_reason, usage, ms, tries }: Reply, asked: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify({ ...asked, text, reasoning, finish_reason, usage, ms, tries }))
}

function combined(before: Reply, after: Reply, text: string): Reply {
  const usage = sumUsage(before.usage as Json | undefined, after.usage as Json | undefined)
  const { turns: _, fingerprint: __, ...last } = after
  const { fingerprint } = before
  const paid = [...(before.paid ?? []), ...(after.paid ?? [])]
  return {
    ...withText(last, text, before),
    ...(fingerprint !== undefined && { fingerprint }),
    ...(isObject(usage) && { usage }),
    ms: (before.ms ?? 0) + (after.ms ?? 0),
    tries: (before.tries ?? 0) + (after.tries ?? 0),
    ...(before.cost !== undefined && { cost: exact(before.cost + (after.cost ?? 0)) }),
    ...(paid.length > 0 && { paid }),
  }
}

/** A reply with the text of all; if nothing was added to it, it ended as the one before. */
const withText = <R extends object>(reply: R, text: string, before: Reply): R & { text: string } => ({
  ...reply,
  text,
  ...(text === before.text && { finish_reason: before.finish_reason }),
})

/** Adds the numbers of two usages, also in nested objects. */
function sumUsage(a: Json | undefined, b: Json | undefined): Json | undefined {
  if (typeof a === 'number' && typeof b === 'number') return a + b
  if (!isObject(a) || !isObject(b)) return b ?? a
  const sum: JsonObject = { ...a }
  for (const [key, value] of Object.entries(b)) sum[key] = sumUsage(a[key], value)!
  return sum
}

// The next turn, as the judge file says.

interface Step {
  params: Params
  /** The number of this draw of the same request. */
  draw?: number
  /** Members for the reply's record of the turn. */
  turn: JsonObject
  /** The text that the judge's rule reads. */
  combine(reply: Reply): string
}

const contextOf = (reply: Reply, row: Row): ReadContext => ({
  trial: row.get('trial'),
  reply,
  logprobs: reply.logprobs,
  finish: reply.finish_reason,
  request: row.get('request'),
  item: () => row.item,
})

/** How a row's replies are requested and read. */
interface RepairContext {
  judge: Judge
  again: AgainConfig
  read: Read
  row: Row
  /** The first request. */
  params: Params
}

/** The progress of a repair. */
interface RepairState {
  /** The last request. */
  sent: Params
  /** The last reply. */
  last: Reply
  /** All replies as one, as the rule reads them. */
  combined: Reply
  turns: JsonObject[]
}

function nextStep(context: RepairContext, state: RepairState, fault: RowFailure): Step {
  const { judge, again, row, params } = context
  const { sent, last, combined, turns } = state
  const continues = again.prefill !== undefined
  if (continues && turns.length === 1) return continueFrom(context, state)
  // After a continuation without a verdict, the conversation goes on from the first reply.
  const [asked, said] = continues && turns.length === 2 ? [params, combined] : [sent, last]
  const restricted = (next: Params) => (continues ? next : withRequest(next, again.request))
  if (again.schema) {
    const schema = replySchema(judge, row.get('trial'), row.get('request'))
    const words = [
      again.ask ?? 'Your last reply could not be read',
      `: ${fault.message}. Answer again with one JSON object and nothing else`,
      schema ? `, fitting this schema:\n${JSON.stringify(schema)}` : '.',
    ].join('')
    return {
      params: restricted(furtherTurn(asked, said.text, words)),
      turn: { ask: words },
      combine: (reply) => reply.text,
    }
  }
  if (again.ask === undefined && !continues) {
    const draw = turns.length
    const redrawn = new Map(params)
    addToSeed(redrawn, draw * SEEDS_APART)
    return { params: restricted(redrawn), draw, turn: { draw }, combine: (reply) => reply.text }
  }
  const words = again.ask ?? PLAIN_ASK
  return {
    params: restricted(furtherTurn(asked, said.text, words)),
    turn: { ask: words },
    // As in the originals, the rule reads all replies.
    combine: (reply) => `${combined.text}\n${reply.text}`,
  }
}

/**
 * Continues the reply and a prefill. A chat server may not continue the assistant's text, but answer it: what comes then
 * stays out of the text, unless the two together give a verdict.
 */
function continueFrom(context: RepairContext, { combined }: RepairState): Step {
  const { again, params: first } = context
  const before = combined.text + again.prefill!
  const params = withRequest(first, again.request)
  const messages = messagesOf(first)
  const content = withoutThinking(before)
  if (messages) params.set('messages', jsonText([...messages, { role: 'assistant', content }]))
  else params.set('prompt', jsonText(promptOf(first) + before))
  const stop = params.get('stop')
  return {
    params,
    turn: { prefill: again.prefill! },
    combine: (reply) => {
      // llama.cpp returns the whole message, other servers only what follows.
      const added = reply.text.startsWith(content) ? reply.text.slice(content.length) : reply.text
      const text =
        before + added + stopText(reply, stop === undefined ? [] : [parsed(stop) as string | string[]].flat())
      return messages && faultOf(context, { ...reply, text }) ? combined.text : text
    },
  }
}

function withRequest(params: Params, request: JsonObject = {}): Params {
  const own = new Map(params)
  for (const [name, value] of Object.entries(request)) own.set(name, jsonText(value))
  return own
}

/** The stop sequence that ended a reply, which servers omit and the rule needs. */
function stopText({ text, finish_reason, stop_text }: Reply, stop: string[]): string {
  if (finish_reason !== 'stop' || stop.some((end) => text.endsWith(end))) return ''
  if (typeof stop_text === 'string') return stop_text
  return stop.find((end) => end.trim() !== '') ?? ''
}

function furtherTurn(sent: Params, reply: string, question: string): Params {
  const params = new Map(sent)
  const messages = messagesOf(sent)
  const text = withoutThinking(reply)
  if (messages) {
    // Some servers refuse an empty turn.
    const turn: Message = { role: 'assistant', content: text.trim() === '' ? '(no answer)' : text }
    params.set('messages', jsonText([...messages, turn, { role: 'user', content: question }]))
  } else params.set('prompt', jsonText(`${promptOf(sent)}${text}\n\n${question}\n\n`))
  return params
}

function messagesOf(params: Params): Message[] | undefined {
  const text = params.get('messages')
  return text === undefined ? undefined : parsed(text)
}

const promptOf = (params: Params) => String(parsed(params.get('prompt')!))
