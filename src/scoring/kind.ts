/** What a kind of judge is to scoring: what counts of a trial, what an item comes to, and what a report adds up. */
import type { CriteriaSource } from '../criteria/_load.ts'
import type { Criterion, Json, JsonObject, Result, Trial, TrialResult } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Cluster } from './by_cluster.ts'
import { checkLabelMap } from './label_map.ts'
import type { Sums } from './sums.ts'
import type { Warning } from './warnings.ts'

/** Options by which trials become a result. */
export interface ScoreSettings {
  /** `--combine`; undefined for the kind's default. */
  combine?: string
  /** `--label`: the field with the right verdict. */
  label?: string
  /** `--label-map`: what labels in other words mean. */
  labelMap?: string
  /** Whether the item's own label is read; absent for all. */
  isLabelled?(row: Row): boolean
  /** `--tie`: the value of a tie if the label names a winner; 0 by default. */
  tie?: number
  /** `--compat`: the original to imitate. */
  compat?: string
  /** `--criteria`: weights, targets and thresholds, in place of those in the rows. */
  criteria?: string[]
  criteriaSource?: CriteriaSource
  /** `--pass`: from which grade on it is a pass. */
  pass?: number
  [more: string]: unknown
}

/** Says before the input comes what is wrong with the options, whichever mark its rows have. @throws Fatal (configuration) */
export async function checkSettings(options: ScoreSettings): Promise<void> {
  await scoreSettings({ ...options, compat: undefined }).catch(async (error) => {
    // EvalAssist takes some criteria that are refused here.
    await scoreSettings({ ...options, compat: 'evalassist' }).catch(() => {
      throw error
    })
  })
}

/** The options, with the criteria that --criteria names. @throws Fatal (configuration) */
export async function scoreSettings<O extends ScoreSettings>(options: O): Promise<O> {
  const { criteria = [], compat } = options
  checkLabelMap(options)
  if (criteria.length === 0) return options
  const { loadCriteria } = await import('../criteria/_load.ts')
  return { ...options, criteriaSource: await loadCriteria(criteria, (found) => found, { compat }) }
}

/** The options that decide a result, as it keeps them; undefined if none is given. */
export function scoredWith(settings: ScoreSettings): JsonObject | undefined {
  const { combine, label, labelMap: label_map, tie, criteria, compat, pass } = settings
  const given = Object.entries({ combine, label, label_map, tie, criteria, compat, pass }).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  )
  return given.length === 0 ? undefined : (Object.fromEntries(given) as JsonObject)
}

/** A trial that counts, none that failed. */
export type Scored = Pick<TrialResult, 'verdict'> & { trial: Partial<Trial> }

/** What an item's own fields say of it. */
export interface About {
  /** Its label; undefined without one. */
  label?: Json | undefined
  /** Why it has no label, where --label names a field. */
  lack?: string | undefined
  /** The criteria that its trials asked about. */
  asked: readonly Criterion[]
  /** Those of `--criteria`, which take their place. */
  criteria?: readonly Criterion[] | undefined
}

/** What is known of an item that a report adds up, besides its result. */
export interface Added {
  trials: readonly Scored[]
  /** Whose answers it compares, where its row names them. */
  models?: readonly [string, string] | undefined
  cluster?: Cluster
  criteria?: readonly Criterion[] | undefined
}

export interface JudgeKind<S extends Sums = Sums> {
  /** Members of a verdict on which a result or a figure depends. */
  readonly reads: readonly string[]
  /** Fields in which an item's label is looked for, unless `--label` names one. */
  readonly labels: readonly string[]
  /** What a label means, as text: rows of an item whose labels mean the same agree. */
  meaning(label: Json): string
  /**
   * What an item comes to.
   * @param trials in their order, at least one
   * @throws RowFailure if they have no result
   */
  score(trials: readonly Scored[], about: About, settings: ScoreSettings): Result
  /** What a report adds up over such items, empty. */
  sums(): S
  /** Adds an item. */
  add(sums: S, result: Result, item: Added): void
  /** What has to be known before they are believed. */
  warnings?(sums: S): Warning[]
  /** The figures of this kind, in the order in which they are printed. */
  report(sums: S, settings: { ci: number }): JsonObject
}

/** A label as text: 1, 1.0 and "1" mean the same, and so do objects with their keys in another order. */
export const plainMeaning = (label: Json): string =>
  typeof label === 'object' ? canonical(label) : String(label).trim()

/** JSON text with the keys of objects sorted. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).filter(([, one]) => one !== undefined)
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(',')}}`
}
