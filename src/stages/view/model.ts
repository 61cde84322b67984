/** What the page is given by the filter: types that both sides share, and nothing else. */
import type { JsonObject } from '../../rows/record.ts'

export type Interval = [low: number, high: number] | null

/** A number of a run with its interval, in the unit of `what`. */
export interface RunFigure {
  /** accuracy: share of labelled items; preferred: share of decisive items where A is better; score: mean. */
  what: 'accuracy' | 'preferred' | 'score'
  value: number
  ci: Interval
  /** Items it is of. */
  n: number
}

/** A share of `n` with its interval. */
export interface ShareFigure {
  value: number
  ci: Interval
  n: number
}

/** Counts of a label (row) and what the judge said (column). */
export interface Confusion {
  /** They are scores: whole numbers. */
  scores?: true
  labels: string[]
  judged: string[]
  counts: number[][]
}

/** A point of a curve: `x` the middle of the bin, a share with its interval. */
export interface Bin extends ShareFigure {
  x: number
}

export interface RunOverview {
  name: string
  judge?: string
  model?: string
  file?: string
  /** What made it: version, digest, parameters of the request, orders, samples, the model that served. */
  made: JsonObject
  /** Rows of this run by how far they are: trial, reply, verdict, result. */
  stages: Record<string, number>
  /** As jb-aggregate reports it. */
  report: JsonObject
  estimate?: RunFigure
  /** By field, by value. */
  groups: Record<string, Record<string, RunFigure>>
  /** Share of decisive games in which the first slot was chosen. */
  slot?: ShareFigure
  /** Share of items whose games agree. */
  consistency?: ShareFigure
  /** Milliseconds of a call. */
  ms?: { median: number; p95: number }
  confusion?: Confusion
  /** Pairs of a person's score and the judge's, with how often. */
  scatter?: [label: number, score: number, n: number][]
  calibration?: Bin[]
  /** Share of items where A is preferred, by how much longer A is (characters). */
  length?: Bin[]
}

/** Run `a` less run `b` on the items that both have. */
export interface Difference {
  a: number
  b: number
  value: number
  ci: Interval
  n: number
}

export interface Overview {
  title: string
  version: string
  /** Of the data: what is kept in the browser is kept under it. */
  digest: string
  ci: number
  items: number
  rows: number
  runs: RunOverview[]
  /** Fields the overview is broken down by. */
  by: string[]
  differences: Difference[]
  roles: Roles
  /** Verdicts and labels in the order in which they are shown. */
  words: string[]
}

/** Which of the user's fields are what. */
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

/** What one run says of each item, by item; null where it says nothing. */
export interface RunColumns {
  /** A decision, option or winner. */
  verdict: Words
  score: (number | null)[]
  /** 1 right, 0 wrong. */
  correct: (0 | 1 | null)[]
  consistent: (0 | 1 | null)[]
  /** Code of what failed. */
  error: Words
  /** Further numbers: confidence, tokens, cost, ms. */
  numbers: Record<string, (number | null)[]>
}

/** One entry an item, in the order of the rows. */
export interface Index {
  ids: string[]
  /** The beginning of the question. */
  titles: string[]
  label: Words
  /** Fields with few values. */
  groups: Record<string, Words>
  /** Fields with a number, and `length`: characters of answer A less those of B. */
  numbers: Record<string, (number | null)[]>
  runs: RunColumns[]
  /** Of each row: its item and its run (-1: none). */
  rowItem: number[]
  rowRun: number[]
  /** First row of each chunk. */
  chunks: number[]
}
