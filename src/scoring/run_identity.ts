/** The identity of a run: judge, version, name, model and variant. */

import { someNames } from '../options/nearest.ts'
import { grouped } from '../rows/maps.ts'
import type { JsonObject } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { optionalText } from './states.ts'

/** `part`: the part of the input that a command keeps apart, such as a file. */
export type RunIdentity = { [key in (typeof KEYS)[number] | 'part']?: string | undefined }

/** Members of `jb`, and the model; `judge_digest` is the judge's version. */
const KEYS = ['judge', 'judge_digest', 'name', 'model', 'variant'] as const

/** The model of a row of jb-score; undefined if the item failed before it had one. */
export function runModel(row: Row): string | undefined {
  const known =
    row.get('cascade')?.name ??
    row.get('result')?.model ??
    // Before those of the trials: of a jury they are its members'.
    (row.get('error')?.model as string | undefined)
  return known ?? row.get('trials')?.find(({ model }) => model)?.model
}

export const identityOf = (row: Row, model = runModel(row)): RunIdentity => ({
  judge: row.get('judge'),
  judge_digest: row.get('judge_digest'),
  name: row.get('name'),
  model,
  variant: row.get('variant'),
})

/**
 * The runs that differ from others only in the version of their judge.
 * @param note is called for each such judge, with its versions and `what` is done with them
 */
export function runsOfVersions<R extends { identity: RunIdentity }>(
  runs: Iterable<R>,
  note: Context['note'],
  what = 'reported separately',
): R[] {
  const byRun = grouped(runs, ({ identity }) => runKey({ ...identity, judge_digest: undefined }))
  const versionsOf = (some: readonly R[]) => [
    ...new Set(some.map(({ identity }) => identity.judge_digest ?? 'no jb.judge_digest')),
  ]
  const found = [...byRun.values()].filter((some) => versionsOf(some).length > 1).flat()
  for (const [judge, some] of grouped(found, ({ identity }) => identity.judge)) {
    const versions = someNames(versionsOf(some).sort())
    note(`judge ${judge}: rows of several versions of it, ${what} (${versions})`, {
      kind: 'version of a judge',
    })
  }
  return found
}

/** The run of a state that --partial wrote. @throws TypeError if it is damaged */
export const identityIn = (state: JsonObject): RunIdentity =>
  Object.fromEntries(KEYS.map((key) => [key, optionalText(state[key])]))

/** A run's identity as text. */
export const runKey = (identity: RunIdentity) => JSON.stringify(KEYS.map((key) => identity[key]))

/** Whether two runs have the same judge; its version is compared if `b` has one. */
const isSameJudge = (a: RunIdentity, b: RunIdentity) =>
  a.judge === b.judge &&
  a.name === b.name &&
  a.variant === b.variant &&
  (b.judge_digest === undefined || a.judge_digest === b.judge_digest)

/** Whether a run with a model may be that of a failure without one: one of its judge, or any if it names no judge. */
export const isHomeOf = (home: RunIdentity, lost: RunIdentity): boolean =>
  home.part === lost.part && (lost.judge === undefined || isSameJudge(home, lost))

/** The run's name in messages. */
export const nameOfRun = ({ identity: { judge, name, model, variant } }: { identity: RunIdentity }) =>
  [judge, name, model, variant].filter(Boolean).join(' ') || 'the run'

/** A heading of a run's known parts. */
export const runTitle = (...parts: (string | false | undefined)[]) => parts.filter(Boolean).join(' · ')

/** A run's heading, without the version of its judge. @param more further parts */
export const identityTitle = (
  { judge, name, model, variant }: RunIdentity,
  ...more: (string | false | undefined)[]
) => runTitle(judge, name, model, variant, ...more)
