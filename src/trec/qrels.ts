/** Qrels: a grade for each topic and document. */

import { readFloat } from '../python/numbers.ts'
import { byCodePoint } from '../python/unicode.ts'
import { crypto } from '../rows/crypto.ts'
import { EXIT, Fatal } from '../rows/record.ts'
import { type Problem, topicProblems } from './leaderboard.ts'
import { bad, type OnBadLine, readEach, type TextLine, textLines } from './topics.ts'

export interface Qrel {
  topic: string
  doc: string
  /** A whole number. */
  grade: number
  place?: string
}

/** What to do with a second grade for the same document. */
export const DUPLICATES = ['keep_max', 'keep_last', 'error'] as const
type Duplicates = (typeof DUPLICATES)[number]

/** The id of a passage or response without one: the lower-case hex MD5 of its UTF-8 text. */
export const textId = (text: string): string => crypto().hash('md5', text)

/** Lines `topic 0 docid grade`, sorted by topic and document as strings. @throws Fatal (data) for white space in a name */
export function writeQrels(qrels: readonly Qrel[]): string {
  for (const name of qrels.flatMap(({ topic, doc }) => [topic, doc]))
    if (!/^\S+$/.test(name))
      throw new Fatal(
        EXIT.data,
        `${JSON.stringify(name)}: qrels cannot have white space in the name of a topic or document`,
      )
  return [...qrels]
    .sort((a, b) => byCodePoint(a.topic, b.topic) || byCodePoint(a.doc, b.doc))
    .map(({ topic, doc, grade }) => `${topic} 0 ${doc} ${grade}\n`)
    .join('')
}

/** One grade per document, truncated to a whole number. @throws Fatal (data) for a second grade under `error` */
export function uniqueQrels(
  qrels: readonly Qrel[],
  duplicates: Duplicates,
): { kept: Qrel[]; dropped: Qrel[] } {
  const kept = new Map<string, Qrel>()
  const dropped: Qrel[] = []
  for (const one of qrels) {
    const qrel = { ...one, grade: Math.trunc(one.grade) + 0 }
    const key = JSON.stringify([qrel.topic, qrel.doc])
    const before = kept.get(key)
    if (!before) {
      kept.set(key, qrel)
      continue
    }
    if (duplicates === 'error')
      throw new Fatal(
        EXIT.data,
        `topic ${qrel.topic}, document ${qrel.doc} has two grades, ${before.grade} and ${qrel.grade} (--duplicates)`,
      )
    if (duplicates === 'keep_last' || qrel.grade > before.grade) kept.set(key, qrel)
    dropped.push(qrel)
  }
  return { kept: [...kept.values()], dropped }
}

/** Grades written as words. */
const WORDS = new Map([
  ['True', 1],
  ['False', 0],
])

/**
 * Parses qrels. Further columns are ignored; True and False are 1 and 0.
 * @param onBad takes lines that are no qrels; without it short ones are reported
 * @returns the qrels with duplicates, which are reported
 * @throws Fatal (data) with `file:line`
 */
export function readQrels(
  text: string,
  name: string,
  onBad?: OnBadLine,
): { qrels: Qrel[]; problems: Problem[] } {
  const problems: Problem[] = []
  const seen = new Set<string>()
  const qrelOf = ({ line, place }: TextLine): Qrel | [] => {
    const report = (kind: string, message: string) => problems.push({ kind, message, place })
    const cells = line.split(/\s+/)
    if (cells.length < 4) {
      const message = `${cells.length} columns, a qrels row has 4`
      if (onBad) throw bad(place, message)
      report('short line', `${message}: left out`)
      return []
    }
    const [topic, , doc, written] = cells as [string, string, string, string]
    const value = WORDS.get(written) ?? readFloat(written)
    if (value === undefined || !Number.isFinite(value))
      throw bad(place, `the grade "${written}" is not a number`)
    const grade = Math.trunc(value) + 0
    if (grade !== value && value !== 0) report('fraction', `the grade ${written} is cut to ${grade}`)
    if (grade < 0) report('negative grade', `the grade ${grade} is negative`)
    const key = JSON.stringify([topic, doc])
    if (seen.has(key)) report('duplicate', `a second grade for topic ${topic}, document ${doc}`)
    seen.add(key)
    return { topic, doc, grade, place }
  }
  const qrels = readEach(textLines(text, name), qrelOf, onBad)
  if (qrels.length === 0 && problems.length > 0)
    throw bad(problems[0]!.place!, problems[0]!.message.replace(/: left out$/, ''))
  return { qrels, problems }
}

/** Reports negative grades, and missing or unexpected topics. */
export function verifyQrels(qrels: readonly Qrel[], topics?: readonly string[]): Problem[] {
  const negative = qrels
    .filter(({ grade }) => grade < 0)
    .map(({ topic, doc, grade, place }) => ({
      kind: 'negative grade',
      message: `topic ${topic}, document ${doc}: the grade ${grade} is negative`,
      place,
    }))
  const graded = new Set(qrels.map(({ topic }) => topic))
  return [...negative, ...topicProblems(graded, topics, 'topics without a grade', 'topics')]
}
