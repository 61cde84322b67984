/** One request of a row, where it goes, and what its reply is known by. */
import type { Params } from '../../providers/_provider.ts'
import type { Reply } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Identity } from './cache/journal.ts'
import type { Endpoint } from './endpoint.ts'
import { replyKey } from './request.ts'

export class Question {
  readonly row: Row
  readonly params: Params
  readonly endpoint: Endpoint
  private readonly draw: number | undefined
  private known: Identity | undefined

  /** @param draw a further draw of the same request is another question */
  constructor(row: Row, params: Params, endpoint: Endpoint, draw?: number) {
    this.row = row
    this.params = params
    this.endpoint = endpoint
    this.draw = draw
  }

  /** What its reply is kept under: worked out when asked for, which takes a tenth of the time of sending it. */
  get identity(): Identity {
    const { row, params, draw, endpoint } = this
    this.known ??= { key: replyKey(row, params, draw), model: endpoint.model, endpoint: endpoint.label }
    return this.known
  }

  /**
   * The reply that the row holds already, where it is one to just this: what was paid for is not asked again
   * where the cache is gone.
   */
  get saved(): Reply | undefined {
    const { row } = this
    const asked = row.has('reply') ? row.part('reply', 'asked') : undefined
    if (asked === undefined || asked !== askedOf(this.identity)) return undefined
    const reply = row.get('reply')
    return typeof reply?.text === 'string' ? reply : undefined
  }
}

/** Of what a reply is the answer to, as rows tell it: 16 hex digits of the request, its sample, the model and the endpoint. */
export function askedOf({ key, model, endpoint }: Identity): string {
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256').update(`${key}\n${model}\n${endpoint}`).digest('hex').slice(0, 16)
}
