/** A judge's agreement with human labels, computed from counts of (label, verdict) pairs. */
import { byKey, count, grouped } from '../rows/maps.ts'
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
import { wordOf } from './label_map.ts'
import { Shared } from './sums.ts'

/** Sums of labels and verdicts, empty. Pairs are JSON texts. */
export const agreementSums = () => ({
  classes: new Map<string, number>(),
  scores: new Map<string, number>(),
  /** The scores of the classes, which order them; null for a class with several scores. */
  worth: new Shared(),
})
type AgreementSums = ReturnType<typeof agreementSums>

export const addClasses = ({ classes }: AgreementSums, truth: string, judged: string): void =>
  count(classes, JSON.stringify([truth, judged]), 1)

export const addScores = ({ scores }: AgreementSums, truth: number, judged: number): void =>
  count(scores, JSON.stringify([truth, judged]), 1)

/**
 * Accuracy, macro F1, Cohen's kappa (plain; weighted if the classes have an order) and Krippendorff's
 * alpha over classes; Pearson, Spearman, Kendall's tau-b and alpha over scores. Empty without labels.
 */
export const agreementReport = (sums: AgreementSums): JsonObject => ({
  ...ofClasses(sums),
  ...ofScores(sums),
})

function ofClasses({ classes, worth }: AgreementSums): JsonObject {
  if (classes.size === 0) return {}
  const [given, judged, counts] = unfolded<string>(classes)
  const truth = given.map(spelledAs(new Set(judged)))
  const order = inOrder([...truth, ...judged], worth)
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

/** Gives a label the spelling that the judge has of its word: which options there are need not be known when it is read. */
export function spelledAs(options: ReadonlySet<string>): (label: string) => string {
  const alike = grouped(options, wordOf)
  return (label) => {
    const spellings = options.has(label) ? [] : (alike.get(wordOf(label)) ?? [])
    return spellings.length === 1 ? spellings[0]! : label
  }
}

function ofScores({ scores }: AgreementSums): JsonObject {
  if (scores.size === 0) return {}
  const [truth, judged, counts] = unfolded<number>(scores)
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

/**
 * How far grades are from people's, on the judge's scale: kappa with quadratic weights over the grades that occur, the
 * judge's mean less people's, the mean distance, and the share of at most 1. Empty without grades.
 */
export function gradeDistances({ scores }: AgreementSums): JsonObject {
  if (scores.size === 0) return {}
  const [truth, judged, counts] = unfolded<number>(scores)
  const all = counts.reduce((sum, times) => sum + times, 0)
  const mean = (of: (apart: number) => number) =>
    counts.reduce((sum, times, i) => sum + times * of(judged[i]! - truth[i]!), 0) / all
  return {
    kappa_quadratic: cohenKappa(truth, judged, 'quadratic', { counts }),
    bias: mean((apart) => apart),
    mae: mean(Math.abs),
    within_1: mean((apart) => Number(Math.abs(apart) <= 1)),
  }
}

/** The classes in the order of their scores; undefined if a class has no score, or that of another. */
function inOrder(labels: string[], worth: Shared): string[] | undefined {
  const names = sortedLabels(labels) as string[]
  const worths = names.map((name) => worth.get(name) ?? null)
  if (worths.includes(null) || new Set(worths).size < names.length) return undefined
  return names.sort((a, b) => Number(worth.get(a)) - Number(worth.get(b)))
}

function unfolded<T extends Label>(pairs: Map<string, number>): [truth: T[], judged: T[], counts: number[]] {
  // Sorted, so that sums do not depend on the order of the rows.
  const sorted = byKey(pairs)
  const keys = sorted.map(([key]) => JSON.parse(key) as [T, T])
  return [keys.map(([truth]) => truth), keys.map(([, judged]) => judged), sorted.map(([, n]) => n)]
}
