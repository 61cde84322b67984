/** Who judged an item: what keeps runs apart, in the rows and in the words of reports. */

import { grouped } from '../rows/maps.ts'
import type { JsonObject } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { optionalText } from './_states.ts'

/** What identifies a run: members of `jb`, and the model that was asked. */
export interface RunIdentity {
  judge?: string | undefined
  /** Of the judge's version. */
  judge_digest?: string | undefined
  name?: string | undefined
  model?: string | undefined
  variant?: string | undefined
}

/** The model that replied, or failed to, in a row of jb-score; undefined where it failed before it had one. */
export function runModel(row: Row): string | undefined {
  const known = row.get('result')?.model ?? row.get('trials')?.find(({ model }) => model)?.model
  return known ?? (row.get('error')?.model as string | undefined)
}

/** The run of a row whose replies are a model's. */
export const identityOf = (row: Row, model = runModel(row)): RunIdentity => ({
  judge: row.get('judge'),
  judge_digest: row.get('judge_digest'),
  name: row.get('name'),
  model,
  variant: row.get('variant'),
})

/** Versions that a note lists. */
const LISTED = 10

/**
 * Those of the runs that nothing tells apart but the version of their judge.
 * @param note gets one note for each judge, which lists its versions and says of them `what`
 */
export function runsOfVersions<R extends { identity: RunIdentity }>(
  runs: Iterable<R>,
  note: Context['note'],
  what = 'reported apart',
): R[] {
  const byRun = grouped(runs, ({ identity }) => runKey({ ...identity, judge_digest: undefined }))
  const versionsOf = (some: readonly R[]) => [
    ...new Set(some.map(({ identity }) => identity.judge_digest ?? 'no jb.judge_digest')),
  ]
  const found = [...byRun.values()].filter((some) => versionsOf(some).length > 1).flat()
  for (const [judge, some] of grouped(found, ({ identity }) => identity.judge)) {
    const versions = versionsOf(some).sort()
    const more = versions.length > LISTED ? ` and ${versions.length - LISTED} more` : ''
    note(
      `judge ${judge}: rows of several versions of it, ${what} (${versions.slice(0, LISTED).join(', ')}${more})`,
      { kind: 'version of a judge' },
    )
  }
  return found
}

/** The run of what --partial wrote. @throws TypeError where it is damaged */
export const identityIn = (state: JsonObject): RunIdentity => ({
  judge: optionalText(state.judge),
  judge_digest: optionalText(state.judge_digest),
  name: optionalText(state.name),
  model: optionalText(state.model),
  variant: optionalText(state.variant),
})

/** A run's identity as a text. */
export const runKey = ({ judge, judge_digest, name, model, variant }: RunIdentity) =>
  JSON.stringify([judge, judge_digest, name, model, variant])

/** Whether two runs are of one judge; where `b` names no version, of any. */
export const isSameJudge = (a: RunIdentity, b: RunIdentity) =>
  a.judge === b.judge &&
  a.name === b.name &&
  a.variant === b.variant &&
  (b.judge_digest === undefined || a.judge_digest === b.judge_digest)

/** Whether two runs are one. */
export const isSameRun = (a: RunIdentity, b: RunIdentity) =>
  a.judge === b.judge &&
  a.name === b.name &&
  a.model === b.model &&
  a.judge_digest === b.judge_digest &&
  a.variant === b.variant

/** A run, and how many of its items are valid. */
interface CountedRun {
  identity: RunIdentity
  valid: number
}

const isModelless = ({ identity, valid }: CountedRun) => identity.model === undefined && valid === 0

/**
 * The runs to which the items of `modelless` belong, which failed before they had a model: those of its judge, or all where no
 * judge is named. Undefined for a run that has a model, or anything to measure.
 */
export function possibleRuns<R extends CountedRun>(modelless: R, runs: readonly R[]): R[] | undefined {
  const isPossible = (run: R) =>
    !isModelless(run) &&
    (modelless.identity.judge === undefined || isSameJudge(run.identity, modelless.identity))
  return isModelless(modelless) ? runs.filter(isPossible) : undefined
}

/** Whose run it is, in a message. */
export const nameOfRun = ({ identity: { judge, name, model, variant } }: { identity: RunIdentity }) =>
  [judge, name, model, variant].filter(Boolean).join(' ') || 'the run'

/** A heading of what is known of a run. */
export const runTitle = (...parts: (string | false | undefined)[]) => parts.filter(Boolean).join(' · ')

/** A run's heading, without the version of its judge. @param more what else tells it apart */
export const identityTitle = (
  { judge, name, model, variant }: RunIdentity,
  ...more: (string | false | undefined)[]
) => runTitle(judge, name, model, variant, ...more)
