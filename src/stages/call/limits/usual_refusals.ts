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
/** No endpoint refuses more than this as a habit. */
const MOST_USUAL = 0.25
/** Refusals at random are spread evenly, those of a limit are not: the usual fits each of the latest blocks of answers. */
const BLOCKS = 5
/** Answers in a block at least, and ms it takes: in moments of thousands of calls refusals, which are quick, come together. */
const BLOCK = 200
const BLOCK_MS = 500

interface Block {
  since: number
  answers: number
  refused: number
}

export class UsualRefusals {
  /** From 0 to 1. */
  share = 0
  /** Calls that it was learnt from, up to MEMORY. */
  private calls = 0
  private evidence = 0
  /** The latest blocks, the last of which goes on. */
  private readonly blocks: Block[] = []

  /** The share that is assumed: at least the mean of its posterior. */
  get expected(): number {
    return Math.max(this.share, (this.share * this.calls + PRIOR * PRIOR_CALLS) / (this.calls + PRIOR_CALLS))
  }

  /** The most that can be usual: about three standard deviations above the block with the smallest share of refusals. */
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

  /** A call was answered at `now`: counted then and not when it is sent, since many may be under way. */
  answered(refused: boolean, now: number): void {
    let block = this.blocks.at(-1)
    if (!block || (block.answers >= BLOCK && now - block.since >= BLOCK_MS)) {
      block = { since: now, answers: 0, refused: 0 }
      if (this.blocks.push(block) > BLOCKS + 1) this.blocks.shift()
    }
    block.answers++
    if (refused) block.refused++
  }

  /** Whether a share of so many calls is more than can be chance. */
  isMore(share: number, calls: number, paced: boolean): boolean {
    const chance = (paced ? DEVIATIONS_PACED : DEVIATIONS) * Math.sqrt(this.expected / Math.max(1, calls))
    return share > this.share + Math.max(TOLERANCE, chance)
  }

  /** So many calls, none of which was beyond a limit, had this share of refusals. */
  learn(share: number, calls: number): void {
    this.calls = Math.min(MEMORY, this.calls + calls)
    // A few calls with many refusals are no habit yet, and of thousands some are not answered yet.
    this.share += ((share - this.share) * Math.min(MEMORY / 2, calls)) / (this.calls + PRIOR_CALLS)
    this.share = Math.min(this.share, this.most)
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
