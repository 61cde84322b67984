/**
 * AutoJudge: topics, RAG responses and nugget banks → items: one per run and topic (`--per response`, the default with
 * responses), one per topic with its responses (`--per topic`), or one per topic and pair of runs (`--per pair`).
 */
import { fileSource } from '../files/files.ts'
import { readText } from '../files/text.ts'
import { someNames } from '../options/nearest.ts'
import { byCodePoint } from '../python/unicode.ts'
import { getOrInsert, grouped } from '../rows/maps.ts'
import type { Source } from '../rows/reader.ts'
import { EXIT, Fatal, RowFailure, usageError } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { bankFormat, readBanks } from '../trec/banks/index.ts'
import { filesIn } from '../trec/files.ts'
import { pairItem, responseItem, type TopicMaterial, topicItem } from '../trec/items.ts'
import { noteProblems } from '../trec/judged_board.ts'
import { ALL } from '../trec/leaderboard.ts'
import { type Qrel, readQrels } from '../trec/qrels.ts'
import { BadResponse, type Response, readResponse } from '../trec/responses.ts'
import { readTopics, type Topic } from '../trec/topics.ts'
import { AUTOJUDGE_OPTIONS, checkUsed, type Settings } from './_autojudge_settings.ts'
import { rowsMade } from './_bad_rows.ts'
import type { Format } from './_format.ts'

export const format: Format = {
  about: 'AutoJudge: --topics, --responses, --nuggets → an item a run and topic, a topic, or a pair of runs',
  noStdin: true,
  readOptions: AUTOJUDGE_OPTIONS,
  async *read(sources, options, context) {
    const settings = options as unknown as Settings
    const inFolder = settings.responses === undefined ? undefined : filesIn(settings.responses)
    if (inFolder?.length === 0)
      throw new Fatal(EXIT.noInput, `${settings.responses}: no files in this folder`)
    const files = [...(inFolder ?? []).map(fileSource), ...sources]
    if (settings.topics === undefined) throw usageError('autojudge needs --topics FILE')
    const per = settings.per ?? (files.length > 0 ? 'response' : 'topic')
    checkUsed(settings, per, context)
    const corpus = await new Corpus(settings, await readTopics(settings.topics!), context).load()
    if (files.length === 0 && per !== 'topic')
      throw usageError(`--per ${per} needs responses (--responses DIR, or files)`)
    if (per === 'response') yield* corpus.perResponse(files)
    else {
      const byTopic = yield* corpus.gather(files)
      // A topic with a part of its responses would look complete.
      if (context.cut()) return
      yield* per === 'topic' ? corpus.perTopic(byTopic) : corpus.perPair(byTopic)
    }
    if (!context.cut()) corpus.finish()
  },
}

interface Placed {
  response: Response
  row: Row
}

/** Topics, banks, grades and responses, and the problems found in them. */
class Corpus {
  private readonly settings: Settings
  private readonly context: Context
  /** Fields to leave out. */
  private readonly without: string[]
  private readonly topics: ReadonlyMap<string, Topic>
  /** The topics that --topic and --limit-topics keep, in file order. */
  private readonly chosenTopics: ReadonlySet<string>
  private readonly material: TopicMaterial
  /** All runs of the files, wanted or not. */
  private readonly runs = new Set<string>()
  /** Those that --run and --limit-runs keep. */
  private readonly chosenRuns = new Set<string>()
  /** By run and topic, the place of its response. */
  private readonly seen = new Map<string, Map<string, string>>()
  /** Fields of --without that some item had. */
  private readonly left = new Set<string>()
  private unknown = 0
  private duplicates = 0

  constructor(settings: Settings, topics: readonly Topic[], context: Context) {
    this.settings = settings
    this.context = context
    this.without = settings.without.flatMap((names) => names.split(','))
    this.topics = new Map(topics.map((topic) => [topic.id, topic]))
    this.material = { topics: this.topics }
    const { topic, limitTopics } = settings
    const ids = [...this.topics.keys()].filter((id) => topic.length === 0 || topic.includes(id))
    this.chosenTopics = new Set(ids.slice(0, limitTopics))
  }

