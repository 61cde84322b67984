/** A run's counts, for the progress bar, the summary and `--max-error-rate`. */
import { monotonicMs } from '../../../rows/clock.ts'
import type { RowFailure, Usage } from '../../../rows/record.ts'
import { completionOf, countOf, dollars, short } from './money.ts'

/** Rows before errors can end a run. */
const ENOUGH = 50
/** Standard normal quantile of 99.9 %. */
const Z = 3.0902

/** From this share of refused requests, and seconds of calls, the rate that was granted is worth knowing. */
const NOTED_SHARE = 0.05
const NOTED_S = 5

/** `12 from the cache`, unless the number is 0. */
export const nonZero = (n: number, words: string): string[] => (n > 0 ? [`${n} ${words}`] : [])

export class CallTally {
  /** Requests sent, each attempt counted. */
  requests = 0
  /** Requests sent again after a fault. */
  retries = 0
  /** Requests that the endpoint did not take: too many, busy, no connection. */
  refused = 0
  /** Endpoints and models that were called. */
  channels = 0
  /** Requests that were not refused: their number, and when the first and the last one ended. */
  private granted = { count: 0, first: 0, last: 0 }
  /** Rows by the source of their reply. A row that shares another row's call counts as `cache`. */
  readonly answered = { call: 0, cache: 0, recording: 0, row: 0, local: 0 }
  failed = 0
  /** Rows of the run, if known. */
  total: number | undefined
  /** Counts the rows of the run. Called when their number is needed, since the input is read once more for it. */
  count: (() => Promise<number | undefined>) | undefined
  private counting = false
  /** Tokens and cost of this run's calls. */
  promptTokens = 0
  completionTokens = 0
  cost = 0
  priced = false
  /** Consecutive rows up to the last one that failed without a connection. */
  unreachable = 0
  private last = ''
  private readonly started = monotonicMs()

  get done(): number {
    const { call, cache, recording, row, local } = this.answered
    return call + cache + recording + row + local + this.failed
  }

  /** Starts to count the rows of the run, unless their number is known. */
  countTotal(): void {
    const { count, total } = this
    if (!count || total !== undefined) return
    this.count = undefined
    this.counting = true
    count().then((rows) => {
      this.counting = false
      this.total ??= rows
    })
  }

  /** Counts a request that was not refused. */
  grant(): void {
    const { granted } = this
    granted.last = monotonicMs()
    if (granted.count++ === 0) granted.first = granted.last
  }

  /** Counts what a call used. */
  paid(usage: Usage | undefined, cost: number | undefined): void {
    this.promptTokens += countOf(usage?.prompt_tokens) ?? 0
    this.completionTokens += completionOf(usage) ?? 0
    if (cost === undefined) return
    this.cost += cost
    this.priced = true
  }

  succeeded(source: keyof CallTally['answered']): void {
    this.answered[source]++
    this.unreachable = 0
  }

  rowFailed(error: RowFailure): void {
    this.failed++
    this.last = `${error.code}: ${error.message}`
    this.unreachable = error.detail.cause !== undefined ? this.unreachable + 1 : 0
  }

  /**
   * Whether the rate of failed rows will exceed `limit`, even if all other rows succeed. If their number will not be known:
   * whether it exceeds the limit with 99.9 % confidence (Wilson's lower bound).
   */
  willExceed(limit: number): boolean {
    this.countTotal()
    const { done, failed, total } = this
    if (done < ENOUGH || failed / done <= limit) return false
    if (total !== undefined) return failed > limit * total
    if (this.counting) return false
    const share = failed / done
    const spread = Z * Math.sqrt((share * (1 - share)) / done + Z ** 2 / (4 * done ** 2))
    return (share + Z ** 2 / (2 * done) - spread) / (1 + Z ** 2 / done) > limit
  }

  /** `12 of 60 rows failed (20 %, …)`. */
  failureWords(limit: number): string {
    const { done, failed } = this
    return `${failed} of ${done} rows failed (${((100 * failed) / done).toFixed(1)} %, more than --max-error-rate ${limit}); the last: ${this.last}`
  }

  summaryWords(): string {
    const { cache, recording, row } = this.answered
    return [
      ...nonZero(this.requests, this.requests === 1 ? 'call' : 'calls'),
      ...nonZero(this.retries, 'of them retries'),
      ...this.refusedWords(),
      ...nonZero(cache, 'from the cache'),
      ...nonZero(recording, 'from the recording'),
      ...nonZero(row, 'answered already'),
      ...this.moneyWords(),
    ].join(', ')
  }

  /** The refused requests, and if there were many the rate at which one endpoint granted the others, for `--rpm`. */
  private refusedWords(): string[] {
    const { refused, requests, channels } = this
    if (refused === 0) return []
    const { count, first, last } = this.granted
    const minutes = (last - first) / 60_000
    const share = refused / requests
    const isPaced = channels === 1 && share >= NOTED_SHARE && minutes * 60 >= NOTED_S
    const rate = isPaced ? `; ${Math.round((count - 1) / minutes)} a minute were granted, see --rpm` : ''
    return [`${refused} refused (${(100 * share).toFixed(share < 0.095 ? 1 : 0)} %${rate})`]
  }

  barWords(): string {
    const seconds = (monotonicMs() - this.started) / 1000
    const rate = seconds > 1 ? [`${(this.done / seconds).toFixed(this.done / seconds < 10 ? 1 : 0)}/s`] : []
    const { done, total } = this
    const rows = total === undefined ? `${done} rows` : `${done} of ${total} rows`
    return [rows, ...rate, ...nonZero(this.failed, 'failed'), ...this.moneyWords()].join(', ')
  }

  private moneyWords(): string[] {
    const tokens = [this.promptTokens, this.completionTokens]
    const most = Math.max(...tokens)
    const words = most > 0 ? [`${tokens.map((one) => short(one, most)).join(' + ')} tokens`] : []
    return this.priced ? [...words, dollars(this.cost)] : words
  }
}
