/** `--check TRACK`: yields the problems of submitted responses, one per row, instead of items. */

import { getOrInsert } from '../rows/maps.ts'
import type { Rows, Source } from '../rows/reader.ts'
import { EXIT, type JsonObject, usageError } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { BadResponse, readResponse } from '../trec/responses.ts'
import { readTopics } from '../trec/topics.ts'
import { type Category, TrackCheck } from '../trec/track.ts'
import { exactRow } from './_bad_rows.ts'

/** The rows of the files. @param empty called for each file without one */
export async function* rowsOfFiles(files: Source[], context: Context, empty: (file: string) => void): Rows {
  for (const file of files) {
    let some = false
    for await (const batch of context.rows([file])) {
      some = true
      yield batch
    }
    if (context.cut()) return
    if (!some) empty(file.name)
  }
}

/**
 * Yields {run_id, topic_id, category, level, message, place}. `level` is `problem`, or `smell` for what the track does not
 * reject; under `strict` all are problems. Any problem makes the exit code 1.
 */
export async function* checked(
  files: Source[],
  { check, topics: path, strict }: { check: string; topics?: string; strict?: boolean },
  context: Context,
): AsyncGenerator<Row[]> {
  if (files.length === 0) throw usageError('--check needs responses (--responses DIR, or files)')
  const track = await TrackCheck.of(check)
  const topics = path === undefined ? undefined : new Map(readTopics(path).map((topic) => [topic.id, topic]))
  /** Topics by run. */
  const seen = new Map<string, Set<string>>()
  const counts = { responses: 0, valid: 0, problem: 0, smell: 0 }
  const finding = (category: Category, message: string, of: JsonObject, file: string, line?: number): Row => {
    const level = track.isSmell(category) && !strict ? 'smell' : 'problem'
    counts[level]++
    const place = line === undefined ? {} : { place: `${file}:${line}` }
    return Row.make({ ...of, category, level, message, ...place }, file, line ?? 0)
  }
  const atEnd: Row[] = []
  const empty = (file: string) => void atEnd.push(finding('format', `${file} has no responses`, {}, file))
  for await (const batch of rowsOfFiles(files, context, empty)) {
    const out: Row[] = []
    for (const row of batch) {
      counts.responses++
      const before = counts.problem
      try {
        const one = exactRow(row)
        const response = readResponse(one.item, () => one.itemText())
        const { run, topic } = response
        const report = (category: Category, message: string) =>
          void out.push(finding(category, message, { run_id: run, topic_id: topic }, row.file, row.line))
        const others = getOrInsert(seen, run, () => new Set())
        if (others.has(topic)) report('duplicate_topics', 'the run has a response for this topic already')
        others.add(topic)
        if (topics && !topics.has(topic)) report('new_topics', `the topic is not in ${path}`)
        track.response(response, row.item, topics?.get(topic), report)
      } catch (error) {
        if (!(error instanceof BadResponse)) throw error
        out.push(finding('format', error.message, {}, row.file, row.line))
      }
      if (counts.problem === before) counts.valid++
    }
    if (out.length > 0) yield out
  }
  const absent = 'the run has no response for this topic'
  for (const [run, there] of seen)
    for (const topic of topics?.keys() ?? [])
      if (!there.has(topic))
        atEnd.push(finding('missing_topics', absent, { run_id: run, topic_id: topic }, path!))
  if (atEnd.length > 0) yield atEnd
  context.summary(
    () =>
      `${counts.valid} of ${counts.responses} responses valid by ${check}, ${counts.problem} problems, ${counts.smell} smells`,
  )
  if (counts.problem > 0 && !context.cut()) context.finish(EXIT.gate, `${check}: ${counts.problem} problems`)
}
