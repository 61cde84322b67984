/** A reply's JSON text, made once: it goes to the cache and into the row. */
import type { Reply } from '../record.ts'
import type { Row } from '../row.ts'
import { forget } from '../stage.ts'
import { encode, Spliced } from '../text.ts'

const texts = new WeakMap<Reply, string>()

export function replyText(reply: Reply): string {
  let text = texts.get(reply)
  if (text === undefined) texts.set(reply, (text = JSON.stringify(reply)))
  return text
}

/** Takes away what a row says of an earlier call of the same request. */
export function forgetOld(row: Row): void {
  // A row without a request (a result) was never to be called: it keeps what it says.
  if (row.has('request')) forget(row, ['reply', 'verdict', 'result', 'trials'])
}

/** The reply as it is spliced into a row. */
export const forRow = (reply: Reply): Spliced => new Spliced([encode(replyText(reply))])
