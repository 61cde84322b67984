/**
 * `jb-write rm-gallery`: the JSON of RM-Gallery's JudgeBench tutorial. Accuracy is a fraction.
 *
 * `--compat rm-gallery` counts as its code does: a game without a verdict has the decision "" and is valid, in no label's
 * favour; a pair without a label has the label ""; one without a source is in the source null; in two-game mode each pair is
 * valid, and accuracy is a percentage.
 */
import { getOrInsert } from '../rows/maps.ts'
import { configError, type JsonObject } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { runModel } from '../scoring/run_identity.ts'
import type { Format } from './_format.ts'
import { OneJudge } from './_one_judge.ts'

const flipped = (label: string) => (label === 'A>B' ? 'B>A' : label === 'B>A' ? 'A>B' : label)

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

  /** @throws Fatal (configuration) for a verdict without a label to compare it with */
  add(row: Row): void {
    const { counts } = this
    const result = row.get('result')
    const trials = row.get('trials') ?? []
    if (result && result.label === undefined)
      throw configError(`${row.place}: no label to compare with (--label FIELD)`)
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

  addAsOriginal(row: Row): void {
    const label = String(row.get('result')?.label ?? row.field('label') ?? '')
    const games = (row.get('trials') ?? []).map(({ verdict }) => verdict?.decision ?? '')
    const decisions = games.length > 0 ? games : ['']
    const { counts } = this
    counts.total_samples++
    counts.valid_samples++
    this.games = Math.max(this.games, decisions.length)
    const right = decisions.filter((one) => one === label).length
    const wrong = decisions.filter((one) => one !== label && one === flipped(label)).length
    counts[right > wrong ? 'correct_count' : right < wrong ? 'incorrect_count' : 'tie_count']++
    counts[right === decisions.length ? 'all_correct' : right === 0 ? 'all_incorrect' : 'some_correct']++
    if (decisions.some((one) => one !== decisions[0])) counts.n_inconsistent++
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
  fields: ['model'],
  async *write(rows, { compat }) {
    const original = compat === 'rm-gallery'
    const overall = new Counts()
    const sources = new Map<string, Counts>()
    const one = new OneJudge('rm-gallery')
    let model = ''
    let judge = ''
    for await (const batch of rows) {
      for (const row of batch) {
        one.check(row)
        judge ||= row.get('judge') ?? ''
        model ||= runModel(row) ?? ''
        const source = String(row.field('source') ?? (original ? null : 'unknown'))
        for (const counts of [overall, getOrInsert(sources, source, () => new Counts())])
          if (original) counts.addAsOriginal(row)
          else counts.add(row)
      }
    }
    const bySource = Object.fromEntries(
      [...sources].map(([source, counts]) => [source, counts.report(original)]),
    )
    yield `${JSON.stringify({ model, judge_type: judge, overall_accuracy: overall.report(original), source_accuracy: bySource }, null, 2)}\n`
  },
}
