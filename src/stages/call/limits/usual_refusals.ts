/** The share of calls that an endpoint refuses at random, and whether refusals are more than that. */

/** The share assumed before any is known, and how many calls that weighs. */
const PRIOR = 0.01
const PRIOR_CALLS = 100
/** Calls over which the share is averaged. */
const MEMORY = 500
/** Share of refusals above the usual that the test looks for. */
const EXCESS = 0.15
/** The log likelihood ratio that is enough: at least, and with more calls a second more, so that chance gives it no oftener. */
const ENOUGH = 4
const SECONDS = 3
/** What may be chance in some time: at least, and in standard deviations before and after calls are paced. */
const TOLERANCE = 0.015
const DEVIATIONS = 4
const DEVIATIONS_PACED = 5

export class UsualRefusals {
  /** From 0 to 1. */
  share = 0
  /** Calls that it was learnt from, up to MEMORY. */
  private calls = 0
  private evidence = 0

  /** The share that is assumed: at least the mean of its posterior. */
  get expected(): number {
    return Math.max(this.share, (this.share * this.calls + PRIOR * PRIOR_CALLS) / (this.calls + PRIOR_CALLS))
  }

  /** Whether a share of so many calls is more than can be chance. */
  isMore(share: number, calls: number, paced: boolean): boolean {
    const chance = (paced ? DEVIATIONS_PACED : DEVIATIONS) * Math.sqrt(this.expected / Math.max(1, calls))
    return share > this.share + Math.max(TOLERANCE, chance)
  }

  /** So many calls, none of which was beyond a limit, had this share of refusals. */
  learn(share: number, calls: number): void {
    this.calls = Math.min(MEMORY, this.calls + calls)
    // A few calls with many refusals are no habit yet.
    this.share += ((share - this.share) * calls) / (this.calls + PRIOR_CALLS)
  }

  set(share: number, calls: number): void {
    this.share = share
    this.calls = Math.min(MEMORY, calls)
  }

  /** A call more: Page's CUSUM test (1954), which begins at zero again where there is less than no evidence. */
  granted(): void {
    this.evidence = Math.max(0, this.evidence + Math.log(1 - EXCESS / (1 - this.share)))
  }

  /** A refusal more, of `rate` calls a second: whether they are more than the usual. */
  exceeded(rate: number): boolean {
    this.evidence += Math.log(1 + EXCESS / this.expected)
    return this.evidence >= Math.max(ENOUGH, Math.log(SECONDS * rate))
  }

  /** What was refused until now is no evidence. */
  forgive(): void {
    this.evidence = 0
  }
}
