/** Counts of a run, for the progress bar, the summary and `--max-error-rate`. */
import { monotonicMs } from '../../../rows/clock.ts'
import type { RowFailure, Usage } from '../../../rows/record.ts'
import { countOf, dollars, short } from './money.ts'

/** Rows before a run may end for its errors. */
const ENOUGH = 50
/** Standard normal quantile of 99.9 %: a run is not ended by a streak. */
const Z = 3.0902

export class CallTally {
  /** Requests sent, each attempt counted. */
  requests = 0
  retries = 0
  /** Rows answered, by the source of their reply; one that shares another row's call counts as the cache. */
  readonly answered = { call: 0, cache: 0, recording: 0, row: 0, local: 0 }
  failed = 0
  /** Rows of the run, once counted. */
  total: number | undefined
  /** The input is being counted: `total` will be known soon. */
  counting = false
  /** Of this run's calls. */
  promptTokens = 0
  completionTokens = 0
  cost = 0
  priced = false
  /** Consecutive rows, up to the last one, that failed without a connection. */
  unreachable = 0
  private last = ''
  private readonly started = monotonicMs()

  get done(): number {
    const { call, cache, recording, row, local } = this.answered
    return call + cache + recording + row + local + this.failed
  }

  /** A call was paid for. */
  paid(usage: Usage | undefined, cost: number | undefined): void {
    this.promptTokens += countOf(usage?.prompt_tokens) ?? 0
    this.completionTokens += countOf(usage?.completion_tokens) ?? 0
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
   * Whether so many rows failed that the run cannot end within `limit`, even if all others succeed; where their
   * number is not known and not being counted, whether the true rate is above it with 99.9 % confidence: Wilson's lower bound.
   */
  hopeless(limit: number): boolean {
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
    const parts: string[] = []
    if (this.requests > 0) parts.push(`${this.requests} call${this.requests === 1 ? '' : 's'}`)
    if (this.retries > 0) parts.push(`${this.retries} of them retries`)
    if (this.answered.cache > 0) parts.push(`${this.answered.cache} from the cache`)
    if (this.answered.recording > 0) parts.push(`${this.answered.recording} from the recording`)
    if (this.answered.row > 0) parts.push(`${this.answered.row} answered already`)
    return [...parts, ...this.moneyWords()].join(', ')
  }

  barWords(): string {
    const seconds = (monotonicMs() - this.started) / 1000
    const rate = seconds > 1 ? [`${(this.done / seconds).toFixed(this.done / seconds < 10 ? 1 : 0)}/s`] : []
    const errors = this.failed > 0 ? [`${this.failed} failed`] : []
    const { done, total } = this
    const rows = total === undefined ? `${done} rows` : `${done} of ${total} rows`
    return [rows, ...rate, ...errors, ...this.moneyWords()].join(', ')
  }

  private moneyWords(): string[] {
    const tokens =
      this.promptTokens + this.completionTokens > 0
        ? [`${short(this.promptTokens)} + ${short(this.completionTokens)} tokens`]
        : []
    return this.priced ? [...tokens, dollars(this.cost)] : tokens
  }
}
