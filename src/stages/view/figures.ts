/** Computes the figures of the overview. */
import { byKey, count } from '../../rows/maps.ts'
import type { JsonObject } from '../../rows/record.ts'
import { infer, type PairedSample } from '../../scoring/difference.ts'
import { Group } from '../../scoring/group.ts'
import { limitsOf } from '../../scoring/outcome.ts'
import { provenanceReport } from '../../scoring/provenance.ts'
import { type GradeScale, Span } from '../../scoring/scale.ts'
import { answerNames, shareSentence } from '../../scoring/share_words.ts'
import { wilson } from '../../statistics/interval.ts'
import { byNumber, inOrder } from './in_order.ts'
import {
  areOfOneScale,
  type Bin,
  type Confusion,
  type Difference,
  type GroupFigure,
  type Index,
  type Interval,
  type RunColumns,
  type RunFigure,
  type RunOverview,
  type Scatter,
  type ShareFigure,
  wordAt,
} from './model.ts'
import type { ViewRun } from './runs.ts'

/** Bins of a curve, and the least items of a bin. */
const BINS = 10
const FEWEST = 3
/** The most classes of a confusion matrix. */
const CLASSES = 12
/** The most runs for which differences are shown. */
const RUNS = 24

/** Decisions in the order of a scale from A to B. */
const DECISIONS = ['A>B', 'A=B', 'B>A']

/** Verdicts and labels in display order: decisions from A to B, options by their scores, others by name or number. */
export function wordsInOrder(runs: RunColumns[], labels: readonly string[]): string[] {
  const worth = new Map<string, { sum: number; n: number }>()
  for (const { verdict, score } of runs)
    for (const [i, at] of verdict.at.entries()) {
      const [word, value] = [verdict.words[at], score[i]]
      if (word === undefined || typeof value !== 'number') continue
      const one = worth.get(word) ?? { sum: 0, n: 0 }
      worth.set(word, { sum: one.sum + value, n: one.n + 1 })
    }
  const place = (word: string) => {
    const [decision, { sum, n } = { sum: 0, n: 0 }] = [DECISIONS.indexOf(word), worth.get(word)]
    return decision >= 0 ? decision - DECISIONS.length : n === 0 ? Number.MAX_VALUE : -sum / n
  }
  const words = new Set([...labels, ...runs.flatMap(({ verdict }) => verdict.words)])
  return [...words].sort((a, b) => place(a) - place(b) || byNumber(a, b))
}

export function runOverview(
  run: ViewRun,
  columns: RunColumns,
  index: Index,
  { ci, words }: { ci: number; words: string[] },
): Omit<RunOverview, 'warnings'> {
  const { sums } = run
  const all = sums?.all ?? new Group()
  const report = all.report({ ci })
  const groups = Object.fromEntries(
    [...(sums?.by ?? [])].map(([field, values]) => [field, estimates(values, ci)]),
  )
  const share = (count: unknown, of: unknown): ShareFigure | undefined =>
    typeof count === 'number' && typeof of === 'number' && of > 0
      ? { value: count / of, ci: wilson(count, of, ci), n: of }
      : undefined
  const consistent = columns.consistent.filter((one) => one !== null)
  return {
    name: run.name,
    judge: run.identity.judge,
    model: run.identity.model,
    file: run.identity.file,
    made: {
      ...(run.identity.judge_digest !== undefined && { judge_digest: run.identity.judge_digest }),
      ...(sums && provenanceReport(sums.provenance)),
    },
    stages: run.stages,
    report,
    totals: all.totals,
    estimate: estimateOf(report),
    sentence: shareSentence(report, ci),
    groups,
    slot: share(report.first_slot, report.decisive),
    consistency: share(consistent.filter((one) => one === 1).length, consistent.length),
    ms: run.latency,
    confusion: confusionOf(columns, index, words),
    scatter: scatterOf(columns, index, (report.range ?? undefined) as GradeScale | undefined),
    calibration: calibrationOf(columns, index, ci),
    length: lengthCurve(columns, index, ci),
  }
}

