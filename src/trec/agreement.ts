/** Agreement of a judge's qrels with others by topic, as AutoJudge's qrel-evaluate computes it. */

import { roundFloat } from '../python/numbers.ts'
import { byCodePoint } from '../python/unicode.ts'
import { countEach, mapValues } from '../rows/maps.ts'
import { cohenKappa, krippendorffAlpha } from '../statistics/agreement.ts'
import { meanOrNull } from './correlation.ts'
import { byTopic } from './leaderboard.ts'
import type { Qrel } from './qrels.ts'

export interface AgreementSettings {
  /** The lowest relevant grade in the truth and in the judge's qrels. */
  truthMin: number
  judgeMin: number
  /** Grades are clipped to 0..max. If the two differ, weighted kappa and alpha are undefined. */
  truthMax: number
  judgeMax: number
  /** The grade of a document that only one side has. */
  defaultGrade: number
  /** Leave out topics that only one side has. */
  sharedTopics: boolean
}

/** A topic's measures, null if undefined. The mean has no counts. */
interface Agreement {
  topic: string
  values: Record<string, number | null>
  /** Why a measure is undefined, by its name. */
  why: Record<string, string>
}

/** Each topic's measures, sorted by topic, and their mean over the topics that have them; to four decimals. */
export function agreementByTopic(
  truth: readonly Qrel[],
  judge: readonly Qrel[],
  settings: AgreementSettings,
): Agreement[] {
  const [expected, given] = [gradesOf(truth), gradesOf(judge)]
  const topics = [...new Set([...expected.keys(), ...given.keys()])]
    .filter((topic) => !settings.sharedTopics || (expected.has(topic) && given.has(topic)))
    .sort(byCodePoint)
  const rows = topics.map((topic) => {
    const why: Record<string, string> = {}
    const grades = [expected.get(topic) ?? new Map(), given.get(topic) ?? new Map()] as const
    return { topic, values: mapValues(topicAgreement(...grades, settings, why), inPython), why }
  })
  return [...rows, { topic: 'MEAN', values: mapValues(meanOf(rows, settings), inNumPy), why: {} }]
}

const inPython = (value: number | null) => value && roundFloat(value, 4)
/** AutoJudge's mean is of rounded values, and NumPy rounds what is scaled: 0.33335 to 0.3334. */
const inNumPy = (value: number | null) => value && roundFloat(value * 1e4, 0) / 1e4

type Grades = Map<string, number>

const gradesOf = (qrels: readonly Qrel[]) => byTopic(qrels, ({ doc, grade }) => [doc, grade])

export const COUNTS = ['TP', 'FP', 'FN']

/** The kappas: one for each pair of thresholds on the two scales. */
function thresholds({
  truthMax,
  judgeMax,
}: AgreementSettings): [name: string, truth: number, judge: number][] {
  if (truthMax === 1 && judgeMax === 1) return [['Kappa@1', 1, 1]]
  const upTo = (max: number) => Array.from({ length: max }, (_, i) => i + 1)
  return upTo(truthMax).flatMap((t) =>
    upTo(judgeMax).map((j) => [`Kappa@${t}v${j}`, t, j] as [string, number, number]),
  )
}

