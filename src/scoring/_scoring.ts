/** How the trials of an item become a result, and results a report: one module for each kind of judge. */
import type { CriteriaSource } from '../criteria/_load.ts'
import { members } from '../files/members.ts'
import type { JsonObject, Kind, Result, TrialResult, Verdict } from '../rows/record.ts'
import type { Latin1, Row } from '../rows/row.ts'

/** JSON text that identifies what a row is about, if not only its item: of battles, also the models. */
export type Subject = (row: Row, item: Latin1) => Latin1

export interface ScoreSettings {
  /** `--combine`; undefined for the kind's default. */
  combine?: string
  /** `--label`: the field with the right verdict. */
  label?: string
  /** Whether the item's own label is read; absent for all. */
  isLabelled?(row: Row): boolean
  /** `--tie`: the value of a tie if the label names a winner; 0 by default. */
  tie?: number
  /** `--compat`: the original to imitate. */
  compat?: string
  /** `--criteria`: weights, targets and thresholds, in place of those in the rows. */
  criteria?: string[]
  criteriaSource?: CriteriaSource
  /** Whether an item is held until all its rows are read, although it is complete; the row's item is then hashed. */
  isHeld?(row: Row): boolean
  /** `--by`: the fields of a report's groups. */
  by?: string[]
  subject?: Subject
  /** An item may have several samples: the first reply to each trial makes the first one, the second replies the second. */
  sampled?: boolean
  /** The rows are a part of the input: other parts may have further trials of an item. */
  isPart?: boolean
  [more: string]: unknown
}

/** The options that decide a result, as it keeps them; undefined if none is given. */
export function scoredWith({ combine, label, tie, criteria, compat }: ScoreSettings): JsonObject | undefined {
  const given = Object.entries({ combine, label, tie, criteria, compat }).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  )
  return given.length === 0 ? undefined : (Object.fromEntries(given) as JsonObject)
}

/** The options that a result was scored with; criteria of files are in the row. */
export function settingsIn({ scored_with }: Result): ScoreSettings {
  const { criteria: _, ...options } = (scored_with ?? {}) as ScoreSettings
  return options
}

/** A kind's module exports `scoring`. */
export interface Scoring {
  /**
   * The result of one item's trials, none of which failed.
   * @throws RowFailure if they have no result
   */
  score(trials: TrialResult[], row: Row, settings: ScoreSettings): Result
  /** The fields of the user's part that `score` reads; absent if it reads anything else of the row. */
  reads?(settings: ScoreSettings): string[]
  tally(): Tally
}

/** Sums over results. `a.merge(b.state())` adds those of another shard. */
export interface Tally {
  add(result: Result, trials: TrialResult[]): void
  /** Adds several equal items at once, if the kind can do that faster. */
  addTimes?(result: Result, trials: TrialResult[], times: number): void
  state(): JsonObject
  merge(state: JsonObject): void
  /** The figures of this kind, in the order in which they are printed. */
  report(settings: { ci: number }): JsonObject
}

/** Without --by, a report has groups by the first of these fields that rows have. */
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

/** All kinds' modules, by name. */
export async function scoringModules(): Promise<ReadonlyMap<string, Scoring>> {
  return new Map(
    await Promise.all(members('scoring').map(async (kind) => [kind, await scoringOf(kind as Kind)] as const)),
  )
}
