/** What jb-score keeps of a trial, and of the calls it took. */
import { itemId } from '../rows/item_id.ts'
import type { JsonObject, Reply, RowError, TrialResult, Usage } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { canonical } from './kind.ts'
import type { RunIdentity } from './run_identity.ts'
import { unreadIn } from './unread.ts'

/** @param digest of its reply; 0 for none @param parameters that were sent */
export function trialResult(
  row: Row,
  digest: number,
  parameters: TrialResult['parameters'] | undefined,
): TrialResult {
  const one: TrialResult = { trial: row.get('trial') ?? { n: 0, of: 1 } }
  const error = row.has('error') ? row.get('error') : undefined
  const verdict = row.get('verdict')
  const reply = row.has('reply') ? row.get('reply') : undefined
  const { usage, cost, model = verdict?.model ?? error?.model } = (reply ?? error ?? {}) as Partial<Reply>
  if (typeof model === 'string') one.model = model
  if (reply && typeof reply.served_model === 'string') one.served_model = reply.served_model
  if (usage) one.usage = usage
  const chain = reply && row.get('chain')
  if (chain) one.usage = withChain(usage, chain)
  const costs = [cost, ...(chain ?? []).map((call) => call.reply.cost)].filter((one) => one !== undefined)
  if (costs.length > 0) one.cost = costs.reduce((sum, one) => sum + one, 0)
  if (parameters) one.parameters = parameters
  Object.assign(one, earlierCalls(row))
  if (error) {
    one.error = error
    if (reply) one.digest = digest
  } else if (verdict === undefined) one.error = unreadIn(row)
  else {
    one.verdict = verdict
    one.digest = digest
  }
  return one
}

/** The calls of earlier models of a cascade. */
function earlierCalls(row: Row): Pick<TrialResult, 'calls'> {
  const calls = (row.get('earlier') ?? []).map(({ reply, error }) => {
    const { model, usage, cost } = (reply ?? error ?? {}) as Partial<Reply>
    return { ...(model && { model }), ...(usage && { usage }), ...(cost !== undefined && { cost }) }
  })
  return calls.length > 0 ? { calls } : {}
}

/** The tokens of all calls a trial took. */
function withChain(usage: Usage | undefined, chain: readonly { reply: Reply }[]): Usage {
  const sum: Record<string, unknown> = { ...usage }
  for (const { reply } of chain)
    for (const [key, value] of Object.entries(reply.usage ?? {}))
      if (typeof value === 'number') sum[key] = value + (typeof sum[key] === 'number' ? sum[key] : 0)
  return sum as Usage
}

/** Parameters of the request, without what was asked, with those that jb-call was given in their place. */
export function parametersOf(row: Row): JsonObject | undefined {
  if (!row.has('reply') && row.get('error')?.stage === 'call') return undefined
  const { messages: _messages, prompt: _prompt, ...asked } = row.get('request') ?? {}
  const given = row.get('reply')?.parameters ?? {}
  const sent = Object.entries({ ...asked, ...given } as JsonObject).filter(([, value]) => value !== null)
  return sent.length === 0 ? undefined : Object.fromEntries(sent)
}

/**
 * Whether the rows of an item contradict each other, so that it is unknown which of them count. A reply that says two verdicts
 * (jb-parse), or two answers to one request (jb-call), fail their trial alone, as any other failure does.
 */
export const isContradiction = ({ code, stage }: RowError) =>
  code === 'conflict' && stage !== 'parse' && stage !== 'call'

export const isPaid = ({ cost, usage }: Partial<TrialResult>) => (cost ?? usage) !== undefined

/** Each with its other calls as trials of their own. */
const eachCall = (trials: readonly TrialResult[]): TrialResult[] =>
  trials.flatMap(({ calls = [], ...one }) => [one, ...calls.map((call) => ({ ...call, trial: one.trial }))])

/** The same for rows of one call, which is paid for once. */
const callKey = ({ digest, error, usage, cost, served_model, parameters }: TrialResult) =>
  canonical([digest ?? null, error?.code, usage, cost, served_model, parameters].map((one) => one ?? null))

/** The trial with the calls of others, each once; of failed calls only those that were paid for. */
export function withCalls(one: TrialResult, others: readonly TrialResult[]): TrialResult {
  if (others.length === 0) return one
  const all = new Map(eachCall([one, ...others]).map((each) => [callKey(each), each]))
  all.delete(callKey(one))
  const calls = [...all.values()]
    .filter((each) => !each.error || isPaid(each))
    .map(({ trial: _, verdict: _verdict, ...call }) => call)
  const { calls: _, ...rest } = one
  return calls.length > 0 ? { ...rest, calls } : rest
}

/** A row without what one trial has: the user's fields, and the judge's identity. @param run what tells its run apart, if not the row */
export function itemRow(row: Row, run?: RunIdentity): Row {
  const made = row.bare()
  for (const key of ['judge', 'judge_digest', 'name', 'item', 'shuffle', 'variant', 'probe'] as const) {
    const isOfRun = run && key !== 'item' && key !== 'shuffle' && key !== 'probe'
    const value = isOfRun ? run[key] : (row.get(key) ?? (key === 'item' ? itemId(row) : undefined))
    if (value !== undefined) made.set(key, value)
  }
  if (row.has('cascade')) made.set('cascade', row.get('cascade')!)
  return made
}