  async load(): Promise<this> {
    const { settings, context } = this
    if (this.topics.has(ALL))
      context.note(
        `${this.topics.get(ALL)!.place}: a topic is called "${ALL}", the name of a leaderboard's summary rows: give it another name`,
      )
    for (const id of settings.topic)
      if (!this.topics.has(id))
        throw usageError(
          `--topic ${id}: no such topic in ${settings.topics} (there are: ${someNames([...this.topics.keys()])})`,
        )
    if (settings.nuggets !== undefined) {
      const banks = await readBanks(
        settings.nuggets,
        settings.bank ? await bankFormat(settings.bank) : undefined,
      )
      this.noteWithout(`${settings.nuggets}: no nuggets`, (id) => banks.get(id)?.bank.nuggets.length)
      this.material.banks = banks
      const extra = [...banks.keys()].filter((id) => !this.topics.has(id))
      if (extra.length > 0)
        context.note(
          `${settings.nuggets}: banks of topics that are not in ${settings.topics}: ${someNames(extra)}`,
        )
    }
    if (settings.qrels !== undefined) this.loadQrels(settings.qrels)
    return this
  }

  private loadQrels(path: string): void {
    const { qrels, problems } = readQrels(readText(path), path)
    noteProblems(problems, this.context)
    const topics = grouped(qrels, ({ topic }) => topic)
    const gradesOf = (list: Qrel[]) => Object.fromEntries(list.map(({ doc, grade }) => [doc, grade]))
    this.material.qrels = new Map([...topics].map(([topic, list]) => [topic, gradesOf(list)]))
    this.noteWithout(`${path}: no grades`, (id) => topics.has(id))
  }

  /** Reports the wanted topics for which a file has nothing. */
  private noteWithout(words: string, has: (id: string) => unknown): void {
    const without = [...this.chosenTopics].filter((id) => !has(id))
    if (without.length > 0) this.context.note(`${words} for ${someNames(without)}`)
  }

  /** The wanted responses, in file order, and failed rows for lines that are no responses. */
  private async *responses(files: Source[]): AsyncGenerator<(Placed | Row)[]> {
    for (const file of files) {
      let some = false
      for await (const batch of this.context.rows([file])) {
        some = true
        const out: (Placed | Row)[] = []
        try {
          for (const row of batch) out.push(...this.responseOf(row))
        } finally {
          // Also those before a line that ends the run.
          if (out.length > 0) yield out
        }
      }
      if (this.context.cut()) return
      if (!some) this.context.note('no responses', { file: file.name })
    }
  }

  /** The response in a row, or a failed row; nothing for one that is not wanted. @throws Fatal (data) under --bad-rows stop */
  private responseOf(row: Row): [] | [Placed | Row] {
    if (row.has('error')) return [row]
    try {
      const one = row.exact()
      const response = readResponse(one.item, () => one.itemText())
      return this.accept(response, one) ? [{ response, row: one }] : []
    } catch (error) {
      if (!(error instanceof BadResponse)) throw error
      const { badRows } = this.settings
      if (badRows === 'stop') throw new Fatal(EXIT.data, `${row.place}: ${error.message}`)
      if (badRows === 'pass') return [row.bare().fail('read', new RowFailure('bad_row', error.message))]
      this.context.badRow(error.message, row.file, row.line)
      return []
    }
  }

  /** Whether the response is wanted; reports anything unexpected in it with its place. */
  private accept(response: Response, row: Row): boolean {
    const { context, settings } = this
    const note = (message: string, kind: string) =>
      context.note(message, { file: row.file, line: row.line, kind })
    const { run, topic } = response
    const isNamed = settings.run.length === 0 || settings.run.includes(run)
    if (isNamed && this.chosenRuns.size < (settings.limitRuns ?? Infinity)) this.chosenRuns.add(run)
    this.runs.add(run)
    if (!this.chosenRuns.has(run) || (this.topics.has(topic) && !this.chosenTopics.has(topic))) return false
    if (!this.topics.has(topic)) {
      const message = `topic "${topic}" of run ${run} is not in ${settings.topics}`
      this.unknown++
      note(`${message}: left out`, 'unknown topic')
      return false
    }
    const topics = getOrInsert(this.seen, run, () => new Map())
    const before = topics.get(topic)
    if (before !== undefined) {
      this.duplicates++
      const message = `run ${run} has a response for topic ${topic} already (${before}): this one is left out`
      note(message, 'duplicate response')
      return false
    }
    topics.set(topic, row.place)
    if (response.otherAnswer)
      note('"responses" and "answer" are not the same: "responses" is read', 'two answers')
    if (response.dropped.length > 0)
      note(
        `citations of indexes outside "references" (${someNames(response.dropped.map(String))} of ${response.references.length}): left out`,
        'citation index',
      )
    return true
  }

