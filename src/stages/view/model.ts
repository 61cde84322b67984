/** Types of the data that the filter writes and the page reads. */
import type { JsonObject } from '../../rows/record.ts'
import type { Warning } from '../../scoring/warnings.ts'

export type Interval = [low: number, high: number] | null

/** A number of a run with its interval, in the unit of `what`. */
export interface RunFigure {
  /** accuracy: share of labelled items; preferred: share of the first answer; score: mean. */
  what: 'accuracy' | 'preferred' | 'score'
  value: number
  ci: Interval
  /** Number of items. */
  n: number
  /** Of a mean score the ends of its scale, if they are known. */
  range?: [low: number, high: number]
  /** Of a share the names of the first answer, whose it is, and of the second. */
  answers?: [first: string, second: string]
}

/** Whether figures can stand on one axis, and be subtracted: shares, or scores of scales that are not known to differ. */
export function areOfOneScale(figures: readonly (RunFigure | undefined)[]): boolean {
  const known = figures.filter((one) => one !== undefined)
  const ranges = new Set(known.flatMap(({ range }) => (range ? [range.join()] : [])))
  return new Set(known.map(({ what }) => what === 'score')).size < 2 && ranges.size < 2
}

/** A group of a run's items: how many, how many failed, and their figure if one is valid. */
export interface GroupFigure {
  items: number
  failed: number
  estimate?: RunFigure
}

/** A share of `n` with its interval. */
export interface ShareFigure {
  value: number
  ci: Interval
  n: number
}

/** Counts by label (row) and the judge's verdict (column). */
export interface Confusion {
  /** Labels and verdicts are integer scores. */
  scores?: true
  labels: string[]
  judged: string[]
  counts: number[][]
}

/** A point of a curve: the middle `x` of a bin, and a share with its interval. */
export interface Bin extends ShareFigure {
  x: number
}

/** How the interval of a run's mean narrowed over items in random order. */
export interface Narrowing {
  what: RunFigure['what']
  /** All units. */
  of: number
  /** After so many units: the interval, true however often it is looked at, and the mean. */
  points: [units: number, low: number, high: number, mean: number][]
  /** --gate, after how many units it was decided, and what. */
  gate?: number
  at?: number
  sentence?: string
}

/** Scores of people and of the judge. */
export interface Scatter {
  /** A person's score, the judge's score, and the number of such items. */
  points: [label: number, score: number, n: number][]
  /** Whether equal numbers mean the same. */
  oneScale: boolean
}

export interface RunOverview {
  name: string
  judge?: string
  model?: string
  file?: string
  /** How it was made, as the report says: digest, parameters of the requests, orders, samples, served models. */
  made: JsonObject
  /** Number of rows by the last stage they went through: trial, reply, verdict, result. */
  stages: Record<string, number>
  /** As jb-aggregate reports it. */
  report: JsonObject
  /** Its figures that are sums over the items, by their words. */
  totals: Record<string, number>
  estimate?: RunFigure
  /** Which of two models, or of A and B, is better, as jb-aggregate says it. */
  sentence?: string
  /** By field, by value. */
  groups: Record<string, Record<string, GroupFigure>>
  /** Share of decisive games in which the first slot was chosen. */
  slot?: ShareFigure
  /** Share of items whose games agree. */
  consistency?: ShareFigure
  /** Milliseconds of a call. */
  ms?: { median: number; p95: number }
  confusion?: Confusion
  scatter?: Scatter
  calibration?: Bin[]
  /** Share of items where A is preferred, by how much longer A is (characters). */
  length?: Bin[]
  narrowing?: Narrowing
  warnings: Warning[]
}

/** Run `a` minus run `b`, on the items that both have. */
export interface Difference {
  a: number
  b: number
  /** Of the figure that both runs have, in points or in the scale of scores. */
  value?: number
  ci?: Interval
  n?: number
  /** The items with the same verdict, of those on which both have one. */
  same?: { n: number; of: number }
}

export interface Overview {
  title: string
  version: string
  /** Digest of the data: the key of the labels in the browser's storage. */
  digest: string
  ci: number
  items: number
  /** Copies of items with a change, which no figure counts. */
  copies?: number
  rows: number
  runs: RunOverview[]
  /** Fields the overview is broken down by. */
  by: string[]
  differences: Difference[]
  roles: Roles
  /** Images in the page by their paths: the numbers of their elements. */
  media: Record<string, number>
  /** Verdicts and labels in the order in which they are shown. */
  words: string[]
}

/** The roles of the user's fields. */
export interface Roles {
  question?: string
  answers: string[]
  label?: string
  /** Further fields the judge is shown. */
  shown: string[]
}

/** A column of words: indexes into `words`, -1 where an item has no word. */
export interface Words {
  words: string[]
  at: number[]
}

export const wordAt = ({ words, at }: Words, item: number): string | undefined => words[at[item] ?? -1]

/** One run's results, one entry per item; null for an item without one. */
export interface RunColumns {
  /** A decision, option or winner. */
  verdict: Words
  score: (number | null)[]
  /** 1 right, 0 wrong. */
  correct: (0 | 1 | null)[]
  /** Without labels: its options are worth 1 or 0. */
  passes?: true
  consistent: (0 | 1 | null)[]
  /** Error codes. */
  error: Words
  /** Why an item failed, where none of its trials did. */
  why: Words
  /** Further numbers: confidence, tokens, cost, ms. */
  numbers: Record<string, (number | null)[]>
}

/** Columns with one entry per item, in the order of the rows. */
export interface Index {
  ids: string[]
  /** The beginning of the question. */
  titles: string[]
  label: Words
  /** Fields with few values. */
  groups: Record<string, Words>
  /** Numeric fields, and `length_difference`: characters of answer A minus those of B. */
  numbers: Record<string, (number | null)[]>
  runs: RunColumns[]
  /** Of each row: its item and its run (-1: none). */
  rowItem: number[]
  rowRun: number[]
  /** First row of each chunk. */
  chunks: number[]
}