function topicAgreement(
  truth: Grades,
  judge: Grades,
  settings: AgreementSettings,
  why: Record<string, string>,
): Record<string, number | null> {
  const { truthMin, judgeMin, truthMax, judgeMax, defaultGrade } = settings
  const docs = [...new Set([...truth.keys(), ...judge.keys()])]
  const clipped = (grades: Grades, max: number) =>
    docs.map((doc) => Math.max(0, Math.min(max, grades.get(doc) ?? defaultGrade)))
  const [a, b] = [clipped(truth, truthMax), clipped(judge, judgeMax)]
  const from = (grades: readonly number[], least: number) => grades.map((grade) => Number(grade >= least))
  const [inTruth, inJudge] = [from(a, truthMin), from(b, judgeMin)]
  const both = inTruth.filter((one, i) => one && inJudge[i]).length
  const either = inTruth.filter((one, i) => one || inJudge[i]).length
  if (either === 0) why.Jaccard = 'neither side has a relevant document'
  const values: Record<string, number | null> = {
    ...overlap(truth, judge, settings, why),
    Jaccard: either === 0 ? null : both / either,
  }
  const kappa = (name: string, x: readonly number[], y: readonly number[], order?: readonly number[]) => {
    const single = new Set(x).size < 2 && new Set(y).size < 2
    if (single) why[name] = 'each side has only one class'
    values[name] = single ? null : order ? cohenKappa(x, y, 'linear', { order }) : cohenKappa(x, y)
  }
  for (const [name, t, j] of thresholds(settings)) kappa(name, from(a, t), from(b, j))
  const scale = Array.from({ length: truthMax + 1 }, (_, grade) => grade)
  if (truthMax !== judgeMax) {
    why.Kripp_a = why.Kappa_w = `the scales differ: 0 to ${truthMax} and 0 to ${judgeMax}`
    values.Kripp_a = values.Kappa_w = null
  } else {
    kappa('Kappa_w', a, b, scale)
    values.Kripp_a = krippendorffAlpha(
      docs.map((_, i) => [a[i]!, b[i]!]),
      'ordinal',
    )
    if (values.Kripp_a === null) why.Kripp_a = 'all grades are the same'
  }
  values.ARI = adjustedRandIndex(inTruth, inJudge)
  return values
}

/** Precision, recall, F1 and counts of the relevant documents; null if there are none. */
function overlap(
  truth: Grades,
  judge: Grades,
  { truthMin, judgeMin, sharedTopics }: AgreementSettings,
  why: Record<string, string>,
): Record<string, number | null> {
  const relevant = new Set([...truth].filter(([, grade]) => grade >= truthMin).map(([doc]) => doc))
  const found = [...judge].filter(([, grade]) => grade >= judgeMin).map(([doc]) => doc)
  const sides = Number(relevant.size > 0) + Number(found.length > 0)
  if (sides === 1 && sharedTopics)
    why.Precision =
      'only one side has a relevant document, so there are no recall and F1 either (--on-missing default counts them as 0)'
  if (sides === 0 || (sharedTopics && sides < 2))
    return Object.fromEntries(['Precision', 'Recall', 'F1', ...COUNTS].map((name) => [name, null]))
  const both = found.filter((doc) => relevant.has(doc)).length
  const precision = found.length === 0 ? 0 : both / found.length
  const recall = relevant.size === 0 ? 0 : both / relevant.size
  return {
    Precision: precision,
    Recall: recall,
    F1: precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall),
    TP: both,
    FP: found.length - both,
    FN: relevant.size - both,
  }
}

function meanOf(rows: readonly Agreement[], settings: AgreementSettings): Record<string, number | null> {
  const names = Object.keys(rows[0]?.values ?? topicAgreement(new Map(), new Map(), settings, {}))
  return Object.fromEntries(
    names
      .filter((name) => !COUNTS.includes(name))
      .map((name) => {
        const values = rows.map((row) => row.values[name]).filter((value) => typeof value === 'number')
        return [name, meanOrNull(values)]
      }),
  )
}

/**
 * The adjusted Rand index (Hubert and Arabie 1985) of two labellings: 1 for the same partition, about 0 by chance. Null
 * without items; 1 for a single item, and if both have one class.
 */
export function adjustedRandIndex(a: readonly number[], b: readonly number[]): number | null {
  if (a.length < 2) return a.length === 0 ? null : 1
  const pairs = (of: readonly unknown[]) =>
    [...countEach(of).values()].reduce((sum, n) => sum + (n * (n - 1)) / 2, 0)
  const [together, inA, inB] = [pairs(a.map((one, i) => `${one},${b[i]}`)), pairs(a), pairs(b)]
  const expected = (inA * inB) / ((a.length * (a.length - 1)) / 2)
  const most = (inA + inB) / 2
  return most === expected ? 1 : (together - expected) / (most - expected)
}
