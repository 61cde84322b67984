/** One trial's row as what a result keeps of it. */
import { itemId } from '../rows/item_id.ts'
import {
  isObject,
  type Json,
  type JsonObject,
  type Reply,
  type RowError,
  type Trial,
  type TrialResult,
  type Usage,
  type Verdict,
} from '../rows/record.ts'
import { decode, encode, type Latin1, type Row } from '../rows/row.ts'
import { windowOf } from '../verdicts/_window.ts'
import { callDigest } from './_digest.ts'
import { canonical } from './_item_hash.ts'
import type { Subject } from './_scoring.ts'
import { textDigest } from './digest.ts'
import { replyDigest } from './intake.ts'

/** A trial that was never read. */
export const UNREAD: RowError = {
  stage: 'score',
  code: 'no_verdict',
  message: 'no jb.verdict: run jb-parse first',
}

const SPENT: RowError = { ...UNREAD, message: 'this is what --partial wrote: add it up with --merge' }

/** Sums of a shard, in place of a row. */
const isState = (row: Row) => row.field('state') === 1 && row.field('all') !== undefined

/** Whether the row is one of a trial: results, and failures without a trial, are passed on. */
export const isTrial = (row: Row): boolean =>
  !row.has('result') && !(row.has('error') && (row.has('trials') || !row.has('trial')))

/** What identifies the item of a trial, as text: nothing is parsed for it. */
export function itemKey(row: Row, model: string | undefined, subject: Subject | undefined): string {
  const item = row.itemBytes ?? encode(JSON.stringify(itemId(row)))
  const text = subject?.(row, item) ?? item
  const id = text.includes('\\') ? canonical(text) : text
  const parts = [
    id,
    row.text('judge'),
    row.text('judge_digest'),
    row.text('name'),
    row.text('variant'),
    model ?? '',
  ]
  // `+` would make V8 keep each of the pieces.
  return parts.join('\n')
}

/** How many trials an item has by one of them: of several at least as many as its number says. */
export const trialCount = ({ n = 0, of = 1 }: Partial<Trial>) => (of > 1 ? Math.max(of, n + 1) : 1)

export function trialResult(row: Row, trial: Trial): TrialResult {
  const one: TrialResult = { trial }
  const error = row.has('error') ? row.get('error') : undefined
  const verdict = row.get('verdict')
  let text: string | undefined
  if (row.has('reply')) text = addReply(one, row)
  else {
    // A verdict without a reply, and a call that failed, name their own model; a failed call may have been paid for.
    const model = verdict?.model ?? error?.model
    if (typeof model === 'string') one.model = model
    if (error?.usage) one.usage = error.usage
    if (error?.cost !== undefined) one.cost = error.cost
  }
  const parameters = parametersOf(row)
  if (parameters) one.parameters = parameters
  if (error) {
    one.error = error
    if (text !== undefined) one.digest = textDigest(text) >>> 0
  } else if (verdict === undefined) one.error = isState(row) ? SPENT : UNREAD
  else {
    one.verdict = verdict
    one.digest = replyDigest(verdict, text, row.get('criterion')?.name)
  }
  return one
}

/** Of a window a result for every element; one that no line could be read for fails alone. Usage is that of the first. */
export function apart(one: TrialResult): TrialResult[] {
  const ids = windowOf(one.trial)
  if (!ids) return [one]
  const { nuggets: _, ...trial } = one.trial
  const each = (one.verdict?.each ?? []) as (Verdict | null)[]
  return ids.map((nugget, place) => {
    const { usage, cost, calls, verdict: _verdict, ...rest } = one
    const verdict = each[place]
    return {
      ...rest,
      trial: { ...trial, nugget },
      ...(place === 0 && usage && { usage }),
      ...(place === 0 && cost !== undefined && { cost }),
      ...(place === 0 && calls && { calls }),
      ...(verdict
        ? { verdict }
        : !one.error && { error: { ...UNREAD, message: `no line for nugget ${nugget}` } }),
    }
  })
}

export const isPaid = ({ cost, usage }: TrialResult) => (cost ?? usage) !== undefined

/** Each with its other calls as trials of their own. */
export const eachCall = (trials: readonly TrialResult[]): TrialResult[] =>
  trials.flatMap(({ calls = [], ...one }) => [one, ...calls.map((call) => ({ ...call, trial: one.trial }))])

/** The same for rows of the same call, whose reply is paid for once. */
export const callKey = (one: TrialResult) =>
  `${one.trial.n} ${one.digest} ${one.error?.code} ${callDigest(one)} ${one.trial.nugget}`

/** Not the whole of a long reply: its text is most of a row. @returns the text, as it is or as JSON text */
function addReply(one: TrialResult, row: Row): string {
  const text = row.part('reply', 'text') as string
  const short = row.get('reply')
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
  return text
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
let before: { members: string[]; given: Latin1 | undefined; value: JsonObject | undefined } = {
  members: [],
  given: undefined,
  value: undefined,
}

const ASKED = ['messages', 'prompt']

/** Parameters of the request, without what was asked, and those that jb-call was given in their place: its reply has them. */
export function parametersOf(row: Row): JsonObject | undefined {
  if (!row.has('reply') && row.get('error')?.stage === 'call') return undefined
  const all = (row.has('request') && row.members('request', ASKED)) || []
  const given = row.has('reply') ? row.partText('reply', 'parameters') : undefined
  const { members } = before
  let at = 0
  let same = given === before.given
  for (const [key, value] of all) {
    same &&= members[at] === key && members[at + 1] === value
    at += 2
  }
  if (at === 0 && given === undefined) return undefined
  if (!same || at !== members.length) {
    const text = all.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',') as Latin1
    const asked = JSON.parse(decode(`{${text}}` as Latin1)) as JsonObject
    before = { members: all.flat(), given, value: withGiven(asked, given) }
  }
  return before.value
}

/** With the parameters in their place; those that are null were left out. Undefined if none is left. */
function withGiven(asked: JsonObject, given: Latin1 | undefined): JsonObject | undefined {
  if (given === undefined) return Object.freeze(asked)
  const more = JSON.parse(decode(given)) as Json
  const members = Object.entries({ ...asked, ...(isObject(more) ? more : {}) })
  const kept = members.filter(([, value]) => value !== null)
  return kept.length === 0 ? undefined : Object.freeze(Object.fromEntries(kept))
}
