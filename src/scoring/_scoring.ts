/** How the trials of an item become a result, and results a report: one module a kind of judge. */
import type { CriteriaSource } from '../criteria/_load.ts'
import type { JsonObject, Kind, Result, TrialResult, Verdict } from '../rows/record.ts'
import type { Latin1, Row } from '../rows/row.ts'

/** JSON text by which rows of one item are told apart that are about different things: of battles, the models that met. */
export type Subject = (row: Row, item: Latin1) => Latin1

export interface ScoreSettings {
  /** `--combine`; undefined is the kind's own default. */
  combine?: string
  /** `--label`: the field that says what is right. */
  label?: string
  /** `--tie`: what a tie is worth where the label names a winner; 0 where nothing is said. */
  tie?: number
  /** `--compat`: the original whose sums are wanted. */
  compat?: string
  /** `--criteria`: weights, targets and thresholds, in place of those the trials carry. */
  criteria?: string[]
  criteriaSource?: CriteriaSource
  /** Items that wait for further trials after they are complete: all of theirs are wanted. */
  isHeld?(row: Row, model: string | undefined): boolean
  /** `--by`: the fields by which a report has groups. */
  by?: string[]
  /** What else tells items apart. */
  subject?: Subject
  /** The rows are a part of the input: further trials of an item may stand in another. */
  isPart?: boolean
  [more: string]: unknown
}

/** A kind's module exports `scoring`. */
export interface Scoring {
  /**
   * The result of one item's trials, none of which failed.
   * @throws RowFailure where they add up to nothing
   */
  score(trials: TrialResult[], row: Row, settings: ScoreSettings): Result
  /** Names of all that `score` looks at in the row; left out where it looks at more than fields of the user's part. */
  reads?(settings: ScoreSettings): string[]
  tally(): Tally
}

/** Running sums over results. States of shards add up: `a.merge(b.state())` is the tally of both. */
export interface Tally {
  add(result: Result, trials: TrialResult[]): void
  /** The same for so many items at once, where it has a faster way. */
  addTimes?(result: Result, trials: TrialResult[], times: number): void
  /** JSON, complete. */
  state(): JsonObject
  merge(state: JsonObject): void
  /** What the report says of this kind, in the order in which it is printed. */
  report(settings: { ci: number }): JsonObject
}

/** Fields by which a report is broken down where no --by says otherwise: the first that is there. */
export const BY_DEFAULT = ['source', 'category', 'subset', 'task']

/** The kind of judge a verdict comes from. */
export function kindOf(verdict: Verdict): Kind {
  if ('decision' in verdict) return 'pairwise'
  if ('winner' in verdict || 'ranking' in verdict) return 'listwise'
  if ('option' in verdict) return 'choice'
  return 'items' in verdict ? 'list' : 'grade'
}

/** The kind of a result, or of what failed. */
export const kindIn = (result: Result | undefined, [first]: readonly TrialResult[]): Kind =>
  (result?.kind ?? (first?.verdict && kindOf(first.verdict)) ?? 'grade') as Kind

/** A kind's module. */
export async function scoringOf(kind: Kind): Promise<Scoring> {
  const { scoring } = (await import(`./${kind}.ts`)) as { scoring: Scoring }
  return scoring
}
