/** `--check TRACK`: yields the problems of submitted responses, one per row, instead of items. */

import { getOrInsert } from '../rows/maps.ts'
import type { Rows, Source } from '../rows/reader.ts'
import { EXIT, type JsonObject, usageError } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { BadResponse, readResponse } from '../trec/responses.ts'
import { readTopics, type Topic } from '../trec/topics.ts'
import { type Category, TrackCheck } from '../trec/track.ts'
import type { Settings } from './_autojudge_settings.ts'

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
  settings: Settings & { check: string },
  context: Context,
): AsyncGenerator<Row[]> {
  if (files.length === 0) throw usageError('--check needs responses (--responses DIR, or files)')
  const { check } = settings
  const topics = settings.topics === undefined ? undefined : await readTopics(settings.topics)
  const checker = new Checker(await TrackCheck.of(check), settings, topics)
  const atEnd: Row[] = []
  const empty = (file: string) =>
    void atEnd.push(checker.finding('format', `${file} has no responses`, {}, file))
  for await (const batch of rowsOfFiles(files, context, empty)) {
    const found = batch.flatMap((row) => checker.findingsOf(row))
    if (found.length > 0) yield found
  }
  atEnd.push(...checker.missing())
  if (atEnd.length > 0) yield atEnd
  const { valid, responses, problem, smell } = checker.counts
  context.summary(
    () => `${valid} of ${responses} responses valid by ${check}, ${problem} problems, ${smell} smells`,
  )
  if (problem > 0 && !context.cut()) context.finish(EXIT.gate, `${check}: ${problem} problems`)
}

class Checker {
  readonly counts = { responses: 0, valid: 0, problem: 0, smell: 0 }
  private readonly track: TrackCheck
  private readonly settings: Settings
  private readonly topics: ReadonlyMap<string, Topic> | undefined
  /** Topics by run. */
  private readonly seen = new Map<string, Set<string>>()

  constructor(track: TrackCheck, settings: Settings, topics: readonly Topic[] | undefined) {
    this.track = track
    this.settings = settings
    this.topics = topics && new Map(topics.map((topic) => [topic.id, topic]))
  }

  /** The findings about a line. */
  findingsOf(row: Row): Row[] {
    const { counts, topics, seen } = this
    const before = counts.problem
    const found: Row[] = []
    let of: JsonObject = {}
    const report = (category: Category, message: string) =>
      void found.push(this.finding(category, message, of, row.file, row.line))
    try {
      const one = row.exact()
      const response = readResponse(one.item, () => one.itemText())
      const { run, topic } = response
      of = { run_id: run, topic_id: topic }
      const others = getOrInsert(seen, run, () => new Set())
      if (others.has(topic)) report('duplicate_topics', 'the run has a response for this topic already')
      others.add(topic)
      if (topics && !topics.has(topic)) report('new_topics', `the topic is not in ${this.settings.topics}`)
      this.track.response(response, row.item, topics?.get(topic), report)
    } catch (error) {
      if (!(error instanceof BadResponse)) throw error
      report('format', error.message)
    }
    counts.responses++
    if (counts.problem === before) counts.valid++
    return found
  }

  /** A finding for each topic that a run lacks. */
  missing(): Row[] {
    const { topics: path = '' } = this.settings
    const find = (run_id: string, topic_id: string) =>
      this.finding('missing_topics', 'the run has no response for this topic', { run_id, topic_id }, path)
    const topics = [...(this.topics?.keys() ?? [])]
    return [...this.seen].flatMap(([run, there]) =>
      topics.filter((topic) => !there.has(topic)).map((topic) => find(run, topic)),
    )
  }

  finding(category: Category, message: string, of: JsonObject, file: string, line?: number): Row {
    const level = this.track.isSmell(category) && !this.settings.strict ? 'smell' : 'problem'
    this.counts[level]++
    const place = line === undefined ? {} : { place: `${file}:${line}` }
    return Row.make({ ...of, category, level, message, ...place }, file, line ?? 0)
  }
}
