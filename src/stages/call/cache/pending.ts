/** Finds the requests that need a call, each once, for `--dry-run` and `--batch emit`. */
import { type CallRequest, fingerprintOf } from '../call_request.ts'
import { completionOf, Mean } from '../limits/money.ts'
import type { StoredReplies } from './stored.ts'

export class PendingRequests {
  /** Rows that need no call: the reply is in the row or the cache, or another row has the same request. */
  readonly answered = { row: 0, cache: 0, repeated: 0 }
  /** Tokens of the replies in the rows and the cache. */
  readonly completions = new Mean()
  private readonly stored: StoredReplies
  private readonly share: boolean
  private readonly seen = new Set<string>()

  /** @param share rows with the same request share one reply, as in a run with a cache */
  constructor(stored: StoredReplies, share: boolean) {
    this.stored = stored
    this.share = share
  }

  /** Whether a request needs a call. */
  needs(request: CallRequest): boolean {
    const known = this.stored.find(request)
    this.completions.add(completionOf(known?.reply.usage))
    if (known) this.answered[known.source]++
    else if (this.share && this.isRepeated(fingerprintOf(request.identity))) this.answered.repeated++
    else return true
    return false
  }

  private isRepeated(id: string): boolean {
    const repeated = this.seen.has(id)
    this.seen.add(id)
    return repeated
  }
}
