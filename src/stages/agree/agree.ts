/** jb-agree: compares leaderboards with a leaderboard, or qrels with qrels. */

import { basename } from 'node:path'
import { FileNames } from '../../files/file_names.ts'
import { fileSource } from '../../files/files.ts'
import { printExact } from '../../formats/_exact_rows.ts'
import { ignoredOption, ignoredOptions } from '../../options/ignored.ts'
import { someLacking, someNames } from '../../options/nearest.ts'
import { mapValues } from '../../rows/maps.ts'
import type { Source } from '../../rows/reader.ts'
import { EXIT, Fatal, usageError } from '../../rows/record.ts'
import type { Context, Stage } from '../../rows/stage.ts'
import { type AgreementSettings, agreementByTopic, COUNTS } from '../../trec/agreement.ts'
import { meanOrNull, tenDecimals } from '../../trec/correlation.ts'
import { writeDiagnosis } from '../../trec/diagnosis.ts'
import { ALL, type BoardEntry, distinct, type Entries, withMissingAll } from '../../trec/leaderboard.ts'
import { type BoardFile, loadBoard } from '../../trec/load_board.ts'
import { checkMethods, DEFAULT_METHODS, metaEvaluate } from '../../trec/meta.ts'
import { BOARD_FORMATS } from '../../trec/options.ts'
import type { MetaRow, Scale } from '../../trec/pair.ts'
import type { Qrel } from '../../trec/qrels.ts'
import { type AgreeOptions, spec } from './options.ts'

export type { AgreeOptions } from './options.ts'

/** Yields the text of one report over all files. */
export const agree: Stage<AgreeOptions> = async function* (_rows, options, context) {
  yield await printExact(await compareWithTruth(options, context), options, context)
}

/** The rows of one report over all files. */
export async function compareWithTruth(settings: AgreeOptions, context: Context): Promise<MetaRow[]> {
  const methods =
    settings.correlation.length > 0 ? settings.correlation.flatMap((one) => one.split(',')) : DEFAULT_METHODS
  checkMethods(methods)
  const [ofTruth, ofInput] = formatsIn(settings.from)
  const truth = await loadBoard(fileSource(truthFile(context)), { ...settings, from: ofTruth }, context)
  const runs = distinct(truth.entries, 'run').length
  if (!truth.qrels && runs < 3)
    throw new Fatal(EXIT.data, `the truth has ${runs} run${runs === 1 ? '' : 's'}, at least 3 are needed`)
  checkUsed(settings, methods, truth, context)
  const rows: MetaRow[] = []
  const names = new FileNames()
  for (const source of context.sources)
    for (const row of await compare(source, truth, methods, { ...settings, from: ofInput, names }, context))
      rows.push(row)
  if (rows.length === 0)
    context.finish(EXIT.gate, 'nothing was compared: no measure in the leaderboards has only numbers')
  // Of qrels, the row of the mean over topics stands for each judge.
  const shown = settings.aggregate
    ? [meanRow(truth.qrels ? rows.filter(({ Topic }) => Topic === MEAN) : rows)]
    : rows
  return shown.map((row) => mapValues(row, (one) => (typeof one === 'number' ? tenDecimals(one) : one)))
}

/** The formats of the truth and of the input; undefined for those to be detected. @throws Fatal (usage) */
function formatsIn(from: string | undefined): [string | undefined, string | undefined] {
  const [truth, input = truth, ...more] = from?.split(',') ?? []
  for (const one of [truth, input])
    if (more.length > 0 || (one && !BOARD_FORMATS.includes(one)))
      throw usageError(`--from ${from}: expected one or two of ${BOARD_FORMATS.join(', ')}`)
  return [truth || undefined, input || undefined]
}

/** The operand. */
const truthFile = ({ positional }: Context) => positional[0]!

const OF_BOARDS = ['correlation', 'truth-measure', 'measure', 'run', 'range', 'diagnostics-dir']
const OF_QRELS = spec.options.filter(({ name }) => /^(relevant|max-grade)$/.test(name))

/** Reports options without effect. @throws Fatal (usage) */
function checkUsed(
  settings: AgreeOptions,
  methods: readonly string[],
  { qrels, name }: BoardFile,
  context: Context,
): void {
  if (qrels) ignoredOptions(OF_BOARDS, settings, `it is for leaderboards, and ${name} holds qrels`, context)
  else ignoredOptions(OF_QRELS, settings, `it is for qrels, and ${name} holds a leaderboard`, context)
  if (qrels && settings.onlyShared.includes('runs'))
    ignoredOption('only-shared', `--only-shared runs is for leaderboards, and ${name} holds qrels`, context)
  if (settings.range.length > 0 && !methods.includes('bland_altman'))
    ignoredOption('range', 'it goes with --correlation bland_altman', context)
}