  async *perResponse(files: Source[]): AsyncGenerator<Row[]> {
    for await (const batch of this.responses(files))
      yield batch.flatMap((one) =>
        one instanceof Row ? rowsMade(one, () => one) : rowsMade(one.row, () => this.responseRow(one)),
      )
  }

  private responseRow({ response, row }: Placed): Row {
    const item = responseItem(response, this.material, this.settings.whole ? row.item : undefined)
    for (const name of this.without) {
      if (Object.hasOwn(item, name)) this.left.add(name)
      delete item[name]
    }
    return Row.make(item, row.file, row.line)
  }

  /** Yields failed rows. @returns the responses by topic, sorted by run */
  async *gather(files: Source[]): AsyncGenerator<Row[], Map<string, Placed[]>> {
    const placed: Placed[] = []
    for await (const batch of this.responses(files))
      for (const one of batch)
        if (one instanceof Row) yield rowsMade(one, () => one)
        else placed.push(one)
    const byTopic = grouped(placed, ({ response }) => response.topic)
    for (const list of byTopic.values()) list.sort((a, b) => byCodePoint(a.response.run, b.response.run))
    return byTopic
  }

  *perTopic(byTopic: Map<string, Placed[]>): Generator<Row[]> {
    for (const [i, id] of [...this.chosenTopics].entries()) {
      const responses = (byTopic.get(id) ?? []).map(({ response }) => response)
      const file = this.topics.get(id)!.place.replace(/:\d+$/, '')
      yield [Row.make(topicItem(id, responses, this.material), file, i + 1)]
    }
  }

  *perPair(byTopic: Map<string, Placed[]>): Generator<Row[]> {
    for (const id of this.chosenTopics) {
      const list = byTopic.get(id) ?? []
      for (const [i, { response: a, row }] of list.entries())
        for (const { response: b } of list.slice(i + 1))
          yield [Row.make(pairItem(id, a, b, this.material), row.file, row.line)]
    }
  }

  private noSuchRun(run: string): string {
    const runs = [...this.runs].sort(byCodePoint)
    return `--run ${run}: no such run in the files (${runs.length > 0 ? `there are: ${someNames(runs)}` : 'the files have none'})`
  }

  /** Reports missing responses and runs, and counts what was left out. */
  finish(): void {
    const { context, seen, runs } = this
    const topics = [...this.chosenTopics]
    let missing = 0
    for (const [run, there] of seen) {
      const without = topics.filter((id) => !there.has(id))
      missing += without.length
      if (without.length > 0)
        context.note(`run ${run} has no response for ${someNames(without)}`, { kind: 'missing response' })
    }
    for (const run of this.settings.run) {
      if (seen.has(run)) continue
      if (!this.runs.has(run)) context.finish(EXIT.usage, this.noSuchRun(run))
      else if (this.chosenRuns.has(run))
        context.note(`run ${run} has no response for ${someNames(topics)}`, { kind: 'missing response' })
    }
    if (seen.size === 0 && runs.size > 0) context.finish(EXIT.data, `no response is for ${someNames(topics)}`)
    const absent = this.without.filter((name) => !this.left.has(name))
    if (absent.length > 0 && seen.size > 0)
      context.note(`--without: no item has the field ${someNames(absent)}`)
    const counts = { missing, duplicate: this.duplicates, 'of an unknown topic': this.unknown }
    const words = Object.entries(counts).flatMap(([what, count]) => (count > 0 ? `${count} ${what}` : []))
    if (words.length > 0) context.summary(() => `responses: ${words.join(', ')}`)
  }
}
