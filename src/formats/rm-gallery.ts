/**
 * `jb-write rm-gallery`: the JSON of RM-Gallery's JudgeBench tutorial. Accuracy is a fraction; in two-game mode the original
 * gives a percentage, and so does `--compat rm-gallery`.
 */
import { getOrInsert } from '../rows/maps.ts'
import { configError, type JsonObject, type Result, type TrialResult } from '../rows/record.ts'
import type { Format } from './_format.ts'
import { OneJudge } from './_one_judge.ts'

class Counts {
  /** As in the report of two-game mode. */
  private readonly counts = {
    correct_count: 0,
    incorrect_count: 0,
    tie_count: 0,
    valid_samples: 0,
    total_samples: 0,
    all_correct: 0,
    all_incorrect: 0,
    some_correct: 0,
    n_inconsistent: 0,
    n_nulls: 0,
  }
  private games = 1

  add(result: Result | undefined, trials: TrialResult[]): void {
    const { counts } = this
    counts.total_samples++
    this.games = Math.max(this.games, trials.length)
    // The original counts a null decision, but not the empty one of a reply it could not parse.
    if (trials.some(({ verdict }) => (verdict?.decision ?? null) === null)) counts.n_nulls++
    if (!result) return
    counts.valid_samples++
    counts[result.correct ? 'correct_count' : result.decision === 'A=B' ? 'tie_count' : 'incorrect_count']++
    const right = trials.filter(({ verdict }) => verdict?.decision === result.label).length
    counts[right === trials.length ? 'all_correct' : right === 0 ? 'all_incorrect' : 'some_correct']++
    if (result.consistent === false) counts.n_inconsistent++
  }

  /** @param percent give the accuracy of two-game mode as a percentage */
  report(percent: boolean): JsonObject {
    const { correct_count, valid_samples, total_samples } = this.counts
    const whole = percent && this.games > 1 ? 100 : 1
    const accuracy = valid_samples === 0 ? 0 : (whole * correct_count) / valid_samples
    return { accuracy, ...(this.games === 1 ? { correct_count, valid_samples, total_samples } : this.counts) }
  }
}

export const format: Format = {
  about: 'RM-Gallery: its result JSON with overall_accuracy and source_accuracy',
  // A tie counts as incorrect, whatever --tie says.
  async *write(rows, { compat }) {
    const percent = compat === 'rm-gallery'
    const overall = new Counts()
    const sources = new Map<string, Counts>()
    const one = new OneJudge('rm-gallery')
    let model = ''
    let judge = ''
    for await (const batch of rows) {
      for (const row of batch) {
        one.check(row)
        const result = row.get('result')
        if (result && result.label === undefined)
          throw configError(`${row.place}: no label to compare with (--label FIELD)`)
        const trials = row.get('trials') ?? []
        judge ||= row.get('judge') ?? ''
        model ||= result?.model ?? ''
        const source = String(row.field('source') ?? 'unknown')
        const own = getOrInsert(sources, source, () => new Counts())
        for (const counts of [overall, own]) counts.add(result, trials)
      }
    }
    const bySource = Object.fromEntries(
      [...sources].map(([source, counts]) => [source, counts.report(percent)]),
    )
    yield `${JSON.stringify({ model, judge_type: judge, overall_accuracy: overall.report(percent), source_accuracy: bySource }, null, 2)}\n`
  },
}
