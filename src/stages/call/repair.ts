/**
 * `--repair`: where the judge's own rule finds no verdict in a reply, the judge is asked again, as its file
 * says: with a further turn, by letting it go on behind some words of its own, with the error and the schema
 * that its JSON must fit, or (a file that gives nothing but `times`) by the same request once more.
 */
import type { AgainConfig, Judge } from '../../judges/_judge.ts'
import { loadJudge } from '../../judges/_load.ts'
import { isObject, jsonText, type Params, parsed } from '../../providers/_provider.ts'
import {
  type Json,
  type JsonObject,
  type Message,
  type Reply,
  type Request,
  RowFailure,
} from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { readerOf, withoutThinking } from '../../verdicts/_read.ts'
import type { Read, ReadContext } from '../../verdicts/_rule.ts'
import type { Ask } from './caller.ts'
import { exact } from './limits/money.ts'

/** Failures to read that another answer can mend; two verdicts that contradict each other stay as they are. */
const MENDABLE = new Set(['no_verdict', 'out_of_range', 'truncated'])

const PLAIN_ASK =
  'No verdict could be read from your last reply. Give it now, in exactly the form you were asked for, and nothing else.'

/** What is sent next, and how the text then reads. */
interface Step {
  params: Params
  /** The same request once more: which draw of it this is. */
  draw?: number
  /** For the record of turns. */
  asked: JsonObject
  whole(reply: Reply): string
}

/**
 * The reply to a row, asked for again up to `times` times while its judge's rule finds no verdict in it.
 * Usage, ms and tries are those of all turns; the turns stand in `turns`.
 * @param saved the reply that the row holds already
 * @throws RowFailure, Halted as `ask` does
 */
export async function repair(
  row: Row,
  params: Params,
  ask: Ask,
  times: number,
  saved?: Reply,
): Promise<Reply> {
  const name = row.get('judge')
  if (!name) return saved ?? ask(params)
  const judge = await loadJudge(name)
  const how: How = { judge, again: againOf(judge), read: await readerOf(judge), row, params }
  const limit = Math.min(times, how.again.times ?? times)
  const first = saved ?? (await ask(params))
  if (first.turns && (first.turns.length > limit || !faultOf(how, first))) return first
  const far = first.turns ? (takenUp(how, first) ?? begun(params, await ask(params))) : begun(params, first)
  const before = far.turns.length
  while (far.turns.length <= limit) {
    const fault = faultOf(how, far.whole)
    if (!fault) break
    const step = nextStep(how, far, fault)
    let reply: Reply
    try {
      reply = await ask(step.params, step.draw)
    } catch (error) {
      // What was paid for is kept; a failure that may pass leaves the row to be run again.
      if (error instanceof RowFailure && !error.detail.retryable) break
      throw error
    }
    far.turns.push(turnOf(reply, step.asked))
    far.whole = together(far.whole, reply, step.whole(reply))
    far.last = reply
    far.sent = step.params
  }
  return far.turns.length > before ? { ...far.whole, turns: far.turns } : far.whole
}

/** Behind the first turn. */
const begun = (params: Params, first: Reply): Far => ({
  sent: params,
  last: first,
  whole: first,
  turns: [turnOf(first, {})],
})

/** Behind the turns of a repaired reply; undefined where the judge's file does not ask as it did then. */
function takenUp(how: How, reply: Reply): Far | undefined {
  const [first, ...more] = Array.isArray(reply.turns) ? reply.turns.filter(isTurn) : []
  if (!first) return undefined
  const far = begun(how.params, first)
  for (const turn of more) {
    const fault = faultOf(how, far.whole)
    const step = fault && nextStep(how, far, fault)
    if (!step || Object.entries(step.asked).some(([key, value]) => turn[key] !== value)) return undefined
    far.turns.push(turn)
    far.whole = { ...turn, text: step.whole(turn) }
    far.last = turn
    far.sent = step.params
  }
  return far.whole.text === reply.text ? { ...far, whole: reply } : undefined
}

const isTurn = (turn: unknown): turn is Reply & JsonObject => isObject(turn) && typeof turn.text === 'string'

function againOf(judge: Judge): AgainConfig {
  if (judge.again) return judge.again
  return judge.verdict?.rule === 'json' ? { schema: true } : { ask: PLAIN_ASK }
}

/** Why no verdict can be read; undefined where one can, or where asking again would not help. */
function faultOf({ read, row }: How, reply: Reply): RowFailure | undefined {
  try {
    read(reply.text, contextOf(reply, row))
    return undefined
  } catch (error) {
    if (error instanceof RowFailure) return MENDABLE.has(error.code) ? error : undefined
    throw error
  }
}

const contextOf = (reply: Reply, row: Row): ReadContext => ({
  trial: row.get('trial'),
  reply,
  request: row.get('request'),
  item: () => row.item,
})

