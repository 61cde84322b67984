/** Agreement of a judge's qrels with others, topic by topic, as AutoJudge's qrel-evaluate counts it. */

import { byCodePoint } from '../python/unicode.ts'
import { cohenKappa, krippendorffAlpha } from '../statistics/agreement.ts'
import type { Qrel } from './qrels.ts'

export interface AgreementSettings {
  /** A document is relevant from this grade on: in the truth, in the judge's. */
  truthMin: number
  judgeMin: number
  /** Grades are clipped to 0..max where two scales are compared. */
  maxGrade: number
}

/** What is said of a topic; null stands where a measure cannot be told. Counts are absent in the mean. */
export interface Agreement {
  topic: string
  values: Record<string, number | null>
}

/** Measures of each topic (those of either side, by name), and their mean over the topics that have them. */
export function agreement(
  truth: readonly Qrel[],
  judge: readonly Qrel[],
  settings: AgreementSettings,
): Agreement[] {
  const [expected, given] = [byTopic(truth), byTopic(judge)]
  const topics = [...new Set([...expected.keys(), ...given.keys()])].sort(byCodePoint)
  const rows = topics.map((topic) => ({
    topic,
    values: topicAgreement(expected.get(topic) ?? new Map(), given.get(topic) ?? new Map(), settings),
  }))
  return [...rows, { topic: 'MEAN', values: meanOf(rows, settings) }]
}

type Grades = Map<string, number>

function byTopic(qrels: readonly Qrel[]): Map<string, Grades> {
  const topics = new Map<string, Grades>()
  for (const { topic, doc, grade } of qrels) {
    let grades = topics.get(topic)
    if (!grades) topics.set(topic, (grades = new Map()))
    grades.set(doc, grade)
  }
  return topics
}

const COUNTS = ['TP', 'FP', 'FN']

/** Kappa's name says its threshold, and both where they differ. */
const kappaName = ({ truthMin, judgeMin }: AgreementSettings) =>
  truthMin === judgeMin ? `Kappa@${truthMin}` : `Kappa@${truthMin}v${judgeMin}`

function topicAgreement(
  truth: Grades,
  judge: Grades,
  settings: AgreementSettings,
): Record<string, number | null> {
  const { truthMin, judgeMin, maxGrade } = settings
  const relevant = new Set([...truth].filter(([, grade]) => grade >= truthMin).map(([doc]) => doc))
  const found = new Set([...judge].filter(([, grade]) => grade >= judgeMin).map(([doc]) => doc))
  const both = [...found].filter((doc) => relevant.has(doc)).length
  const precision = found.size === 0 ? 0 : both / found.size
  const recall = relevant.size === 0 ? 0 : both / relevant.size
  const either = relevant.size + found.size - both

  const docs = [...new Set([...truth.keys(), ...judge.keys()])]
  const clip = (grade: number | undefined) => Math.max(0, Math.min(maxGrade, grade ?? 0))
  const a = docs.map((doc) => clip(truth.get(doc)))
  const b = docs.map((doc) => clip(judge.get(doc)))
  const order = Array.from({ length: maxGrade + 1 }, (_, grade) => grade)
  const constant = new Set(a).size < 2 && new Set(b).size < 2
  return {
    Precision: precision,
    Recall: recall,
    F1: precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall),
    TP: both,
    FP: found.size - both,
    FN: relevant.size - both,
    Jaccard: either === 0 ? null : both / either,
    [kappaName(settings)]: cohenKappa(
      docs.map((doc) => Number((truth.get(doc) ?? 0) >= truthMin)),
      docs.map((doc) => Number((judge.get(doc) ?? 0) >= judgeMin)),
    ),
    Kappa_w: constant ? null : cohenKappa(a, b, 'linear', { order }),
    Kripp_a: krippendorffAlpha(
      docs.map((_, i) => [a[i]!, b[i]!]),
      'ordinal',
    ),
    ARI: adjustedRandIndex(a, b),
  }
}

function meanOf(rows: readonly Agreement[], settings: AgreementSettings): Record<string, number | null> {
  const names = Object.keys(rows[0]?.values ?? topicAgreement(new Map(), new Map(), settings))
  return Object.fromEntries(
    names
      .filter((name) => !COUNTS.includes(name))
      .map((name) => {
        const values = rows.map((row) => row.values[name]).filter((value) => typeof value === 'number')
        return [
          name,
          values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length,
        ]
      }),
  )
}

/**
 * The adjusted Rand index (Hubert and Arabie 1985) of two labellings of the same things: 1 for the same
 * partition, about 0 by chance. Null for fewer than two things; 1 where both put all in one class.
 */
export function adjustedRandIndex(a: readonly number[], b: readonly number[]): number | null {
  if (a.length < 2) return null
  const cells = new Map<string, number>()
  const [rows, columns] = [new Map<number, number>(), new Map<number, number>()]
  const add = <K>(map: Map<K, number>, key: K) => map.set(key, (map.get(key) ?? 0) + 1)
  for (let i = 0; i < a.length; i++) {
    add(cells, `${a[i]},${b[i]}`)
    add(rows, a[i]!)
    add(columns, b[i]!)
  }
  const pairs = (counts: Iterable<number>) => [...counts].reduce((sum, n) => sum + (n * (n - 1)) / 2, 0)
  const [together, inA, inB] = [pairs(cells.values()), pairs(rows.values()), pairs(columns.values())]
  const expected = (inA * inB) / ((a.length * (a.length - 1)) / 2)
  const most = (inA + inB) / 2
  return most === expected ? 1 : (together - expected) / (most - expected)
}
