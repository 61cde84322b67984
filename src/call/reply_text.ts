/** A reply's JSON text, made once: it goes to the cache and into the row. */
import type { Reply } from '../record.ts'
import type { Row } from '../row.ts'
import { forget } from '../stage.ts'
import { encode, Spliced } from '../text.ts'

const written = new WeakMap<Reply, string[]>()

/** Says how the reply's text is written in JSON, a character a byte, so that it need not be written again. */
export function writtenAs(reply: Reply, json: string): void {
  const { text } = reply
  reply.text = ''
  const rest = encode(JSON.stringify(reply)).slice('{"text":""'.length)
  reply.text = text
  written.set(reply, ['{"text":', json, rest])
}

/** The reply with its cost. */
export function withCost(reply: Reply, cost: number): Reply {
  const more = { ...reply, cost }
  const pieces = written.get(reply)
  if (pieces && reply.cost === undefined)
    written.set(more, [
      ...pieces.slice(0, -1),
      `${pieces.at(-1)!.slice(0, -1)},"cost":${JSON.stringify(cost)}}`,
    ])
  return more
}

/** The reply's JSON in pieces, a character a byte. */
export function replyPieces(reply: Reply): string[] {
  let pieces = written.get(reply)
  if (pieces === undefined) written.set(reply, (pieces = [encode(JSON.stringify(reply))]))
  return pieces
}

/** Takes away what a row says of an earlier call of the same request. */
export function forgetOld(row: Row): void {
  // A row without a request (a result) was never to be called: it keeps what it says.
  if (row.has('request')) forget(row, ['reply', 'verdict', 'result', 'trials'])
}

/** The reply as it is spliced into a row. */
export const forRow = (reply: Reply): Spliced => new Spliced(replyPieces(reply))