async function compare(
  source: Source,
  truth: BoardFile,
  methods: readonly string[],
  settings: AgreeOptions & { names: FileNames },
  context: Context,
): Promise<MetaRow[]> {
  const judge = await loadBoard(source, settings, context)
  if (truth.qrels && judge.qrels) return qrelsRows(judge, truth.qrels, judge.qrels, settings, context)
  if (truth.qrels)
    throw usageError(`${truth.name} holds qrels, ${source.name} a leaderboard: jb-write qrels makes qrels`)
  const expected = distinct(truth.entries, 'run')
  const found = new Set(distinct(judge.entries, 'run'))
  if (!expected.some((run) => found.has(run)))
    context.finish(
      EXIT.gate,
      `${source.name} has no run of ${truth.name}: there are ${someNames([...found])}, and in the truth ${someNames(expected)}`,
    )
  const topics = topicsOf(truth.entries, judge.entries, settings)
  const ofTopics = (entries: BoardEntry[]) =>
    topics
      ? withMissingAll(
          entries.filter(({ topic }) => topics.has(topic)),
          true,
        )
      : entries
  const wanted = settings.measure
  const measures = distinct(judge.entries, 'measure')
  for (const name of wanted)
    if (!measures.includes(name))
      throw usageError(`--measure ${name}: ${source.name} has ${someNames(measures)}`)
  const given = ofTopics(judge.entries).filter(
    ({ measure }) => wanted.length === 0 || wanted.includes(measure),
  )
  const compat = settings.compat === 'autojudge'
  const shared =
    settings.onlyShared.includes('runs') || (compat && methods.some((method) => method.includes('@')))
  const runs = runsOf(truth.entries, judge.entries, settings, shared)
  const ofRuns = (entries: BoardEntry[]) => (runs ? entries.filter(({ run }) => runs.has(run)) : entries)
  const { diagnosticsDir: folder, names } = settings
  const ranges = rangesOf(settings.range)
  if (methods.includes('bland_altman'))
    noteRanges(ranges, [...distinct(truth.entries, 'measure'), ...measures], context)
  return metaEvaluate(judge.name, ofRuns(ofTopics(truth.entries)), ofRuns(given), {
    ...settings,
    methods,
    ranges,
    compat,
    onMethod: folder === undefined ? undefined : (one) => writeDiagnosis(folder, source.name, one, names),
  })
}

/** The runs to compare; undefined for all. @throws Fatal (usage) for a run that neither side has */
function runsOf(
  truth: Entries,
  judge: Entries,
  { run: wanted, compat }: AgreeOptions,
  shared: boolean,
): ReadonlySet<string> | undefined {
  if (wanted.length === 0 && !shared) return undefined
  const expected = distinct(truth, 'run')
  const scored = new Set(distinct(judge, 'run'))
  const known = new Set([...expected, ...scored])
  for (const run of wanted)
    if (!known.has(run) && compat === undefined) throw usageError(`--run ${run}: neither side has such a run`)
  const kept = shared ? expected.filter((run) => scored.has(run)) : [...known]
  return new Set(kept.filter((run) => wanted.length === 0 || wanted.includes(run)))
}

/** The means of all figures, each over the rows that have it. */
function meanRow(rows: readonly MetaRow[]): MetaRow {
  const mean: MetaRow = { Judges: BigInt(rows.length) }
  for (const key of new Set(rows.flatMap((row) => Object.keys(row)))) {
    const values = rows.map((row) => row[key]).filter((value) => value != null && !Number.isNaN(value))
    if (values.every((value) => typeof value === 'number')) mean[key] = meanOrNull(values)
  }
  return mean
}

/** The topics to compare; undefined for all. @throws Fatal (data) if none is left */
function topicsOf(
  truth: readonly { topic: string }[],
  judge: readonly { topic: string }[],
  settings: AgreeOptions,
): Set<string> | undefined {
  const isShared = settings.onlyShared.includes('topics')
  if (settings.topic.length === 0 && !isShared) return undefined
  const judged = new Set(distinct(judge, 'topic'))
  const kept = distinct(truth, 'topic').filter(
    (topic) =>
      topic !== ALL &&
      (!isShared || judged.has(topic)) &&
      (settings.topic.length === 0 || settings.topic.includes(topic)),
  )
  if (kept.length === 0) throw new Fatal(EXIT.data, 'the two sides share none of the chosen topics')
  return new Set(kept)
}

