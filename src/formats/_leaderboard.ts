/** Leaderboard files: one reader and one writer for every order of columns. */

import { utf8Text } from '../files/text.ts'
import { Row } from '../rows/row.ts'
import {
  LEADERBOARD_FORMATS,
  type LeaderboardFormat,
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
import { badLines, inOrder } from './_bad_rows.ts'
import type { Format } from './_format.ts'

/** @param name undefined: detect the format when reading, write ir_measures */
export function leaderboardFormat(name: LeaderboardFormat | undefined, about: string): Format {
  return {
    about,
    readOptions: [
      ...(name ? [] : [fromOption('from', 'the file', LEADERBOARD_FORMATS)]),
      HEADER,
      EXPECTED_TOPICS,
    ],
    unjudged: 'pass',
    writeOptions: LEADERBOARD_OPTIONS,
    async *read(sources, options, context) {
      for (const source of sources) {
        const bad = badLines(source.name, options, context)
        const settings = {
          format: name ?? (options.from as LeaderboardFormat | undefined),
          header: options.header as string | undefined,
          name: source.name,
          types: await measureTypes(source.path),
          topics: await topicIds(options.topics as string | undefined),
          onBad: bad.onBad,
        }
        const { entries, notes } = readLeaderboard(await utf8Text(source), settings)
        for (const note of notes) context.note(note)
        noteProblems([...verify(entries), ...entries.flatMap(notFinite)], context)
        const rows = entries.map(({ run, topic, measure, value, dtype, place }) =>
          Row.make(
            { run_id: run, topic_id: topic, measure, value, ...(dtype && { dtype }) },
            source.name,
            Number(place?.split(':').at(-1)),
          ),
        )
        yield inOrder([...rows, ...bad.rows])
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
