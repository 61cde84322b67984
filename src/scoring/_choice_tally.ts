/** Sums over choices: options, scores, agreement of samples, the effect of the order, agreement with labels. */

import { byKey, count } from '../rows/maps.ts'
import type { JsonObject, Result } from '../rows/record.ts'
import { Histogram } from '../statistics/describe.ts'
import { LabelAgreement } from './_label_agreement.ts'
import { accuracyPart, biasPart, CriteriaTallies, countBias, zeros } from './_report_parts.ts'
import type { Tally } from './_scoring.ts'
import { countIn, countsIn } from './_states.ts'

const COUNTS = [
  'valid',
  'sampled',
  'unanimous',
  'checked',
  'detected',
  'labelled',
  'correct',
  'unread_labels',
] as const

export class ChoiceTally implements Tally {
  private readonly counts = zeros(COUNTS)
  private readonly scored = new Histogram()
  /** The shares of samples that agree with the result. */
  private readonly agreement = new Histogram()
  private readonly options = new Map<string, number>()
  /** Items by the number of different options in their samples. */
  private readonly distinct = new Map<string, number>()
  private readonly meta = new LabelAgreement()
  private readonly criteria = new CriteriaTallies(() => new ChoiceTally())

  get valid(): number {
    return this.counts.valid
  }

  add(result: Result): void {
    const { counts } = this
    counts.valid++
    if (typeof result.score === 'number') this.scored.add(result.score)
    if (typeof result.option === 'string') count(this.options, result.option, 1)
    if (Array.isArray(result.samples)) this.addSamples(result)
    countBias(counts, result)
    this.addLabel(result)
    for (const item of (result.items ?? []) as unknown as (Result & { criterion?: string })[]) {
      if (item.criterion !== undefined) this.criteria.of(item.criterion).add(item)
      else if (item.option !== undefined) count(this.options, item.option, 1)
    }
  }

  private addSamples(result: Result): void {
    const { size } = new Set(result.samples as string[])
    this.counts.sampled++
    this.agreement.add(result.agreement as number)
    if (size === 1) this.counts.unanimous++
    count(this.distinct, String(size), 1)
  }

  private addLabel(result: Result): void {
    if (result.label_error !== undefined) this.counts.unread_labels++
    const { label, label_option: truth, label_score: human, option, score } = result
    if (typeof result.correct === 'boolean') {
      this.counts.labelled++
      if (result.correct) this.counts.correct++
    }
    const known = human ?? (typeof label === 'number' ? label : undefined)
    const worth = new Map<string, number>()
    if (typeof truth === 'string' && typeof human === 'number') worth.set(truth, human)
    const own = result.score_of_option ?? score
    if (typeof option === 'string' && typeof own === 'number') worth.set(option, own)
    this.meta.add(
      {
        ...(typeof truth === 'string' && typeof option === 'string' && { classes: [truth, option] }),
        ...(typeof known === 'number' && typeof score === 'number' && { scores: [known, score] }),
      },
      worth,
    )
  }

  state(): JsonObject {
    return {
      ...this.counts,
      scored: this.scored.state(),
      agreement: this.agreement.state(),
      options: Object.fromEntries(this.options),
      distinct: Object.fromEntries(this.distinct),
      meta: this.meta.state(),
      criteria: this.criteria.state(),
    }
  }

  merge(state: JsonObject): void {
    for (const name of COUNTS) this.counts[name] += countIn(state[name])
    this.scored.merge(state.scored as JsonObject)
    this.agreement.merge(state.agreement as JsonObject)
    for (const [name, n] of countsIn(state.options)) count(this.options, name, n)
    for (const [size, n] of countsIn(state.distinct)) count(this.distinct, size, n)
    this.meta.merge(state.meta as JsonObject)
    this.criteria.merge(state.criteria as JsonObject)
  }

  report(settings: { ci: number }): JsonObject {
    const { counts, scored } = this
    const { accuracy: _same, ...measures } = this.meta.report()
    const report: JsonObject = { ...accuracyPart(counts, settings.ci), ...measures }
    if (scored.n > 0) Object.assign(report, this.scores(settings.ci))
    if (scored.n < counts.valid) report.unscored = counts.valid - scored.n
    if (this.options.size > 0) report.options = Object.fromEntries(byKey(this.options))
    if (counts.sampled > 0)
      Object.assign(report, {
        agreement: this.agreement.mean,
        unanimous: counts.unanimous,
        distinct: Object.fromEntries(byKey(this.distinct)),
      })
    return Object.assign(report, biasPart(counts), this.criteria.report(settings))
  }

  /** Mean and deviation; also the interval of the mean if there is no accuracy. */
  private scores(level: number): JsonObject {
    const { scored } = this
    const { mean } = scored
    if (scored.n < 2) return { score: mean }
    return {
      score: mean,
      ...(this.counts.labelled === 0 && { ci: scored.interval(level) }),
      std: scored.deviation(),
    }
  }
}
