/** Leaderboard files in and out: one reader and one writer for every order of columns. */
import { EXIT, Fatal, usageError } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { type CollectSettings, collect } from '../trec/collect.ts'
import {
  type LeaderboardFormat,
  type ReadSettings,
  readLeaderboard,
  writeLeaderboard,
} from '../trec/columns.ts'
import {
  ALL,
  type Entry,
  gapsOf,
  meansOf,
  type Problem,
  verify,
  withAll,
  withNumbers,
} from '../trec/leaderboard.ts'
import { readTopics } from '../trec/topics.ts'
import { inOrder, inPlaceOf, refusal, screened } from './_bad_rows.ts'
import type { Format } from './_format.ts'
import { utf8Text } from './_utf8.ts'

interface WriteSettings extends CollectSettings {
  topics?: string
  dropAggregate: boolean
  maxErrorRate?: number
}

/** @param name undefined: read whatever it looks like, write ir_measures */
export function leaderboardFormat(name: LeaderboardFormat | undefined, about: string): Format {
  return {
    about,
    unscored: true,
    measured: true,
    async *read(sources, options, context) {
      for (const source of sources) {
        const settings = {
          format: name ?? (options.from as LeaderboardFormat | undefined),
          header: options.header as string | undefined,
          name: source.name,
          topics:
            options.topics === undefined ? undefined : readTopics(String(options.topics)).map(({ id }) => id),
        }
        const text = await utf8Text(source)
        const { good, bad } =
          options.badRows === 'stop' ? { good: text, bad: [] } : withoutBad(text, settings)
        const { entries, notes } = readOrFail(good, settings)
        for (const note of notes) context.note(note)
        tell(verify(entries), context)
        const rows = entries.map(({ run, topic, measure, value, place }) =>
          Row.make(
            { run_id: run, topic_id: topic, measure, value },
            source.name,
            Number(place?.split(':').at(-1)),
          ),
        )
        yield inOrder([...rows, ...bad.flatMap((one) => inPlaceOf(one, options, context))])
      }
    },
    async *write(rows, options, context) {
      const entries = await board(rows, options as unknown as WriteSettings, context)
      try {
        yield writeLeaderboard(entries, name ?? 'ir_measures')
      } catch (error) {
        if (error instanceof RangeError) throw usageError(error.message)
        throw error
      }
    },
  }
}

/** The judged rows as a whole leaderboard, `all` rows with it; what is missing and odd is told. */
export async function board(
  rows: Parameters<typeof collect>[0],
  settings: WriteSettings,
  context: Context,
): Promise<Entry[]> {
  const topics = settings.topics === undefined ? undefined : readTopics(settings.topics).map(({ id }) => id)
  const collected = await collect(rows, settings, context)
  const entries = withNumbers(collected.entries)
  const gaps = [...collected.gaps, ...(topics ? gapsOf(entries, topics, collected.gaps) : [])]
  for (const { run, topic, why } of gaps)
    context.note(`run ${run}, topic ${topic}: no value (${why})`, { kind: 'missing value' })
  const pairs = new Set(
    entries.filter(({ topic }) => topic !== ALL).map(({ run, topic }) => JSON.stringify([run, topic])),
  )
  if (gaps.length > 0) {
    const words = `${gaps.length} of ${gaps.length + pairs.size} values missing: ${policyWords(settings)}`
    if (settings.onMissing === 'error') throw new Fatal(EXIT.data, `${words} (--on-missing error)`)
    context.summary(() => words)
    const { maxErrorRate: most } = settings
    if (pairs.size === 0) context.finish(EXIT.gate, 'the leaderboard is empty: there is not one value')
    else if (most !== undefined && gaps.length / (gaps.length + pairs.size) > most)
      context.finish(EXIT.gate, `${words}, more than --max-error-rate ${most}`)
  }
  // What is missing was told above, topic by topic.
  tell(
    verify(entries, topics).filter(({ kind }) => kind !== 'missing topic'),
    context,
  )
  return finished(entries, collected.measures, gaps, settings)
}

function finished(
  entries: readonly Entry[],
  measures: readonly string[],
  gaps: Parameters<typeof withAll>[2],
  settings: WriteSettings,
): Entry[] {
  const given = entries.some(({ topic }) => topic === ALL)
  const fills = settings.onMissing === 'default' || settings.onMissing === 'fix_aggregate'
  if (!given || settings.dropAggregate || (fills && gaps.length > 0))
    return withAll(entries, measures, gaps, settings.onMissing, settings.default)
  // Rows `all` of a file are trusted; only runs and measures that lack one get theirs.
  const there = new Set(
    entries.filter(({ topic }) => topic === ALL).map(({ run, measure }) => JSON.stringify([run, measure])),
  )
  const rest = meansOf(
    entries.filter(({ topic }) => topic !== ALL),
    measures,
  )
  return [...entries, ...rest.filter(({ run, measure }) => !there.has(JSON.stringify([run, measure])))]
}

function policyWords({ onMissing, default: value }: WriteSettings): string {
  switch (onMissing) {
    case 'default':
      return `written and counted as ${value}`
    case 'fix_aggregate':
      return `counted as ${value} in the "all" rows`
    default:
      return 'left out of the means (--on-missing default counts them)'
  }
}

/** Says each problem, at its place. */
export function tell(problems: readonly Problem[], context: Context): void {
  for (const { kind, message, place } of problems)
    context.note(place ? `${place}: ${message}` : message, { kind })
}

/** The text of a leaderboard without the lines that are none of its format. @throws Fatal (data) where that cannot be told */
function withoutBad(text: string, settings: ReadSettings): ReturnType<typeof screened> {
  if (refusal(() => readLeaderboard(text, settings)) === undefined) return { good: text, bad: [] }
  const format = settings.format ?? formatOf(text, settings)
  const alone: ReadSettings = { ...settings, format, header: 'no', name: '' }
  return screened(text, settings.name, (line) => refusal(() => readLeaderboard(line, alone)))
}

/** The format of most lines. @throws Fatal (data) */
function formatOf(text: string, settings: ReadSettings): LeaderboardFormat {
  if (/^\s*\{/.test(text)) return 'jsonl'
  const lines = text.split('\n').filter((line) => /^\s*[^\s#]/.test(line))
  const byWidth = new Map<number, string[]>()
  for (const line of lines) {
    const width = line.trim().split(/\s+/).length
    const same = byWidth.get(width)
    if (same) same.push(line)
    else byWidth.set(width, [line])
  }
  const [most = []] = [...byWidth.values()].sort((a, b) => b.length - a.length)
  return readOrFail(most.join('\n'), settings).format
}

/** @throws Fatal (data) where the text is none */
export function readOrFail(...args: Parameters<typeof readLeaderboard>): ReturnType<typeof readLeaderboard> {
  try {
    return readLeaderboard(...args)
  } catch (error) {
    if (error instanceof SyntaxError) throw new Fatal(EXIT.data, error.message)
    throw error
  }
}
