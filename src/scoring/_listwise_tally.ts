/** Sums over winners among n answers: ties, cycles, the effect of the order, agreement with labels. */

import { count } from '../rows/maps.ts'
import type { JsonObject, Result } from '../rows/record.ts'
import { LabelAgreement } from './_label_agreement.ts'
import { accuracyPart, biasPart, CriteriaTallies, countBias, zeros } from './_report_parts.ts'
import type { Tally } from './_scoring.ts'
import { countIn, countsIn } from './_states.ts'

const COUNTS = [
  'valid',
  'tie',
  'labelled',
  'correct',
  'unread_labels',
  'checked',
  'detected',
  'cyclic',
] as const

export class ListwiseTally implements Tally {
  private readonly counts = zeros(COUNTS)
  /** How often the answer at each index of the item's list won. */
  private readonly winners = new Map<string, number>()
  private readonly meta = new LabelAgreement()
  private readonly criteria = new CriteriaTallies(() => new ListwiseTally())

  get valid(): number {
    return this.counts.valid
  }

  add(result: Result): void {
    const { counts } = this
    counts.valid++
    const { winner, label } = result
    if (winner === 'tie') counts.tie++
    else if (winner !== undefined) count(this.winners, String(winner), 1)
    if (typeof result.correct === 'boolean') {
      counts.labelled++
      if (result.correct) counts.correct++
      this.meta.add({ classes: [String(label), String(winner)] })
    }
    if (result.label_error !== undefined) counts.unread_labels++
    countBias(counts, result)
    if (result.cycles) counts.cyclic++
    for (const item of (result.items ?? []) as unknown as (Result & { criterion: string })[])
      this.criteria.of(item.criterion).add(item)
  }

  state(): JsonObject {
    return {
      ...this.counts,
      winners: Object.fromEntries(this.winners),
      meta: this.meta.state(),
      criteria: this.criteria.state(),
    }
  }

  merge(state: JsonObject): void {
    for (const name of COUNTS) this.counts[name] += countIn(state[name])
    for (const [index, n] of countsIn(state.winners)) count(this.winners, index, n)
    this.meta.merge(state.meta as JsonObject)
    this.criteria.merge(state.criteria as JsonObject)
  }

  report(settings: { ci: number }): JsonObject {
    const { counts } = this
    const report = accuracyPart(counts, settings.ci)
    if (counts.labelled > 0) Object.assign(report, this.meta.report())
    const winners = [...this.winners].sort(([a], [b]) => Number(a) - Number(b))
    if (this.criteria.size === 0)
      Object.assign(report, { winners: Object.fromEntries(winners), tie: counts.tie })
    if (counts.cyclic > 0) report.cyclic = counts.cyclic
    return Object.assign(report, biasPart(counts), this.criteria.report(settings))
  }
}
