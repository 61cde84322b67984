/** Learns the share of calls that an endpoint refuses at random, and tests whether refusals exceed it. */

/** The prior: a share, and its weight in calls. */
const PRIOR = 0.01
const PRIOR_CALLS = 100
/** Calls over which the share is averaged. */
const MEMORY = 500
/** Share of refusals above the usual that the test detects. */
const EXCESS = 0.15
/** The log likelihood ratio needed: at least ENOUGH, more with more calls a second, to keep false alarms per second constant. */
const ENOUGH = 4
const SECONDS = 3
/** Chance deviations: at least TOLERANCE, and in standard deviations before and after calls are paced. */
const TOLERANCE = 0.015
const DEVIATIONS = 4
const DEVIATIONS_PACED = 5
/** The most that can be the usual. */
const MOST_USUAL = 0.25
/** Random refusals are spread evenly, those of a limit are not: the usual must fit each of the latest blocks of answers. */
const BLOCKS = 5
/** The least answers and ms of a block: of thousands of concurrent calls, refusals are answered first. */
const BLOCK = 200
const BLOCK_MS = 500

interface Block {
  since: number
  answers: number
  refused: number
}

export class UsualRefusals {
  /** The usual share of refusals, from 0 to 1. */
  share = 0
  /** Calls behind the share, up to MEMORY. */
  private calls = 0
  private evidence = 0
  /** The latest blocks; the last one is incomplete. */
  private readonly blocks: Block[] = []

  /** The share to expect: at least the posterior mean. */
  get expected(): number {
    return Math.max(this.share, (this.share * this.calls + PRIOR * PRIOR_CALLS) / (this.calls + PRIOR_CALLS))
  }

  /** The most that can be the usual: three standard deviations above the smallest share of a block. */
  private get most(): number {
    const ended = this.blocks.slice(0, -1)
    return Math.min(
      1,
      ...ended.map(({ answers, refused }) => (refused + 3 * Math.sqrt(refused + 1) + 1) / answers),
    )
  }

  canBe(share: number): boolean {
    return share <= Math.min(MOST_USUAL, this.most)
  }

  /** Counts an answer. */
  answered(refused: boolean, now: number): void {
    let block = this.blocks.at(-1)
    if (!block || (block.answers >= BLOCK && now - block.since >= BLOCK_MS)) {
      block = { since: now, answers: 0, refused: 0 }
      if (this.blocks.push(block) > BLOCKS + 1) this.blocks.shift()
    }
    block.answers++
    if (refused) block.refused++
  }

  /** Whether a share of refusals in so many calls is more than chance. */
  isMore(share: number, calls: number, paced: boolean): boolean {
    const chance = (paced ? DEVIATIONS_PACED : DEVIATIONS) * Math.sqrt(this.expected / Math.max(1, calls))
    return share > this.share + Math.max(TOLERANCE, chance)
  }

  /** Learns from calls that exceeded no limit. */
  learn(share: number, calls: number): void {
    this.calls = Math.min(MEMORY, this.calls + calls)
    // A few calls weigh little, and of thousands some are not answered yet.
    this.share += ((share - this.share) * Math.min(MEMORY / 2, calls)) / (this.calls + PRIOR_CALLS)
    this.share = Math.min(this.share, this.most)
  }

  set(share: number, calls: number): void {
    this.share = share
    this.calls = Math.min(MEMORY, calls)
  }

  /** Counts a granted call in Page's CUSUM test (1954). */
  granted(): void {
    this.evidence = Math.max(0, this.evidence + Math.log(1 - EXCESS / (1 - this.share)))
  }

  /** Counts a refusal, at `rate` calls a second. @returns whether refusals exceed the usual */
  exceeded(rate: number): boolean {
    this.evidence += Math.log(1 + EXCESS / this.expected)
    return this.evidence >= Math.max(ENOUGH, Math.log(SECONDS * rate))
  }

  /** Discards the evidence. */
  forgive(): void {
    this.evidence = 0
  }
}
