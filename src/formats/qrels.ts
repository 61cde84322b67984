/** Qrels: `topic 0 docid grade`. A response's docid is the MD5 of its text, or its run. */
import { utf8Text } from '../files/text.ts'
import { EXIT, Fatal, usageError } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import { collect } from '../trec/collect.ts'
import { noteProblems } from '../trec/judged_board.ts'
import { ALL, withNumbers } from '../trec/leaderboard.ts'
import type { TrecSettings } from '../trec/options.ts'
import { type Qrel, readQrels, textId, uniqueQrels, verifyQrels, writeQrels } from '../trec/qrels.ts'
import { topicIds } from '../trec/topics.ts'
import { inOrder, inPlaceOf, refusal, screened } from './_bad_rows.ts'
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
  unscored: true,
  measured: true,

  async *read(sources, options, context) {
    for (const source of sources) {
      const text = await utf8Text(source)
      const wrong = (line: string) => refusal(() => readQrels(line, ''))
      const { good, bad } =
        options.badRows === 'stop' ? { good: text, bad: [] } : screened(text, source.name, wrong)
      const { qrels, problems } = readQrels(good, source.name)
      noteProblems(problems, context)
      const rows = qrels.map(({ topic, doc, grade, place }) =>
        Row.make({ topic_id: topic, doc_id: doc, grade }, source.name, Number(place?.split(':').at(-1))),
      )
      yield inOrder([...rows, ...bad.flatMap((one) => inPlaceOf(one, options, context))])
    }
  },

  async *write(rows, options, context) {
    const settings = options as TrecSettings
    const topics = topicIds(settings.topics)
    const graded: Qrel[] = []
    const lost: Lost[] = []
    /** MD5 of each response's text, by run and topic. */
    const docs = new Map<string, string>()
    async function* remembered() {
      for await (const batch of rows) {
        const judged = []
        for (const row of batch) {
          const { run_id, topic_id, text, doc_id, grade } = row.item
          if (doc_id !== undefined && (grade !== undefined || row.has('error')) && !row.has('judge')) {
            const ids = { topic: String(topic_id), doc: String(doc_id) }
            const lack = row.get('error')?.code ?? (grade === null ? 'no grade' : undefined)
            if (lack !== undefined) lost.push({ ...ids, what: `document ${ids.doc}`, why: lack })
            else graded.push({ ...ids, grade: gradeOf(row), place: row.place })
            continue
          }
          if (settings.doc === 'md5') docs.set(JSON.stringify([run_id, topic_id]), textId(String(text ?? '')))
          judged.push(row)
        }
        if (judged.length > 0) yield judged
      }
    }
    const { entries, measures, gaps, noteThresholds } = await collect(remembered(), settings, context)
    const measure = measures.find((name) => name === 'GRADE') ?? measures[0]
    if (measure !== undefined) noteThresholds([measure])
    if (measures.length > 1 && measure !== 'GRADE')
      context.note(
        `the judge has ${measures.length} measures: the grade is ${measure} (--measure names another)`,
      )
    for (const { run, topic, measure: name, value } of withNumbers(entries)) {
      if (name !== measure || topic === ALL) continue
      if (typeof value !== 'number')
        throw usageError(`${measure} is ${JSON.stringify(value)}, expected a number`)
      graded.push({ topic, doc: docOf(run, topic, settings, docs), grade: value })
    }
    for (const { run, topic, why } of gaps)
      lost.push({ topic, doc: docOf(run, topic, settings, docs), what: `run ${run}`, why })
    for (const { topic, doc, what, why } of lost) {
      context.note(`${what}, topic ${topic}: no grade (${why})`, { kind: 'missing grade' })
      if (settings.onMissing === 'default') graded.push({ topic, doc, grade: settings.default })
    }
    if (lost.length > 0) {
      if (settings.onMissing === 'error')
        throw new Fatal(EXIT.data, `${lost.length} grades missing (--on-missing error)`)
      context.summary(
        () =>
          `${lost.length} grades missing: ${settings.onMissing === 'default' ? `written as ${settings.default}` : 'left out'}`,
      )
    }
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

/** The grade of a row that holds one. @throws Fatal (data) if it is not a number */
function gradeOf(row: Row): number {
  const { grade } = row.item
  const value = typeof grade === 'string' && grade.trim() !== '' ? Number(grade) : grade
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new Fatal(EXIT.data, `${row.place}: "grade" is ${JSON.stringify(grade)}, expected a number`)
}

function docOf(run: string, topic: string, { doc }: TrecSettings, docs: Map<string, string>): string {
  return doc === 'run' ? run : (docs.get(JSON.stringify([run, topic])) ?? textId(''))
}