function estimates(values: Map<string, Group>, ci: number): Record<string, GroupFigure> {
  return Object.fromEntries(
    byKey(values).map(([value, group]) => {
      const { items, failed } = group
      return [value, { items, failed, estimate: estimateOf(group.report({ ci })) }]
    }),
  )
}

/** The main figure of a report: accuracy, or the mean score, or the first answer's share. */
function estimateOf(report: JsonObject): RunFigure | undefined {
  const ci = (report.ci ?? null) as Interval
  if (typeof report.accuracy === 'number')
    return { what: 'accuracy', value: report.accuracy, ci, n: Number(report.labelled ?? report.valid) }
  if (typeof report.score === 'number')
    return {
      ...{ what: 'score', value: report.score, ci, n: Number(report.valid) },
      ...(report.range ? { range: report.range as GradeScale } : {}),
    }
  if (typeof report.share !== 'number') return undefined
  return {
    ...{ what: 'preferred', value: report.share, ci, n: Number(report.valid) },
    answers: answerNames([report]),
  }
}

/** The differences of all pairs of runs on their common items. */
export function differences(
  runs: ViewRun[],
  columns: RunColumns[],
  overviews: Pick<RunOverview, 'estimate'>[],
  ci: number,
): Difference[] {
  const found: Difference[] = []
  if (runs.length > RUNS) return found
  for (let a = 0; a < runs.length; a++)
    for (let b = a + 1; b < runs.length; b++) {
      if (!areOfOneScale([overviews[a]!.estimate, overviews[b]!.estimate])) {
        found.push({ a, b })
        continue
      }
      const same = agreementOf(columns[a]!, columns[b]!)
      const one = apart(a, b)
      if (one || same) found.push({ a, b, ...one, ...(same && { same }) })
    }
  return found

  function apart(a: number, b: number): Apart | undefined {
    const what = overviews[a]!.estimate?.what
    if (what === undefined || what !== overviews[b]!.estimate?.what) return undefined
    const of = (run: number) => {
      const { credit, score, share } = runs[run]!.cells
      return { accuracy: credit, score, preferred: share }[what].at
    }
    return pairedDifference(of(a), of(b), limitsOf(runs[a]!.cells.range, runs[b]!.cells.range), ci)
  }
}

/** How many items both runs have a verdict on, and on how many it is the same. */
function agreementOf(a: RunColumns, b: RunColumns): Difference['same'] {
  const said = ({ verdict, score }: RunColumns, i: number) => wordAt(verdict, i) ?? score[i] ?? undefined
  let [n, of] = [0, 0]
  for (const i of a.verdict.at.keys()) {
    const [first, second] = [said(a, i), said(b, i)]
    if (first === undefined || second === undefined) continue
    of++
    if (first === second) n++
  }
  return of > 0 ? { n, of } : undefined
}

type Numbers = readonly (number | null)[]

interface Apart {
  value: number
  ci: Interval
  n: number
}

/** b − a on the items that both have, as jb-compare computes it. @param limits what it can be, if that is known */
function pairedDifference(
  a: Numbers,
  b: Numbers,
  limits: PairedSample['limits'],
  level: number,
): Apart | undefined {
  const both = [...a.keys()].filter((i) => a[i] !== null && (b[i] ?? null) !== null)
  if (both.length === 0) return undefined
  const of = (list: Numbers) => Float64Array.from(both, (i) => list[i]!)
  const plain = { groups: undefined, clustered: false, scores: false, labels: false }
  const sample = { ...plain, a: of(a), b: of(b), limits }
  const { difference, ci } = infer(sample, { ci: level, bootstrap: 0, seed: '' })
  return { value: difference, ci, n: both.length }
}