/** How a row's judge is asked and read. */
interface How {
  judge: Judge
  again: AgainConfig
  read: Read
  row: Row
  /** What is sent at first. */
  params: Params
}

/** How far it went. */
interface Far {
  /** What was sent last. */
  sent: Params
  /** The last reply by itself: what was said before it stands in the turns that were sent. */
  last: Reply
  /** All that was said until then, as it is read. */
  whole: Reply
  turns: JsonObject[]
}

function nextStep(
  { judge, again, read, row, params }: How,
  { sent, last, whole, turns }: Far,
  fault: RowFailure,
): Step {
  if (again.prefill !== undefined) return goOn(again, params, whole)
  if (again.schema) {
    const schema = read.schema?.(contextOf(last, row)) ?? schemaOf(row.get('request'), judge)
    const words = [
      again.ask ?? 'Your last reply could not be read',
      `: ${fault.message}. Answer again with one JSON object and nothing else`,
      schema ? `, fitting this schema:\n${JSON.stringify(schema)}` : '.',
    ].join('')
    return {
      params: furtherTurn(sent, last.text, words),
      asked: { ask: words },
      whole: (reply) => reply.text,
    }
  }
  if (again.ask === undefined)
    return { params: sent, draw: turns.length, asked: { draw: turns.length }, whole: (reply) => reply.text }
  const words = again.ask
  return {
    params: furtherTurn(sent, last.text, words),
    asked: { ask: words },
    // As the originals that ask twice do, what was said before counts as well.
    whole: (reply) => `${whole.text}\n${reply.text}`,
  }
}

/** The judge's own words with more of them put in its mouth, to go on from. */
function goOn({ prefill, stop }: AgainConfig, first: Params, whole: Reply): Step {
  const said = whole.text + prefill
  const params = new Map(first)
  const messages = messagesOf(first)
  if (messages)
    params.set('messages', jsonText([...messages, { role: 'assistant', content: withoutThinking(said) }]))
  else params.set('prompt', jsonText(promptOf(first) + said))
  if (stop?.length) params.set('stop', jsonText(stop))
  return {
    params,
    asked: { prefill: prefill! },
    whole: (reply) => said + reply.text + stopText(reply, stop ?? []),
  }
}

/** The text that ended a reply: servers leave it out, and the rule needs it. */
function stopText({ text, finish_reason, stop_text }: Reply, stop: string[]): string {
  if (finish_reason !== 'stop' || stop.some((end) => text.endsWith(end))) return ''
  if (typeof stop_text === 'string') return stop_text
  return stop.find((end) => end.trim() !== '') ?? ''
}

function furtherTurn(sent: Params, said: string, words: string): Params {
  const params = new Map(sent)
  const messages = messagesOf(sent)
  const text = withoutThinking(said)
  if (messages) {
    // Some servers refuse a turn without words.
    const turn: Message = { role: 'assistant', content: text.trim() === '' ? '(no answer)' : text }
    params.set('messages', jsonText([...messages, turn, { role: 'user', content: words }]))
  } else params.set('prompt', jsonText(`${promptOf(sent)}${text}\n\n${words}\n\n`))
  return params
}

function messagesOf(params: Params): Message[] | undefined {
  const text = params.get('messages')
  return text === undefined ? undefined : parsed(text)
}

const promptOf = (params: Params) => String(parsed(params.get('prompt')!))

function schemaOf(request: Request | undefined, judge: Judge): JsonObject | undefined {
  const format = request?.response_format
  const asked = isObject(format) && isObject(format.json_schema) ? format.json_schema.schema : undefined
  const schema = asked ?? judge.verdict?.schema
  return isObject(schema) ? schema : undefined
}

function turnOf({ text, reasoning, finish_reason, usage, ms, tries }: Reply, asked: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify({ ...asked, text, reasoning, finish_reason, usage, ms, tries }))
}

function together(before: Reply, after: Reply, text: string): Reply {
  const usage = added(before.usage as Json | undefined, after.usage as Json | undefined)
  const { turns: _, asked: __, ...last } = after
  const { asked } = before
  return {
    ...last,
    ...(asked !== undefined && { asked }),
    text,
    ...(isObject(usage) && { usage }),
    ms: (before.ms ?? 0) + (after.ms ?? 0),
    tries: (before.tries ?? 0) + (after.tries ?? 0),
    ...(before.cost !== undefined && { cost: exact(before.cost + (after.cost ?? 0)) }),
  }
}

/** Numbers of two usages added up, also those further in. */
function added(a: Json | undefined, b: Json | undefined): Json | undefined {
  if (typeof a === 'number' && typeof b === 'number') return a + b
  if (!isObject(a) || !isObject(b)) return b ?? a
  const sum: JsonObject = { ...a }
  for (const [key, value] of Object.entries(b)) sum[key] = added(a[key], value)!
  return sum
}
