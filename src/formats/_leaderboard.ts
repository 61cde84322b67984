/** Leaderboard files: one reader and one writer for every order of columns. */

import { utf8Text } from '../files/text.ts'
import { grouped } from '../rows/maps.ts'
import { Row } from '../rows/row.ts'
import {
  LEADERBOARD_FORMATS,
  type LeaderboardFormat,
  type LeaderboardSettings,
  readLeaderboard,
  writeLeaderboard,
} from '../trec/columns.ts'
import { board, noteProblems } from '../trec/judged_board.ts'
import { type BoardEntry, type Problem, verify } from '../trec/leaderboard.ts'
import { measureTypes } from '../trec/measure_types.ts'
import {
  EXPECTED_TOPICS,
  fromOption,
  HEADER,
  LEADERBOARD_OPTIONS,
  type ValueSettings,
} from '../trec/options.ts'
import { topicIds } from '../trec/topics.ts'
import { inOrder, inPlaceOf, refusal, screened } from './_bad_rows.ts'
import type { Format } from './_format.ts'

/** @param name undefined: detect the format when reading, write ir_measures */
export function leaderboardFormat(name: LeaderboardFormat | undefined, about: string): Format {
  return {
    about,
    unscored: true,
    readOptions: [
      ...(name ? [] : [fromOption('from', 'the file', LEADERBOARD_FORMATS)]),
      HEADER,
      EXPECTED_TOPICS,
    ],
    converts: true,
    writeOptions: LEADERBOARD_OPTIONS,
    async *read(sources, options, context) {
      for (const source of sources) {
        const settings = {
          format: name ?? (options.from as LeaderboardFormat | undefined),
          header: options.header as string | undefined,
          name: source.name,
          types: await measureTypes(source.path),
          topics: await topicIds(options.topics as string | undefined),
        }
        const text = await utf8Text(source)
        const { good, bad } =
          options.badRows === 'stop' ? { good: text, bad: [] } : withoutBad(text, settings)
        const { entries, notes } = readLeaderboard(good, settings)
        for (const note of notes) context.note(note)
        noteProblems([...verify(entries), ...entries.flatMap(notFinite)], context)
        const rows = entries.map(({ run, topic, measure, value, dtype, place }) =>
          Row.make(
            { run_id: run, topic_id: topic, measure, value, ...(dtype && { dtype }) },
            source.name,
            Number(place?.split(':').at(-1)),
          ),
        )
        yield inOrder([...rows, ...bad.flatMap((one) => inPlaceOf(one, options, context))])
      }
    },
    async *write(rows, options, context) {
      const entries = await board(rows, options as ValueSettings, context)
      yield writeLeaderboard(entries, name ?? 'ir_measures')
    },
  }
}

/** A NaN or an infinite value, which becomes null in a row. */
function notFinite({ measure, value, place }: BoardEntry): Problem[] {
  if (typeof value !== 'number' || Number.isFinite(value)) return []
  return [
    { kind: 'not a number', message: `${measure} is ${value}: written as null, a missing value`, place },
  ]
}

/** The text of a leaderboard without the lines that do not fit its format. @throws Fatal (data) if the format is not clear */
function withoutBad(text: string, settings: LeaderboardSettings): ReturnType<typeof screened> {
  if (refusal(() => readLeaderboard(text, settings)) === undefined) return { good: text, bad: [] }
  const format = settings.format ?? formatOf(text, settings)
  const alone: LeaderboardSettings = { ...settings, format, header: 'no', name: '' }
  return screened(text, settings.name, (line) => refusal(() => readLeaderboard(line, alone)))
}

/** The format of most lines. @throws Fatal (data) */
function formatOf(text: string, settings: LeaderboardSettings): LeaderboardFormat {
  if (/^\s*\{/.test(text)) return 'jsonl'
  const lines = text.split('\n').filter((line) => /^\s*[^\s#]/.test(line))
  const byWidth = grouped(lines, (line) => line.trim().split(/\s+/).length)
  const [most = []] = [...byWidth.values()].sort((a, b) => b.length - a.length)
  return readLeaderboard(most.join('\n'), settings).format
}
