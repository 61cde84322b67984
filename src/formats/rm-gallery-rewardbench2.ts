/**
 * `jb-write rm-gallery-rewardbench2`: the JSON of RM-Gallery's RewardBench 2 tutorial, with the counts that its code adds
 * (d4f5253; that code looks for its verdicts where it does not put them, and always finds 0 of 0 correct). Right answers come
 * first in `answers`. Best of four: the first wins. Ties: one of the `num_correct` first has the highest rating. An item with
 * a failed rating or verdict is not valid.
 */
import { count, getOrInsert } from '../rows/maps.ts'
import type { JsonObject } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { runModel } from '../scoring/run_identity.ts'
import type { Format } from './_format.ts'
import { OneJudge } from './_one_judge.ts'
import { bestOf, ratedOf } from './_rewardbench.ts'

const isTies = (row: Row) => String(row.field('subset') ?? '').toLowerCase() === 'ties'

class Counts {
  private correct = 0
  private valid = 0
  private readonly of = { ties: 0, others: 0 }
  /** How often the answer at each place shown, from 0, was called the best of four. */
  private readonly places = new Map<number, number>([0, 1, 2, 3].map((place) => [place, 0]))

  add(row: Row): void {
    this.of[isTies(row) ? 'ties' : 'others']++
    const right = isRight(row)
    if (right === undefined) return
    this.valid++
    if (right) this.correct++
    const place = placeOf(row)
    if (place !== undefined) count(this.places, place)
  }

  accuracy(): JsonObject {
    const { ties, others } = this.of
    return {
      accuracy: this.valid === 0 ? 0 : this.correct / this.valid,
      correct_count: this.correct,
      valid_samples: this.valid,
      total_samples: ties + others,
      ties_samples: ties,
      non_ties_samples: others,
      ...(others > 0 && { choice_distribution: Object.fromEntries(this.places) }),
    }
  }

  sizes(): JsonObject {
    const { ties, others } = this.of
    return { non_ties_count: others, ties_count: ties, total_count: ties + others }
  }
}

/** Whether the verdict on a row is right; undefined if it has none. */
function isRight(row: Row): boolean | undefined {
  const ratings = ratedOf(row)
  if (ratings) {
    const known = ratings.filter((one) => one !== null)
    if (known.length < ratings.length) return undefined
    if (!isTies(row)) return bestOf(known) === 1
    return Math.max(...known.slice(0, Number(row.field('num_correct') ?? 1))) === Math.max(...known)
  }
  const winner = row.has('error') ? undefined : row.get('result')?.winner
  return winner === undefined ? undefined : winner === 0
}

/** The place at which the winner of the row's only trial was shown. */
function placeOf(row: Row): number | undefined {
  const winner = row.get('result')?.winner
  const [one, another] = row.get('trials') ?? []
  if (typeof winner !== 'number' || !one || another) return undefined
  const place = Array.isArray(one.trial.shown) ? one.trial.shown.indexOf(winner) : winner
  return place < 0 ? undefined : place
}

export const format: Format = {
  about: 'RM-Gallery: its result JSON of RewardBench 2, with overall_accuracy and subset_accuracy',
  fields: ['model', 'subset', 'num_correct'],
  async *write(rows) {
    const overall = new Counts()
    const subsets = new Map<string, Counts>()
    const one = new OneJudge('rm-gallery-rewardbench2')
    let model = ''
    for await (const batch of rows)
      for (const row of batch) {
        one.check(row, isTies(row) ? 'Ties' : '')
        model ||= runModel(row) ?? ''
        const subset = String(row.field('subset') ?? 'unknown')
        for (const counts of [overall, getOrInsert(subsets, subset, () => new Counts())]) counts.add(row)
      }
    const subset_accuracy = Object.fromEntries([...subsets].map(([name, of]) => [name, of.accuracy()]))
    const report = { model, overall_accuracy: overall.accuracy(), subset_accuracy, ...overall.sizes() }
    yield `${JSON.stringify(report, null, 2)}\n`
  },
}
