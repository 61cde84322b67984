/** Leaderboards: a value per run, topic and measure, and an `all` row per run and measure. */

import { someLacking, someNames } from '../options/nearest.ts'
import { readFloat } from '../python/numbers.ts'
import { byCodePoint } from '../python/unicode.ts'
import { grouped } from '../rows/maps.ts'
import { exactMean } from '../statistics/mean.ts'
import type { MeasureType } from './measure_types.ts'

/** The topic of the rows that summarise a run. */
export const ALL = 'all'

export interface BoardEntry {
  run: string
  topic: string
  measure: string
  /** A number, or the text in the file. */
  value: number | string
  /** Its type, from the types file beside the leaderboard: `int` is printed without a point, `str` is never parsed. */
  dtype?: MeasureType
  /** `file:line` it was read from. */
  place?: string
}

export type Entries = readonly BoardEntry[]

/** What to do with a run and topic without a value. */
export const MISSING = ['warn', 'skip', 'default', 'fix_aggregate', 'error'] as const
type OnMissing = (typeof MISSING)[number]
/** Whether gaps count as `--default`. */
export const fills = (missing: OnMissing) => missing === 'default' || missing === 'fix_aggregate'

/** A run and topic that lack an expected value, and why. */
export interface Gap {
  run: string
  topic: string
  why: string
}

