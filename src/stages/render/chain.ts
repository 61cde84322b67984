/**
 * `chain`: a judge that continues from the reply of an earlier judge, on rows that jb-call wrote. Item, trial and
 * criterion stay; the earlier reply moves to `jb.chain`.
 */

import type { Judge } from '../../judges/_judge.ts'
import { configError, type Jb, type Json, RowFailure } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { RequestMaker } from './prompt.ts'
import { requestOf } from './request.ts'

/** `continue`: adds messages to the earlier request and its reply. `fresh`: a new chat, whose templates see {{ reply }}. */
const MODES = ['continue', 'fresh']

/** @throws Fatal (configuration) */
export function checkChain(judge: Judge): void {
  if (!MODES.includes(judge.chain as string))
    throw configError(
      `${judge.where}: "chain" is ${JSON.stringify(judge.chain)}, expected ${MODES.join(' or ')}`,
    )
}

/** The elements that another judge listed of the item. @throws RowFailure missing_field, bad_record */
export function listedItems(row: Row): Json[] {
  const items = row.get('verdict')?.items
  if (!Array.isArray(items))
    throw new RowFailure(
      'missing_field',
      'no jb.verdict with a list: --chain asks about what a list judge found (run that one, jb-call and jb-parse first)',
    )
  if ((row.get('trial')?.of ?? 1) > 1)
    throw new RowFailure('bad_record', 'the item has several lists: --chain takes the only trial of an item')
  return items as Json[]
}

/** The calls that led to a row's verdict, for the trial that counts them. */
export function callsBefore(row: Row): Jb['chain'] {
  const [reply, before] = [row.get('reply'), row.get('judge')]
  return reply && before !== undefined ? [...(row.get('chain') ?? []), { judge: before, reply }] : undefined
}

/** The row with the next request. Its templates see `reply`, `options` (as shown) and `criterion`. */
export function chainOn(
  row: Row,
  { judge, digest, ask }: { judge: Judge; digest: string; ask: RequestMaker },
): Row {
  const [trial, reply, before] = [row.get('trial'), row.get('reply'), row.get('judge')]
  if (!trial || typeof reply?.text !== 'string' || before === undefined)
    throw new RowFailure(
      'missing_field',
      `no jb.reply: ${judge.where} continues from the reply of another judge (run that one and jb-call first)`,
    )
  const extra = new Map([['reply', JSON.stringify(reply.text)]])
  const criterion = row.get('criterion')
  if (criterion) extra.set('criterion', JSON.stringify(criterion))
  if (trial.options) extra.set('options', JSON.stringify(trial.options))
  const request = requestOf(ask(row, { trial, extra }))
  if (judge.chain === 'continue') {
    const messages = row.get('request')?.messages
    if (!messages || !request.messages)
      throw new RowFailure('missing_field', 'jb.request has no messages to continue')
    request.messages = [...messages, { role: 'assistant', content: reply.text }, ...request.messages]
  }
  return row
    .fork()
    .set('judge', judge.name)
    .set('judge_digest', digest)
    .set('own_endpoint', judge.endpoint && true)
    .set('request', request)
    .set('chain', [...(row.get('chain') ?? []), { judge: before, reply }])
    .set('reply', undefined)
    .set('verdict', undefined)
}
