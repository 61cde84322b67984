/** Qrels: `topic 0 docid grade`. A response's docid is the MD5 of its text, or its run. */
import { utf8Text } from '../files/text.ts'
import type { Rows } from '../rows/reader.ts'
import { EXIT, Fatal, usageError } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { collect } from '../trec/collect.ts'
import { noteMissing, noteProblems } from '../trec/judged_board.ts'
import { ALL, withNumbers } from '../trec/leaderboard.ts'
import { QRELS_OPTIONS, type QrelsSettings } from '../trec/options.ts'
import { type Qrel, readQrels, textId, uniqueQrels, verifyQrels, writeQrels } from '../trec/qrels.ts'
import { topicIds } from '../trec/topics.ts'
import { badLines, inOrder } from './_bad_rows.ts'
import type { Format } from './_format.ts'

/** A document without a grade. */
interface Lost {
  topic: string
  doc: string
  what: string
  why: string
}

export const format: Format = {
  about: 'TREC qrels: topic 0 docid grade',
  unjudged: 'pass',
  writeOptions: QRELS_OPTIONS,

  async *read(sources, options, context) {
    for (const source of sources) {
      const text = await utf8Text(source)
      const bad = badLines(source.name, options, context)
      const { qrels, problems } = readQrels(text, source.name, bad.onBad)
      noteProblems(problems, context)
      const rows = qrels.map(({ topic, doc, grade, place }) =>
        Row.make({ topic_id: topic, doc_id: doc, grade }, source.name, Number(place?.split(':').at(-1))),
      )
      yield inOrder([...rows, ...bad.rows])
    }
  },

  async *write(rows, options, context) {
    const settings = options as QrelsSettings
    const topics = await topicIds(settings.topics)
    const grades = new Grades(settings)
    const collected = await collect(grades.judged(rows), settings, context)
    const { measures } = collected
    const measure = measures.find((name) => name === 'GRADE') ?? measures[0]
    if (measure !== undefined) collected.noteThresholds([measure])
    if (measures.length > 1 && measure !== 'GRADE')
      context.note(
        `the judge has ${measures.length} measures: the grade is ${measure} (--measure names another)`,
      )
    for (const { run, topic, measure: name, value } of withNumbers(collected.entries)) {
      if (name !== measure || topic === ALL) continue
      if (typeof value !== 'number')
        throw usageError(`${measure} is ${JSON.stringify(value)}, expected a number`)
      grades.graded.push({ topic, doc: grades.docOf(run, topic), grade: value })
    }
    for (const { run, topic, why } of collected.gaps)
      grades.lost.push({ topic, doc: grades.docOf(run, topic), what: `run ${run}`, why })
    const graded = [...grades.graded, ...replacements(grades.lost, settings, context)]
    if (graded.length === 0) context.finish(EXIT.gate, 'there are no grades')
    const cut = graded.filter(({ grade }) => !Number.isInteger(grade))
    if (cut.length > 0)
      context.note(
        `${cut.length === 1 ? 'a grade is' : `${cut.length} grades are`} cut to whole numbers, as qrels have them, such as ${cut[0]!.grade} of topic ${cut[0]!.topic}`,
      )
    const { kept, dropped } = uniqueQrels(graded, settings.duplicates)
    if (dropped.length > 0)
      context.note(
        `${dropped.length} second grades for the same document: ${settings.duplicates} (--duplicates)`,
      )
    noteProblems(verifyQrels(kept, topics), context)
    yield writeQrels(kept)
  },
}

class Grades {
  readonly graded: Qrel[] = []
  readonly lost: Lost[] = []
  private readonly by: QrelsSettings['doc']
  /** MD5 of each response's text, by run and topic. */
  private readonly docs = new Map<string, string>()

  constructor({ doc }: QrelsSettings) {
    this.by = doc
  }

  /** The judged rows among these; grades are taken from the others. */
  async *judged(rows: Rows): Rows {
    for await (const batch of rows) {
      const judged = batch.filter((row) => !this.take(row))
      if (this.by === 'md5')
        for (const { item } of judged)
          this.docs.set(JSON.stringify([item.run_id, item.topic_id]), textId(String(item.text ?? '')))
      if (judged.length > 0) yield judged
    }
  }

  /** Takes the grade of a row without a judge. @returns false if it has none */
  private take(row: Row): boolean {
    const { topic_id, doc_id, grade } = row.item
    if (doc_id === undefined || row.has('judge') || (grade === undefined && !row.has('error'))) return false
    const ids = { topic: String(topic_id), doc: String(doc_id) }
    const why = row.get('error')?.code ?? (grade === null ? 'no grade' : undefined)
    if (why === undefined) this.graded.push({ ...ids, grade: gradeOf(row), place: row.place })
    else this.lost.push({ ...ids, what: `document ${ids.doc}`, why })
    return true
  }

  docOf(run: string, topic: string): string {
    return this.by === 'run' ? run : (this.docs.get(JSON.stringify([run, topic])) ?? textId(''))
  }
}

/** Grades for documents without one, as --on-missing says; reports them. @throws Fatal (data) under `error` */
function replacements(lost: Lost[], settings: QrelsSettings, context: Context): Qrel[] {
  if (lost.length === 0) return []
  const missing = lost.map(({ topic, what, why }) => `${what}, topic ${topic}: no grade (${why})`)
  noteMissing(missing, settings, context)
  const filled = settings.onMissing === 'default'
  const what = filled ? `written as ${settings.default}` : 'left out'
  if (settings.onMissing !== 'skip') context.summary(() => `${lost.length} grades missing: ${what}`)
  return filled ? lost.map(({ topic, doc }) => ({ topic, doc, grade: settings.default })) : []
}

/** The grade of a row that holds one. @throws Fatal (data) if it is not a number */
function gradeOf(row: Row): number {
  const { grade } = row.item
  const value = typeof grade === 'string' && grade.trim() !== '' ? Number(grade) : grade
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new Fatal(EXIT.data, `${row.place}: "grade" is ${JSON.stringify(grade)}, expected a number`)
}
