/** The next turn of a repair, as the judge file says: a further question, a prefill, the error with the schema, or the same request. */
import type { AgainConfig, Judge } from '../../judges/_judge.ts'
import { replySchema } from '../../judges/_reply_schema.ts'
import { jsonText, type Params, parsed } from '../../providers/_params.ts'
import type { JsonObject, Message, Reply, RowFailure } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { withoutThinking } from '../../verdicts/_read.ts'
import type { Read, ReadContext } from '../../verdicts/_rule.ts'

interface Step {
  params: Params
  /** The number of this draw of the same request. */
  draw?: number
  /** Members for the reply's record of the turn. */
  turn: JsonObject
  /** The text that the judge's rule reads. */
  combine(reply: Reply): string
}

export const contextOf = (reply: Reply, row: Row): ReadContext => ({
  trial: row.get('trial'),
  reply,
  request: row.get('request'),
  item: () => row.item,
})

/** How a row's replies are requested and read. */
export interface RepairContext {
  judge: Judge
  again: AgainConfig
  read: Read
  row: Row
  /** The first request. */
  params: Params
}

/** The progress of a repair. */
export interface RepairState {
  /** The last request. */
  sent: Params
  /** The last reply. */
  last: Reply
  /** All replies as one, as the rule reads them. */
  combined: Reply
  turns: JsonObject[]
}

export function nextStep(
  { judge, again, read, row, params }: RepairContext,
  { sent, last, combined, turns }: RepairState,
  fault: RowFailure,
): Step {
  if (again.prefill !== undefined) return continueFrom(again, params, combined)
  if (again.schema) {
    const schema = read.schema?.(contextOf(last, row)) ?? replySchema(judge, row.get('request'))
    const words = [
      again.ask ?? 'Your last reply could not be read',
      `: ${fault.message}. Answer again with one JSON object and nothing else`,
      schema ? `, fitting this schema:\n${JSON.stringify(schema)}` : '.',
    ].join('')
    return {
      params: furtherTurn(sent, last.text, words),
      turn: { ask: words },
      combine: (reply) => reply.text,
    }
  }
  if (again.ask === undefined)
    return { params: sent, draw: turns.length, turn: { draw: turns.length }, combine: (reply) => reply.text }
  const words = again.ask
  return {
    params: furtherTurn(sent, last.text, words),
    turn: { ask: words },
    // As in the originals, the rule reads all replies.
    combine: (reply) => `${combined.text}\n${reply.text}`,
  }
}

/** Continues the replies so far and a prefill. */
function continueFrom({ prefill, stop }: AgainConfig, first: Params, combined: Reply): Step {
  const before = combined.text + prefill
  const params = new Map(first)
  const messages = messagesOf(first)
  if (messages)
    params.set('messages', jsonText([...messages, { role: 'assistant', content: withoutThinking(before) }]))
  else params.set('prompt', jsonText(promptOf(first) + before))
  if (stop?.length) params.set('stop', jsonText(stop))
  return {
    params,
    turn: { prefill: prefill! },
    combine: (reply) => before + reply.text + stopText(reply, stop ?? []),
  }
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
