/** Finds the requests that need a call, each once, for `--dry-run` and `--batch emit`. */
import type { CallRequest } from '../call_request.ts'
import { OffsetIndex } from './offset_index.ts'
import type { StoredReplies } from './stored.ts'

export class PendingRequests {
  /** Rows that need no call: the reply is in the row or the cache, or another row has the same request. */
  readonly answered = { row: 0, cache: 0, repeated: 0 }
  private readonly stored: StoredReplies
  private readonly share: boolean
  private readonly seen = new OffsetIndex()

  /** @param share rows with the same request share one reply, as in a run with a cache */
  constructor(stored: StoredReplies, share: boolean) {
    this.stored = stored
    this.share = share
  }

  /** Whether a request needs a call. @param id at least 16 hex digits */
  needs(request: CallRequest, id: string): boolean {
    const known = this.stored.find(request)
    if (known) this.answered[known.source]++
    else if (this.share && this.isRepeated(id)) this.answered.repeated++
    else return true
    return false
  }

  private isRepeated(id: string): boolean {
    const [upper, lower] = [Number.parseInt(id.slice(0, 8), 16), Number.parseInt(id.slice(8, 16), 16)]
    const repeated = this.seen.find(upper).includes(lower)
    if (!repeated) this.seen.add(upper, lower)
    return repeated
  }
}
