/** One trial's row as what a result keeps of it. */
import type { JsonObject, Reply, RowError, Trial, TrialResult, Usage } from '../rows/record.ts'
import { decode, type Row } from '../rows/row.ts'
import { digestOf } from './_digest.ts'

/** A trial that was never read. */
export const UNREAD: RowError = {
  stage: 'score',
  code: 'no_verdict',
  message: 'no jb.verdict: run jb-parse first',
}

export function trialResult(row: Row, trial: Trial): TrialResult {
  const one: TrialResult = { trial }
  const error = row.has('error') ? row.get('error') : undefined
  const verdict = row.get('verdict')
  let text: string | undefined
  if (row.has('reply')) text = addReply(one, row)
  else {
    // A verdict that came without a reply, and a call that failed, name their own model.
    const model = verdict?.model ?? error?.model
    if (typeof model === 'string') one.model = model
  }
  if (row.has('request')) {
    const parameters = parametersOf(row)
    if (parameters) one.parameters = parameters
  }
  if (error) one.error = error
  else if (verdict === undefined) one.error = UNREAD
  else {
    one.verdict = verdict
    one.digest = digestOf(row, text)
  }
  return one
}

/** Not the whole of a long reply: its text is most of a row. @returns the text, as it is or as JSON text */
function addReply(one: TrialResult, row: Row): string {
  const text = row.partBytes('reply', 'text')
  const short = text === undefined ? row.get('reply') : undefined
  const part = (key: string) => (short ? short[key] : row.part('reply', key))
  one.model = part('model') as string
  const served = part('served_model')
  if (typeof served === 'string') one.served_model = served
  const usage = part('usage')
  const cost = part('cost')
  if (usage) one.usage = usage as Usage
  const chain = row.get('chain')
  if (chain) one.usage = withChain(one.usage, chain)
  if (cost !== undefined) one.cost = cost as number
  return text ?? String(short?.text)
}

/** The tokens of all calls a trial took. */
function withChain(usage: Usage | undefined, chain: { reply: Reply }[]): Usage {
  const sum: Record<string, unknown> = { ...usage }
  for (const { reply } of chain)
    for (const [key, value] of Object.entries(reply.usage ?? {}))
      if (typeof value === 'number') sum[key] = value + (typeof sum[key] === 'number' ? sum[key] : 0)
  return sum as Usage
}

/** Most rows have the parameters of the one before. */
let before: { text: string; value: JsonObject | undefined } = { text: '', value: undefined }

/** Parameters of the request, without what was asked. */
function parametersOf(row: Row): JsonObject | undefined {
  let text = ''
  for (const [key, value] of row.members('request') ?? [])
    if (key !== 'messages' && key !== 'prompt') text += `${text && ','}${JSON.stringify(key)}:${value}`
  if (text === '') return undefined
  if (text !== before.text) before = { text, value: Object.freeze(JSON.parse(decode(`{${text}}`))) }
  return before.value
}
