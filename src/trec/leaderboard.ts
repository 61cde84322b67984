/** Leaderboards: a value for each run, topic and measure, and a row `all` for each run and measure. */

import { readFloat } from '../python/numbers.ts'
import { byCodePoint } from '../python/unicode.ts'
import { grouped } from '../rows/maps.ts'
import { exactMean } from '../statistics/mean.ts'
import type { MeasureType } from './measure_types.ts'

/** The topic of the rows that sum up a run. */
export const ALL = 'all'

export interface BoardEntry {
  run: string
  topic: string
  measure: string
  /** A number, or a text as it stands in the file. */
  value: number | string
  /** Its type by the file beside the leaderboard: a whole number is printed as such, a text is never read as a number. */
  dtype?: MeasureType
  /** `file:line` it was read from. */
  place?: string
}

/** What becomes of a (run, topic) that has no value. */
export const MISSING = ['warn', 'skip', 'default', 'fix_aggregate', 'error'] as const
export type OnMissing = (typeof MISSING)[number]

/** A run and a topic that ought to have a value. `why` says what is known about its absence. */
export interface Gap {
  run: string
  topic: string
  why: string
}

/** Texts become numbers in every measure whose values all are numbers; `True` in one makes it a measure of words. */
export function withNumbers(entries: readonly BoardEntry[]): BoardEntry[] {
  const words = new Set<string>()
  for (const { measure, value, dtype } of entries)
    if (dtype === 'str' || (typeof value === 'string' && readFloat(value) === undefined)) words.add(measure)
  return entries.map((entry) =>
    words.has(entry.measure) || typeof entry.value === 'number'
      ? entry
      : { ...entry, value: readFloat(entry.value)! },
  )
}

/** Distinct values of a key, in order of first appearance. */
export function distinct<K extends 'run' | 'topic' | 'measure'>(
  entries: readonly BoardEntry[],
  key: K,
): string[] {
  return [...new Set(entries.map((entry) => entry[key]))]
}

const pair = (run: string, topic: string) => JSON.stringify([run, topic])

/** Pairs of the runs seen and the topics expected that have no row, by run, then topic. */
export function gapsOf(
  entries: readonly BoardEntry[],
  topics: readonly string[],
  known: readonly Gap[] = [],
): Gap[] {
  const seen = new Set(entries.map(({ run, topic }) => pair(run, topic)))
  for (const { run, topic } of known) seen.add(pair(run, topic))
  const runs = new Set([...distinct(entries, 'run'), ...known.map(({ run }) => run)])
  const gaps: Gap[] = []
  for (const run of [...runs].sort(byCodePoint))
    for (const topic of [...topics].sort(byCodePoint))
      if (!seen.has(pair(run, topic))) gaps.push({ run, topic, why: 'no response' })
  return gaps
}

/**
 * The rows and, after them, `all` rows: one a run and measure, runs in order of first appearance, the mean
 * over the run's topics as Python's `statistics.mean` gives it. With `default`, gaps become rows of
 * `value`; with `fix_aggregate` they count in the mean alone; else they are left out of both.
 */
export function withAll(
  entries: readonly BoardEntry[],
  measures: readonly string[],
  gaps: readonly Gap[],
  missing: OnMissing,
  value: number,
): BoardEntry[] {
  const rows = entries.filter(({ topic }) => topic !== ALL)
  const filled = gaps.flatMap(({ run, topic }) =>
    measures.map((measure): BoardEntry => ({ run, topic, measure, value })),
  )
  const written = missing === 'default' ? [...rows, ...filled] : rows
  const counted = missing === 'fix_aggregate' ? [...rows, ...filled] : written
  return [...written, ...meansOf(counted, measures)]
}

/** The `all` rows of some rows. A measure of words has the first topic's. */
function meansOf(entries: readonly BoardEntry[], measures: readonly string[]): BoardEntry[] {
  return [...grouped(entries, ({ run }) => run)].flatMap(([run, rows]) => {
    const values = grouped(rows, ({ measure }) => measure)
    return measures.flatMap((measure): BoardEntry[] => {
      const list = values.get(measure)?.map(({ value }) => value)
      if (!list) return []
      const numbers = list.every((one) => typeof one === 'number')
      return [{ run, topic: ALL, measure, value: numbers ? exactMean(list as number[]) : list[0]! }]
    })
  })
}

