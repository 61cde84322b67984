/** One request of a row: its parameters, its endpoint, and the identity of its reply. */
import { requestHash } from '../../providers/_key.ts'
import type { Params } from '../../providers/_params.ts'
import { endingOf } from '../../rows/finish_reason.ts'
import type { Reply } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { ReplyIdentity } from './cache/journal.ts'
import type { Endpoint } from './endpoint.ts'
import { sha256 } from './sha256.ts'

export class CallRequest {
  readonly row: Row
  readonly params: Params
  readonly endpoint: Endpoint
  private readonly draw: number | undefined
  private known: ReplyIdentity | undefined

  /** @param draw numbers further requests with the same parameters */
  constructor(row: Row, params: Params, endpoint: Endpoint, draw?: number) {
    this.row = row
    this.params = params
    this.endpoint = endpoint
    this.draw = draw
  }

  /** The identity of its reply in the cache. Computed on demand: it takes a tenth of a call's CPU time. */
  get identity(): ReplyIdentity {
    const { row, params, draw, endpoint } = this
    this.known ??= { key: replyKey(row, params, draw), model: endpoint.model, endpoint: endpoint.identity }
    return this.known
  }

  /** The identity of another program's reply to the same request, in a cache made by jb-read: any item, any endpoint. */
  get importedIdentity(): ReplyIdentity {
    const { row, params, draw, endpoint } = this
    return { key: earlierKey(row, params, draw), model: endpoint.model, endpoint: '' }
  }

  /** The reply in the row, if it answers this request; it does not depend on the cache. */
  get replyInRow(): Reply | undefined {
    const { row } = this
    if (!row.has('reply')) return undefined
    // Rows written by earlier versions call it "asked".
    const fingerprint = row.part('reply', 'fingerprint') ?? row.part('reply', 'asked')
    if (fingerprint === undefined || fingerprint !== fingerprintOf(this.identity)) return undefined
    const reply = row.get('reply')
    return reply && isWhole(reply) ? reply : undefined
  }
}

/** Whether a saved reply counts as an answer: earlier versions also saved empty texts and generations that failed. */
export const isWhole = ({ text, finish_reason }: Reply): boolean =>
  typeof text === 'string' && text.trim() !== '' && endingOf(finish_reason) !== 'broken'

/** The request that a reply in a row answers: 16 hex digits of the hash of request, sample, model and endpoint. */
export function fingerprintOf({ key, model, endpoint }: ReplyIdentity): string {
  return sha256(`${key}\n${model}\n${endpoint}`).slice(0, 16)
}

/** The key of a row's reply to these parameters. Random replies are not shared by items with the same prompt. */
export function replyKey(row: Row, params: Params, draw?: number): string {
  const sample = sampleOf(row, draw)
  const item = isRandom(params) ? row.get('item') : undefined
  return requestHash(params, item === undefined ? sample : { sample, item })
}

/** The key of earlier versions, for their recordings. */
export const earlierKey = (row: Row, params: Params, draw?: number): string =>
  requestHash(params, sampleOf(row, draw))

function sampleOf(row: Row, draw: number | undefined): unknown {
  const sample = row.get('trial')?.sample ?? 0
  return draw === undefined ? sample : [sample, draw]
}

/** Most servers' default temperature is 1. */
function isRandom(params: Params): boolean {
  const temperature = params.get('temperature')
  return temperature === undefined || Number(temperature) !== 0
}
