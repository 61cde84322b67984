/** The key that a request's reply is kept under. */
import { requestHash } from '../../providers/_key.ts'
import type { Params } from '../../providers/_params.ts'
import type { Row } from '../../rows/row.ts'

/**
 * The key of the reply to these parameters, for a row's sample and a further draw of it. Where replies are drawn at
 * random, every item has a draw of its own: the same prompt of another item is not answered by the same reply.
 */
export function replyKey(row: Row, params: Params, draw?: number): string {
  const sample = sampleOf(row, draw)
  const item = isRandom(params) ? row.get('item') : undefined
  return requestHash(params, item === undefined ? sample : { sample, item })
}

/** The key as earlier versions had it, which recordings may hold. */
export const earlierKey = (row: Row, params: Params, draw?: number): string =>
  requestHash(params, sampleOf(row, draw))

function sampleOf(row: Row, draw: number | undefined): unknown {
  const sample = row.get('trial')?.sample ?? 0
  return draw === undefined ? sample : [sample, draw]
}

/** Without a temperature most servers take 1. */
function isRandom(params: Params): boolean {
  const temperature = params.get('temperature')
  return temperature === undefined || Number(temperature) !== 0
}
