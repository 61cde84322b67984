/**
 * `--as rm-gallery`: the JSON of RM-Gallery's JudgeBench tutorial. Accuracy is a fraction; in two-game mode the original
 * gives a percentage, and so does `--compat rm-gallery`.
 */
import { getOrInsert } from '../rows/maps.ts'
import { configError, type JsonObject, type Result, type TrialResult } from '../rows/record.ts'
import { type Format, share } from './_format.ts'
import { OneJudge } from './_one_judge.ts'

class Counts {
  correct = 0
  incorrect = 0
  tie = 0
  valid = 0
  total = 0
  all = 0
  none = 0
  some = 0
  inconsistent = 0
  nulls = 0
  games = 1

  add(result: Result | undefined, trials: TrialResult[]): void {
    this.total++
    this.games = Math.max(this.games, trials.length)
    // The original counts a null decision, but not the empty one of a reply it could not parse.
    if (trials.some(({ verdict }) => (verdict?.decision ?? null) === null)) this.nulls++
    if (!result) return
    this.valid++
    if (result.correct) this.correct++
    else if (result.decision === 'A=B') this.tie++
    else this.incorrect++
    const right = trials.filter(({ verdict }) => verdict?.decision === result.label).length
    if (right === trials.length) this.all++
    else if (right === 0) this.none++
    else this.some++
    if (result.consistent === false) this.inconsistent++
  }

  /** @param percent give the accuracy of two-game mode as a percentage */
  report(percent: boolean): JsonObject {
    const whole = percent && this.games > 1 ? 100 : 1
    const accuracy = this.valid === 0 ? 0 : (whole * this.correct) / this.valid
    if (this.games === 1)
      return { accuracy, correct_count: this.correct, valid_samples: this.valid, total_samples: this.total }
    return {
      accuracy,
      correct_count: this.correct,
      incorrect_count: this.incorrect,
      tie_count: this.tie,
      valid_samples: this.valid,
      total_samples: this.total,
      all_correct: this.all,
      all_incorrect: this.none,
      some_correct: this.some,
      n_inconsistent: this.inconsistent,
      n_nulls: this.nulls,
    }
  }
}

export const format: Format = {
  about: 'RM-Gallery: its result JSON with overall_accuracy and source_accuracy',
  // A tie counts as incorrect, whatever --tie says.
  overall: ({ correct, valid }) => ['accuracy', share(correct, valid)],
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
