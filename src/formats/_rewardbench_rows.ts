/** RewardBench: accuracies of subsets from judged pairs, whose chosen answer is A. */
import { byKey } from '../rows/maps.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { PRIOR_SETS, SECTIONS } from './_rewardbench.ts'

const SUBSETS = new Set([
  ...Object.values(SECTIONS).flatMap((subsets) => Object.keys(subsets)),
  ...PRIOR_SETS,
])

/** The original's credit for a reply it could not read. */
const UNREAD = 0.5

/** Accuracies of one judge by subset. */
export class Subsets {
  private readonly sums = new Map<string, { n: number; sum: number }>()
  private readonly given = new Map<string, number>()
  private readonly original: boolean
  /** Items without a verdict, not in any accuracy. */
  failed = 0
  /** Judged items that name no subset, left out, too. */
  private unplaced = 0

  /** @param original a reply that could not be read counts ½, as in the original */
  constructor(original: boolean) {
    this.original = original
  }

  /** A judged pair with its `subset`, or a file's accuracies by subset. */
  add(row: Row): void {
    const subset = row.field('subset')
    if (typeof subset !== 'string') {
      const accuracies = Object.entries(row.item).filter(
        ([name, value]) => SUBSETS.has(name) && typeof value === 'number',
      ) as [string, number][]
      for (const [name, value] of accuracies) this.given.set(name, value)
      if (accuracies.length === 0 && creditOf(row) !== undefined) this.unplaced++
      return
    }
    const value = creditOf(row) ?? (this.original ? UNREAD : undefined)
    if (value === undefined) {
      this.failed++
      return
    }
    const of = this.sums.get(subset) ?? { n: 0, sum: 0 }
    this.sums.set(subset, { n: of.n + 1, sum: of.sum + value })
  }

  /** Notes what is in no accuracy. @param who begins the notes */
  tell(note: Context['note'], who = ''): void {
    const { failed, unplaced } = this
    if (failed > 0)
      note(`${who}${failed} items without a verdict are left out (--compat rewardbench counts them ½)`)
    if (unplaced > 0) note(`${who}${unplaced} judged items without a "subset" are left out`)
  }

  /** Accuracies, sorted by subset. */
  means(): Map<string, number> {
    const means = new Map(this.given)
    for (const [subset, { n, sum }] of this.sums) means.set(subset, sum / n)
    return new Map(byKey(means))
  }
}

/** A judge's ratings, one trial per answer, null for a failed one; undefined if it did not rate answers one by one. */
export function ratedOf(row: Row): (number | null)[] | undefined {
  const trials = (row.get('trials') ?? []).filter(({ trial }) => 'answer' in trial)
  if (trials.length === 0) return undefined
  return trials.map(({ verdict, error }) =>
    error || typeof verdict?.score !== 'number' ? null : verdict.score,
  )
}

/** A pair's credit: 1 if the chosen answer wins, else 0; ½ for equal ratings; undefined for a failure. */
function creditOf(row: Row): number | undefined {
  const rated = ratedOf(row)
  if (rated) {
    const [chosen, rejected] = rated
    return typeof chosen !== 'number' || typeof rejected !== 'number'
      ? undefined
      : (Math.sign(chosen - rejected) + 1) / 2
  }
  const result = row.has('error') ? undefined : row.get('result')
  if (typeof result?.correct === 'boolean') return Number(result.correct)
  if (result?.decision !== undefined) return Number(result.decision === 'A>B')
  const [chosen, rejected] = [
    scoreOf(row, 'score_chosen', 'scores_chosen'),
    scoreOf(row, 'score_rejected', 'scores_rejected'),
  ]
  if (chosen !== undefined && rejected !== undefined) return Number(chosen > rejected)
  const recorded = row.field('results')
  return typeof recorded === 'number' ? recorded : undefined
}

/** A score under one of these names; it may be in a nested list. */
function scoreOf(row: Row, ...names: string[]): number | undefined {
  for (const name of names) {
    const value = [row.field(name) ?? []].flat(2)[0]
    if (typeof value === 'number') return value
  }
  return undefined
}
