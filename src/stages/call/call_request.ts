/** One request of a row: its parameters, its endpoint, and the identity of its reply. */
import { requestHash } from '../../providers/_key.ts'
import { jsonText, type Params } from '../../providers/_params.ts'
import { askedInWords } from '../../providers/_questions.ts'
import { sha256 } from '../../rows/crypto.ts'
import { endingOf } from '../../rows/finish_reason.ts'
import { getOrInsert } from '../../rows/maps.ts'
import { type Reply, RowFailure } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { ReplyIdentity } from './cache/journal.ts'
import type { Endpoint } from './endpoint.ts'
import type { SamplePlace } from './samples_at_once.ts'

/**
 * The keys of the reply to a request: hashes of what is sent and the sample's number, never of an id or another column of the
 * user's. Each is computed on demand, once: it takes a tenth of a call's CPU time.
 */
export class ReplyKeys {
  readonly row: Row
  readonly params: Params
  /** Its place among the samples of one request. */
  readonly together: SamplePlace | undefined
  /** The number of earlier rows in the run with the same random request and sample ({@link Occurrences}). */
  occurrence = 0
  /** The reply is no draw, but a decision: all samples of a request share it. */
  decides = false
  private readonly draw: number | undefined
  private sentHash: string | undefined
  private ownHash: string | undefined

  /** @param draw numbers further requests of a repair with the same parameters */
  constructor(row: Row, params: Params, draw?: number, together?: SamplePlace) {
    this.row = row
    this.params = params
    this.draw = draw
    this.together = together
  }

  /** Of a further request for the row's reply. */
  further(params: Params, draw: number | undefined): ReplyKeys {
    const keys = new ReplyKeys(this.row, params, draw)
    keys.occurrence = this.occurrence
    keys.decides = this.decides
    return keys
  }

  /** The key of a decision, if the request asks typed questions. */
  get decision(): string | undefined {
    return this.params.has('questions') ? requestHash(this.params, 0) : undefined
  }

  /** The key of all rows with this request and sample. */
  get sent(): string {
    this.sentHash ??= requestHash(this.params, this.sample)
    return this.sentHash
  }

  /** The key of the row's own draw. That of the first occurrence is {@link sent}. */
  get own(): string {
    if (this.occurrence === 0) return this.sent
    this.ownHash ??= requestHash(this.params, { sample: this.sample, occurrence: this.occurrence })
    return this.ownHash
  }

  private get sample(): unknown {
    if (this.decides) return 0
    const sample = this.row.get('trial')?.sample ?? 0
    if (this.together) return { sample, at_once: this.together.group.size }
    return this.draw === undefined ? sample : [sample, this.draw]
  }
}

/** Whether the temperature is 0. Most servers' default is 1. */
function isCold(params: Params): boolean {
  const temperature = params.get('temperature')
  return temperature !== undefined && Number(temperature) === 0
}

/**
 * Numbers the rows of a run that have the same request and sample. Their replies are shared, unless they are random: then the
 * second occurrence is the second draw. A `seed` picks the draw by itself.
 */
export class Occurrences {
  /** By model and endpoint, then by 52 bits of the key: a number takes a third of the memory of the whole key. */
  private readonly seen = new Map<string, Map<number, number>>()

  /** Sets a row's number; to be called for the rows in the order of the input. @param of model and endpoint */
  number(keys: ReplyKeys, of: string): void {
    const { params } = keys
    if (isCold(params) || (params.get('seed') ?? 'null') !== 'null') return
    const counts = getOrInsert(this.seen, of, () => new Map<number, number>())
    const key = Number.parseInt(keys.sent.slice(0, 13), 16)
    keys.occurrence = counts.get(key) ?? 0
    counts.set(key, keys.occurrence + 1)
  }
}

export class CallRequest {
  readonly keys: ReplyKeys
  readonly endpoint: Endpoint

  constructor(keys: ReplyKeys, endpoint: Endpoint) {
    this.keys = keys
    this.endpoint = endpoint
  }

  get row(): Row {
    return this.keys.row
  }

  get params(): Params {
    return this.keys.params
  }

  /**
   * The parameters, with the number of answers if there are to be several; typed questions in words for a model that writes.
   * @throws RowFailure bad_request without typed questions for one that decides, or for questions that are none
   */
  get asked(): Params {
    const { params, together } = this.keys
    if (this.endpoint.provider.decides) {
      if (params.has('questions')) return params
      throw new RowFailure(
        'bad_request',
        `the judge ${this.row.get('judge') ?? ''} asks no typed questions, which a decision model answers ("questions" of a judge file)`,
      )
    }
    const asked = askedInWords(params)
    return together ? new Map(asked).set('n', jsonText(together.group.size)) : asked
  }

  /** The identity of its reply in the cache. */
  get identity(): ReplyIdentity {
    return this.identityOf(this.keys.own)
  }

  /** The identity of another program's reply to the same request, in a cache made by jb-read: any item, any endpoint. */
  get importedIdentity(): ReplyIdentity {
    return { ...this.identityOf(this.keys.sent), endpoint: '' }
  }

  /** Of what was sent, whichever draw it was: rows may be filtered and sorted. */
  get fingerprint(): string {
    return fingerprintOf(this.identityOf(this.keys.sent))
  }

  /** The reply in the row, if it answers this request; it does not depend on the cache. */
  get replyInRow(): Reply | undefined {
    const { row } = this
    if (!row.has('reply') || row.part('reply', 'fingerprint') !== this.fingerprint) return undefined
    const reply = row.get('reply')
    return reply && isWhole(reply) ? reply : undefined
  }

  private identityOf(key: string): ReplyIdentity {
    const { model, identity } = this.endpoint
    return { key, model, endpoint: identity }
  }
}

/** Whether a saved reply counts as an answer: other programs also keep empty texts and generations that failed. */
export const isWhole = ({ text, finish_reason }: Reply): boolean =>
  typeof text === 'string' && text.trim() !== '' && endingOf(finish_reason) !== 'broken'

/** The request that a reply in a row answers: 16 hex digits of the hash of request, sample, model and endpoint. */
export function fingerprintOf({ key, model, endpoint }: ReplyIdentity): string {
  return sha256(`${key}\n${model}\n${endpoint}`).slice(0, 16)
}