/** Reports measures without a range, and ranges of no measure. */
function noteRanges(
  ranges: ReadonlyMap<string, unknown>,
  measures: readonly string[],
  { note }: Context,
): void {
  const without = [...new Set(measures)].filter((name) => !ranges.has(name) && !ranges.has('*'))
  if (without.length > 0)
    note(`bland_altman: no figures of ${someNames(without)} without their range (--range NAME=LOW:HIGH)`)
  for (const name of ranges.keys())
    if (name !== '*' && !measures.includes(name))
      note(`--range ${name}: no such measure (there are: ${someNames([...new Set(measures)])})`)
}

function rangesOf(given: readonly string[]): Map<string, Scale> {
  return new Map(
    given.map((text) => {
      const [, name, low, high] = /^(.+)=([^:=]+):([^:=]+)$/.exec(text) ?? []
      const range = [Number(low), Number(high)] as const
      if (name === undefined || !(range[0] < range[1]))
        throw usageError(`--range ${text}: expected NAME=LOW:HIGH`)
      return [name, range]
    }),
  )
}

/** @throws Fatal (usage) */
function agreementOf({
  relevant,
  maxGrade,
  default: defaultGrade,
  onMissing,
  compat,
}: AgreeOptions): AgreementSettings {
  const pair = (text: string, option: string) => {
    const [first, second = first] = text.split(',').map(Number)
    if (!Number.isInteger(first) || !Number.isInteger(second) || first! < 1 || second! < 1)
      throw usageError(`--${option} ${text}: expected N or N,M, whole numbers of at least 1`)
    return [first!, second!] as const
  }
  const [truthMin, judgeMin] = pair(relevant, 'relevant')
  const [truthMax, judgeMax] = pair(maxGrade, 'max-grade')
  if (compat !== 'autojudge' && (truthMin > truthMax || judgeMin > judgeMax))
    throw usageError(`--relevant ${relevant} is above --max-grade ${maxGrade}: nothing would be relevant`)
  if (!Number.isInteger(defaultGrade) || defaultGrade < 0)
    throw usageError(`--default ${defaultGrade}: a grade is a whole number of at least 0`)
  const sharedTopics = onMissing === 'skip' || onMissing === 'warn'
  return { truthMin, judgeMin, truthMax, judgeMax, defaultGrade, sharedTopics }
}

/** The name of the row with means over topics. */
const MEAN = 'MEAN'

/** Reports grades beyond the scale, which count as its ends. */
function noteClipped(name: string, qrels: readonly Qrel[], most: number, { note }: Context): void {
  const high = qrels.reduce((most, { grade }) => Math.max(most, grade), 0)
  const low = qrels.reduce((least, { grade }) => Math.min(least, grade), 0)
  if (high > most) note(`${name}: grades up to ${high} count as ${most}, the highest (--max-grade ${high})`)
  if (low < 0) note(`${name}: grades down to ${low} count as 0`)
}

/** Agreement of two qrels, topic by topic. @throws Fatal (data) under `error` */
function qrelsRows(
  judge: BoardFile,
  allTruth: readonly Qrel[],
  allGiven: readonly Qrel[],
  settings: AgreeOptions,
  context: Context,
): MetaRow[] {
  const topics = topicsOf(allTruth, allGiven, settings)
  const [truth, given] = [allTruth, allGiven].map((all) =>
    all.filter(({ topic }) => !topics || topics.has(topic)),
  ) as [Qrel[], Qrel[]]
  const scales = agreementOf(settings)
  noteClipped(basename(truthFile(context)), truth, scales.truthMax, context)
  noteClipped(judge.name, given, scales.judgeMax, context)
  const [expected, judged] = [truth, given].map((all) => new Set(distinct(all, 'topic')))
  const missing = someLacking(expected!, judged!)
  const extra = someLacking(judged!, expected!)
  const words = [
    missing && `no grades for topics ${missing}`,
    extra && `topics that the truth lacks: ${extra}`,
  ].filter(Boolean)
  if (words.length > 0 && settings.onMissing === 'error')
    throw new Fatal(EXIT.data, `${judge.name}: ${words.join('; ')} (--on-missing error)`)
  if (words.length > 0 && settings.onMissing === 'warn')
    context.note(`${judge.name}: ${words.join('; ')}: left out (--on-missing default counts them)`)
  const rows = agreementByTopic(truth, given, scales)
  for (const { topic, why } of rows)
    for (const [measure, reason] of Object.entries(why))
      context.note(`${judge.name}: topic ${topic}: ${measure} is undefined: ${reason}`, { kind: measure })
  return rows.map(({ topic, values }) => ({
    Judge: judge.name,
    Topic: topic,
    ...Object.fromEntries(
      Object.entries(values).map(([key, value]) => [
        key,
        value !== null && COUNTS.includes(key) ? BigInt(value) : value,
      ]),
    ),
  }))
}