/** The confusion matrix of verdicts, or of integer scores. */
function confusionOf(
  { verdict, score }: RunColumns,
  { label }: Index,
  words: string[],
): Confusion | undefined {
  const scores = verdict.at.every((at) => at < 0)
  if (scores && score.some((one) => one !== null && !Number.isInteger(one))) return undefined
  const counts = new Map<string, number>()
  const [labels, judged] = [new Set<string>(), new Set<string>()]
  for (const [i, at] of label.at.entries()) {
    const said = scores ? score[i]?.toString() : wordAt(verdict, i)
    if (at < 0 || said === undefined) continue
    labels.add(label.words[at]!)
    judged.add(said)
    count(counts, JSON.stringify([label.words[at], said]))
  }
  if (labels.size === 0 || labels.size > CLASSES || judged.size > CLASSES) return undefined
  const [rows, columns] = scores
    ? [inOrder(labels), inOrder(judged)]
    : [words.filter((word) => labels.has(word)), words.filter((word) => judged.has(word))]
  return {
    ...(scores && { scores }),
    labels: rows,
    judged: columns,
    counts: rows.map((row) => columns.map((column) => counts.get(JSON.stringify([row, column])) ?? 0)),
  }
}

/** The most points of a scatter plot. */
const POINTS = 3000

function scatterOf(
  { score, verdict }: RunColumns,
  { label }: Index,
  range: GradeScale | undefined,
): Scatter | undefined {
  const counts = new Map<string, number>()
  for (const [i, at] of label.at.entries()) {
    const truth = at < 0 ? Number.NaN : Number(label.words[at])
    const judged = score[i]
    if (!Number.isFinite(truth) || typeof judged !== 'number' || (verdict.at[i] ?? -1) >= 0) continue
    count(counts, `${truth} ${judged}`)
  }
  if (counts.size === 0 || counts.size > POINTS) return undefined
  const points = [...counts].map(([key, n]): Scatter['points'][number] => [
    ...(key.split(' ').map(Number) as [number, number]),
    n,
  ])
  return { points, oneScale: isOneScale(points, range) }
}

/** Whether people's grades can be of the judge's scale; where that is not known, whether both have the same ends. */
function isOneScale(points: Scatter['points'], range: GradeScale | undefined): boolean {
  const [labels, scores] = [new Span(), new Span()]
  for (const [label, score] of points) {
    labels.add(label)
    scores.add(score)
  }
  return range
    ? labels.within(range) && !labels.isHalf(range)
    : labels.low === scores.low && labels.high === scores.high
}

/** How often the judge is right (a score must equal the label), by its stated confidence. */
function calibrationOf(
  { numbers, correct, score }: RunColumns,
  { label }: Index,
  ci: number,
): Bin[] | undefined {
  const points = (numbers.confidence ?? []).flatMap((x, i): Point[] => {
    const truth = wordAt(label, i)
    const hit =
      correct[i] ?? (score[i] == null || truth === undefined ? null : Number(Number(truth) === score[i]))
    return x === null || hit === null ? [] : [[x, hit as 0 | 1]]
  })
  return curve(points, ci)
}

/** How often A is preferred, by the difference in length. */
function lengthCurve({ verdict }: RunColumns, { numbers }: Index, ci: number): Bin[] | undefined {
  const points = (numbers.length_difference ?? []).flatMap((x, i): Point[] => {
    const said = wordAt(verdict, i)
    return x === null || (said !== 'A>B' && said !== 'B>A') ? [] : [[x, said === 'A>B' ? 1 : 0]]
  })
  return curve(points, ci)
}

type Point = [x: number, hit: 0 | 1]

/** Bins of equal size; points with equal x are in one bin. */
function curve(points: Point[], ci: number): Bin[] | undefined {
  if (points.length < 2 * FEWEST) return undefined
  points.sort(([a], [b]) => a - b)
  const size = Math.max(FEWEST, Math.ceil(points.length / BINS))
  const bins: Bin[] = []
  for (let from = 0; from < points.length; ) {
    let to = Math.min(points.length, from + size)
    while (to < points.length && points[to]![0] === points[to - 1]![0]) to++
    if (points.length - to < FEWEST) to = points.length
    const bin = points.slice(from, to)
    const hits = bin.reduce((sum, [, hit]) => sum + hit, 0)
    const x = bin.reduce((sum, [value]) => sum + value, 0) / bin.length
    bins.push({ x, value: hits / bin.length, ci: wilson(hits, bin.length, ci), n: bin.length })
    from = to
  }
  return bins
}