/** Rows `all` of the file are trusted; runs and measures without get theirs from the topics. */
export function withMissingAll(entries: readonly BoardEntry[], again: boolean): BoardEntry[] {
  const rows = again ? entries.filter(({ topic }) => topic !== ALL) : entries
  const there = new Set(
    rows.filter(({ topic }) => topic === ALL).map(({ run, measure }) => JSON.stringify([run, measure])),
  )
  const means = meansOf(
    rows.filter(({ topic }) => topic !== ALL),
    distinct(rows, 'measure'),
  )
  return [...rows, ...means.filter(({ run, measure }) => !there.has(JSON.stringify([run, measure])))]
}

export interface Problem {
  kind: string
  message: string
  place?: string
}

/** What is wrong with a leaderboard: duplicates, a second `all` row, measures a row lacks, topics beyond or short of those expected. */
export function verify(entries: readonly BoardEntry[], topics?: readonly string[]): Problem[] {
  const problems: Problem[] = []
  const seen = new Map<string, BoardEntry>()
  for (const entry of entries) {
    const key = JSON.stringify([entry.run, entry.topic, entry.measure])
    const first = seen.get(key)
    if (first)
      problems.push({
        kind: entry.topic === ALL ? 'second all row' : 'duplicate row',
        message: `${entry.topic === ALL ? 'a second "all" row' : 'a second value'} for run ${entry.run}, ${entry.topic === ALL ? '' : `topic ${entry.topic}, `}measure ${entry.measure}${first.place ? ` (the first: ${first.place})` : ''}`,
        place: entry.place,
      })
    else seen.set(key, entry)
  }
  for (const key of ['run', 'topic', 'measure'] as const) {
    const split = distinct(entries, key).filter((name) => name === '' || /\s/.test(name))
    if (split.length > 0)
      problems.push({
        kind: 'white space',
        message: `white space in a ${key}, which readers take for the end of a column: ${someNames(split.map((name) => JSON.stringify(name)))}`,
      })
  }
  problems.push(...incomplete(entries))
  if (topics) problems.push(...unexpected(entries, topics))
  return problems
}

/** Rows that lack a measure others have; runs that lack topics others have. */
function incomplete(entries: readonly BoardEntry[]): Problem[] {
  const measures = distinct(entries, 'measure')
  return [...grouped(entries, ({ run, topic }) => pair(run, topic)).values()].flatMap((row): Problem[] => {
    const has = new Set(row.map(({ measure }) => measure))
    const lacks = measures.filter((measure) => !has.has(measure))
    const { run, topic, place } = row[0]!
    const message = `run ${run}, topic ${topic} lacks ${someNames(lacks)}`
    return lacks.length > 0 ? [{ kind: 'missing measure', message, place }] : []
  })
}

function unexpected(entries: readonly BoardEntry[], topics: readonly string[]): Problem[] {
  const problems: Problem[] = []
  const expected = new Set([...topics, ALL])
  const extra = distinct(entries, 'topic').filter((topic) => !expected.has(topic))
  if (extra.length > 0)
    problems.push({
      kind: 'extra topic',
      message: `topics that are not in --topics: ${someNames(extra)}`,
      place: entries.find(({ topic }) => topic === extra[0])?.place,
    })
  for (const [run, gaps] of grouped(gapsOf(entries, topics), (gap) => gap.run))
    problems.push({
      kind: 'missing topic',
      message: `run ${run} has no value for ${someNames(gaps.map(({ topic }) => topic))}`,
    })
  return problems
}

/**
 * Notes on expected topics that are missing, and on topics that are not expected.
 * @param lacking names what lacks them
 * @param extra names what the unexpected ones belong to
 */
export function topicProblems(
  there: ReadonlySet<string>,
  topics: readonly string[] | undefined,
  lacking: string,
  extra: string,
): Problem[] {
  const missing = topics?.filter((topic) => !there.has(topic)) ?? []
  const others = topics ? [...there].filter((topic) => !topics.includes(topic)) : []
  return [
    ...(missing.length > 0 ? [{ kind: 'missing topic', message: `${lacking}: ${someNames(missing)}` }] : []),
    ...(others.length > 0
      ? [{ kind: 'extra topic', message: `${extra} that are not in --topics: ${someNames(others)}` }]
      : []),
  ]
}

/** Up to ten names, then how many more. */
export function someNames(names: readonly string[]): string {
  const more = names.length > 10 ? ` and ${names.length - 10} more` : ''
  return names.slice(0, 10).join(', ') + more
}
