/** A judge's agreement with human labels, computed from counts of (label, verdict) pairs. */

import { byKey, count } from '../rows/maps.ts'
import type { JsonObject } from '../rows/record.ts'
import {
  accuracy,
  cohenKappa,
  krippendorffAlpha,
  type Label,
  macroF1,
  sortedLabels,
} from '../statistics/agreement.ts'
import { kendall, pearson, spearman } from '../statistics/correlation.ts'
import { countsIn, numberIn } from './_states.ts'

/** An item's label and verdict: as classes, as scores, or both. */
interface Compared {
  classes?: [truth: string, judged: string]
  scores?: [truth: number, judged: number]
}

export class LabelAgreement {
  private readonly classes = new Map<string, number>()
  private readonly scores = new Map<string, number>()
  /** The scores of the classes, which order them; null for a class with several scores. */
  private readonly worth = new Map<string, number | null>()

  add({ classes, scores }: Compared, worth: ReadonlyMap<string, number> = new Map()): void {
    if (classes) {
      count(this.classes, JSON.stringify(classes), 1)
      for (const [name, score] of worth) this.rank(name, score)
    }
    if (scores) count(this.scores, JSON.stringify(scores), 1)
  }

  state(): JsonObject {
    return {
      classes: Object.fromEntries(this.classes),
      scores: Object.fromEntries(this.scores),
      worth: Object.fromEntries(this.worth),
    }
  }

  merge(state: JsonObject): void {
    for (const [key, n] of countsIn(state.classes)) count(this.classes, key, n)
    for (const [key, n] of countsIn(state.scores)) count(this.scores, key, n)
    for (const [name, score] of Object.entries(state.worth as Record<string, number | null>))
      this.rank(name, score === null ? null : numberIn(score))
  }

  private rank(name: string, score: number | null): void {
    const known = this.worth.get(name)
    this.worth.set(name, known === undefined || known === score ? score : null)
  }

  /**
   * Accuracy, macro F1, Cohen's kappa (plain; weighted if the classes have an order) and Krippendorff's
   * alpha over classes; Pearson, Spearman, Kendall's tau-b and alpha over scores. Empty without labels.
   */
  report(): JsonObject {
    return { ...this.ofClasses(), ...this.ofScores() }
  }

  private ofClasses(): JsonObject {
    if (this.classes.size === 0) return {}
    const [truth, judged, counts] = unfolded<string>(this.classes)
    const order = this.order([...truth, ...judged])
    const units = truth.map((label, i) => [label, judged[i]!])
    const report: JsonObject = {
      accuracy: accuracy(truth, judged, counts),
      macro_f1: macroF1(truth, judged, counts),
      kappa: cohenKappa(truth, judged, 'none', { counts }),
      alpha: krippendorffAlpha(units, 'nominal', { counts }),
    }
    if (order)
      Object.assign(report, {
        kappa_linear: cohenKappa(truth, judged, 'linear', { order, counts }),
        kappa_quadratic: cohenKappa(truth, judged, 'quadratic', { order, counts }),
        alpha_ordinal: krippendorffAlpha(units, 'ordinal', { order, counts }),
      })
    return report
  }

  private ofScores(): JsonObject {
    if (this.scores.size === 0) return {}
    const [truth, judged, counts] = unfolded<number>(this.scores)
    return {
      pearson: pearson(truth, judged, counts),
      spearman: spearman(truth, judged, counts),
      kendall: kendall(truth, judged, counts),
      alpha_interval: krippendorffAlpha(
        truth.map((label, i) => [label, judged[i]!]),
        'interval',
        { counts },
      ),
    }
  }

  /** The classes in the order of their scores; undefined if a class has no score, or that of another. */
  private order(labels: string[]): string[] | undefined {
    const names = sortedLabels(labels) as string[]
    const worths = names.map((name) => this.worth.get(name) ?? null)
    if (worths.includes(null) || new Set(worths).size < names.length) return undefined
    return names.sort((a, b) => this.worth.get(a)! - this.worth.get(b)!)
  }
}

function unfolded<T extends Label>(pairs: Map<string, number>): [truth: T[], judged: T[], counts: number[]] {
  // Sorted, so that sums do not depend on the order of the rows.
  const sorted = byKey(pairs)
  const keys = sorted.map(([key]) => JSON.parse(key) as [T, T])
  return [keys.map(([truth]) => truth), keys.map(([, judged]) => judged), sorted.map(([, n]) => n)]
}