/** Converts the values of measures whose values are all numbers; one value such as `True` keeps the whole measure text. */
export function withNumbers(entries: Entries): BoardEntry[] {
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
export const distinct = <K extends string>(all: readonly Record<K, string>[], key: K): string[] => [
  ...new Set(all.map((one) => one[key])),
]

/** Numbers by topic, and there by the name that `entryOf` gives: the last one of a name counts. */
export const byTopic = <T extends { topic: string }>(
  all: readonly T[],
  entryOf: (one: T) => [name: string, value: number],
): Map<string, Map<string, number>> =>
  new Map([...grouped(all, ({ topic }) => topic)].map(([topic, list]) => [topic, new Map(list.map(entryOf))]))

const pair = (run: string, topic: string) => JSON.stringify([run, topic])

/** Pairs of a seen run and an expected topic without a row, sorted by run and topic. @param known gaps not to report again */
export function gapsOf(entries: Entries, topics: readonly string[], known: readonly Gap[] = []): Gap[] {
  const expected = [...topics].sort(byCodePoint)
  const seen = new Set(entries.map(({ run, topic }) => pair(run, topic)))
  for (const { run, topic } of known) seen.add(pair(run, topic))
  const runs = new Set([...distinct(entries, 'run'), ...known.map(({ run }) => run)])
  const gaps: Gap[] = []
  for (const run of [...runs].sort(byCodePoint))
    for (const topic of expected)
      if (!seen.has(pair(run, topic))) gaps.push({ run, topic, why: 'no response' })
  return gaps
}

/**
 * The rows, followed by `all` rows: one per run and measure, runs in order of first appearance, with the mean over the
 * run's topics as Python's `statistics.mean` computes it. Under `default`, gaps become rows with `value`; under
 * `fix_aggregate` they only count in the mean; otherwise, and for measures of texts, they are left out.
 */
export function withAll(
  entries: Entries,
  measures: readonly string[],
  gaps: readonly Gap[],
  missing: OnMissing,
  value: number,
): BoardEntry[] {
  const rows = entries.filter(({ topic }) => topic !== ALL)
  const known = new Map(rows.map((entry) => [entry.measure, entry]))
  const filled = gaps.flatMap(({ run, topic }) =>
    measures.flatMap((measure): BoardEntry[] => {
      const { dtype, value: other = value } = known.get(measure) ?? {}
      if (typeof other !== 'number') return []
      return [{ run, topic, measure, value, ...(dtype === 'int' && Number.isInteger(value) && { dtype }) }]
    }),
  )
  const written = missing === 'default' ? [...rows, ...filled] : rows
  const counted = missing === 'fix_aggregate' ? [...rows, ...filled] : written
  return [...written, ...meansOf(counted, measures)]
}

/** The `all` rows of some rows. A measure of texts takes the first topic's value. */
function meansOf(entries: Entries, measures: readonly string[]): BoardEntry[] {
  const places = new Map(measures.map((measure, place) => [measure, place]))
  return [...grouped(entries, ({ run }) => run)].flatMap(([run, rows]) =>
    [...grouped(rows, ({ measure }) => measure)]
      .filter(([measure]) => places.has(measure))
      .sort(([a], [b]) => places.get(a)! - places.get(b)!)
      .map(([measure, own]) => {
        const list = own.map(({ value }) => value)
        const numbers = list.every((one) => typeof one === 'number')
        return { run, topic: ALL, measure, value: numbers ? exactMean(list as number[]) : list[0]! }
      }),
  )
}

const keyOf = ({ run, topic, measure }: BoardEntry) => JSON.stringify([run, topic, measure])

/** Adds missing `all` rows, computed from the topics. @param replace also those of the file */
export function withMissingAll(entries: Entries, replace: boolean): BoardEntry[] {
  const topics = entries.filter(({ topic }) => topic !== ALL)
  const rows = replace ? topics : entries
  const given = new Set(rows.map(keyOf))
  const means = meansOf(topics, distinct(rows, 'measure'))
  return [...rows, ...means.filter((mean) => !given.has(keyOf(mean)))]
}

export interface Problem {
  kind: string
  message: string
  place?: string
}

/** Reports duplicates, a second `all` row, measures that a row lacks, and missing or unexpected topics. */
export function verify(entries: Entries, topics?: readonly string[]): Problem[] {
  const problems: Problem[] = []
  const seen = new Map<string, BoardEntry>()
  for (const entry of entries) {
    const key = keyOf(entry)
    const first = seen.get(key)
    if (!first) {
      seen.set(key, entry)
      continue
    }
    const { run, topic, measure, place } = entry
    const [kind, what, where] =
      topic === ALL
        ? ['second all row', 'a second "all" row', '']
        : ['duplicate row', 'a second value', `topic ${topic}, `]
    const before = first.place ? ` (the first: ${first.place})` : ''
    problems.push({ kind, message: `${what} for run ${run}, ${where}measure ${measure}${before}`, place })
  }
  for (const key of ['run', 'topic', 'measure'] as const) {
    const split = distinct(entries, key).filter((name) => name === '' || /\s/.test(name))
    const names = someNames(split.map((name) => JSON.stringify(name)))
    if (split.length > 0)
      problems.push({
        kind: 'white space',
        message: `white space in a ${key}, which readers take for the end of a column: ${names}`,
      })
  }
  for (const { run, topic, place, lacks } of incompleteRows(entries, distinct(entries, 'measure')))
    problems.push({ kind: 'missing measure', message: `run ${run}, topic ${topic} lacks ${lacks}`, place })
  return topics ? [...problems, ...unexpected(entries, topics)] : problems
}

/**
 * The runs and topics that lack measures which others have, as `someLacking`.
 * @param entries those of the runs and topics to look at
 */
export function incompleteRows(
  entries: Entries,
  measures: readonly string[],
): { run: string; topic: string; place?: string; lacks: string }[] {
  const all = new Set(measures)
  return [...grouped(entries, ({ run, topic }) => pair(run, topic)).values()].flatMap((row) => {
    const lacks = someLacking(all, new Set(row.map(({ measure }) => measure)))
    const { run, topic, place } = row[0]!
    return lacks ? [{ run, topic, place, lacks }] : []
  })
}

/** The runs that lack some of the topics, as `someLacking`, sorted. */
export function incompleteRuns(entries: Entries, topics: Iterable<string>): { run: string; lacks: string }[] {
  const expected = new Set([...topics].sort(byCodePoint))
  return [...grouped(entries, ({ run }) => run)]
    .sort(([a], [b]) => byCodePoint(a, b))
    .map(([run, own]) => ({ run, lacks: someLacking(expected, new Set(own.map(({ topic }) => topic))) }))
    .filter(({ lacks }) => lacks)
}

function unexpected(entries: Entries, topics: readonly string[]): Problem[] {
  const problems: Problem[] = []
  const expected = new Set([...topics, ALL])
  const extra = distinct(entries, 'topic').filter((topic) => !expected.has(topic))
  if (extra.length > 0)
    problems.push({
      kind: 'extra topic',
      message: `topics that are not in --topics: ${someNames(extra)}`,
      place: entries.find(({ topic }) => topic === extra[0])?.place,
    })
  for (const { run, lacks } of incompleteRuns(entries, topics))
    problems.push({ kind: 'missing topic', message: `run ${run} has no value for ${lacks}` })
  return problems
}

/** Reports missing and unexpected topics. @param lacking begins the message on missing ones; @param extra on unexpected ones */
export function topicProblems(
  found: ReadonlySet<string>,
  topics: readonly string[] | undefined,
  lacking: string,
  extra: string,
): Problem[] {
  const expected = new Set(topics)
  const missing = someLacking(expected, found)
  const others = topics ? someLacking(found, expected) : ''
  return [
    ...(missing ? [{ kind: 'missing topic', message: `${lacking}: ${missing}` }] : []),
    ...(others ? [{ kind: 'extra topic', message: `${extra} that are not in --topics: ${others}` }] : []),
  ]
}
