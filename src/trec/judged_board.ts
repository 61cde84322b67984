/** Judged rows → a whole leaderboard. */
import { someNames } from '../options/nearest.ts'
import type { Rows } from '../rows/reader.ts'
import { EXIT, Fatal } from '../rows/record.ts'
import type { Context } from '../rows/stage.ts'
import { collect } from './collect.ts'
import {
  ALL,
  type BoardEntry,
  type Entries,
  fills,
  type Gap,
  gapsOf,
  type Problem,
  verify,
  withAll,
  withMissingAll,
  withNumbers,
} from './leaderboard.ts'
import type { ValueSettings } from './options.ts'
import { topicIds } from './topics.ts'

/** The leaderboard of judged rows, including `all` rows; reports missing values and other problems. */
export async function board(rows: Rows, settings: ValueSettings, context: Context): Promise<BoardEntry[]> {
  const topics = await topicIds(settings.topics)
  const collected = await collect(rows, settings, context)
  collected.noteThresholds(collected.measures)
  const entries = withNumbers(collected.entries)
  const gaps = [...collected.gaps, ...(topics ? gapsOf(entries, topics, collected.gaps) : [])]
  const missing = gaps.map(({ run, topic, why }) => `run ${run}, topic ${topic}: no value (${why})`)
  noteMissing(missing, settings, context)
  const pairs = new Set(
    entries.filter(({ topic }) => topic !== ALL).map(({ run, topic }) => JSON.stringify([run, topic])),
  )
  if (gaps.length > 0) {
    const words = `${gaps.length} of ${gaps.length + pairs.size} values missing: ${policyWords(settings)}`
    if (settings.onMissing !== 'skip') context.summary(() => words)
    if (pairs.size === 0) context.finish(EXIT.gate, 'the leaderboard is empty: no run and topic has a value')
  }
  // Missing topics were reported above.
  noteProblems(
    verify(entries, topics).filter(({ kind }) => kind !== 'missing topic'),
    context,
  )
  return finished(entries, collected.measures, gaps, settings)
}

/** Notes missing values, unless they are skipped. @throws Fatal (data) under `error` */
export function noteMissing(
  missing: readonly string[],
  { onMissing }: ValueSettings,
  { note }: Context,
): void {
  if (missing.length > 0 && onMissing === 'error')
    throw new Fatal(EXIT.data, `${someNames(missing)} (--on-missing error)`)
  if (onMissing !== 'skip') for (const words of missing) note(words, { kind: 'missing value' })
}

function finished(
  entries: Entries,
  measures: readonly string[],
  gaps: readonly Gap[],
  settings: ValueSettings,
): BoardEntry[] {
  const hasAll = entries.some(({ topic }) => topic === ALL)
  if (!hasAll || settings.dropAggregate || (fills(settings.onMissing) && gaps.length > 0))
    return withAll(entries, measures, gaps, settings.onMissing, settings.default)
  return withMissingAll(entries, false)
}

function policyWords({ onMissing, default: value }: ValueSettings): string {
  switch (onMissing) {
    case 'default':
      return `written and counted as ${value}`
    case 'fix_aggregate':
      return `counted as ${value} in the "all" rows`
    default:
      return 'left out of the means (--on-missing default counts them)'
  }
}

/** A note for each problem, with its place. */
export function noteProblems(problems: readonly Problem[], context: Context): void {
  for (const { kind, message, place } of problems)
    context.note(place ? `${place}: ${message}` : message, { kind })
}
