/** `jb-aggregate --truth FILE`: leaderboards against a leaderboard, qrels against qrels. */

import { fileSource } from '../files/files.ts'
import type { Source } from '../rows/reader.ts'
import { EXIT, Fatal, usageError } from '../rows/record.ts'
import type { Context } from '../rows/stage.ts'
import { type AgreementSettings, agreement } from './agreement.ts'
import { ALL, distinct, type Entry } from './leaderboard.ts'
import { type BoardFile, type BoardSettings, loadBoard, withMissingAll } from './load_board.ts'
import { checkMethods, DEFAULT_METHODS, metaEvaluate } from './meta.ts'
import { type Cells, printRows } from './print.ts'

export interface TruthSettings extends BoardSettings {
  truth: string
  truthFrom?: string
  from?: string
  correlation: string[]
  onlyTopic: string[]
  onlySharedTopics: boolean
  range: string[]
  relevant: string
  maxGrade: number
  format?: string
}

/** Yields the text of one report over all files. */
export async function* compareWithTruth(settings: TruthSettings, context: Context): AsyncGenerator<string> {
  const methods =
    settings.correlation.length > 0 ? settings.correlation.flatMap((one) => one.split(',')) : DEFAULT_METHODS
  checkMethods(methods)
  // The gate is the judge's.
  const ungated = { ...settings, maxErrorRate: undefined }
  const file = fileSource(settings.truth)
  const truth = await loadBoard(file, settings.truthFrom, ungated, context, '--truth-from')
  const rows: Cells[] = []
  for (const source of context.sources)
    rows.push(...(await compare(source, truth, methods, settings, context)))
  yield await printRows(rows, settings.format ?? (context.terminal.output ? 'table' : 'json'))
}

async function compare(
  source: Source,
  truth: BoardFile,
  methods: readonly string[],
  settings: TruthSettings,
  context: Context,
): Promise<Cells[]> {
  const judge = await loadBoard(source, settings.from, settings, context)
  if (truth.qrels && judge.qrels)
    return qrelsRows(judge.name, truth.qrels, judge.qrels, agreementOf(settings))
  if (truth.qrels)
    throw usageError(
      `${settings.truth} holds qrels, ${source.name} a leaderboard: jb-aggregate --as qrels makes qrels`,
    )
  const chosen = topicsOf(truth.entries, judge.entries, settings)
  const only = (entries: Entry[]) =>
    chosen
      ? withMissingAll(
          entries.filter(({ topic }) => chosen.has(topic)),
          true,
        )
      : entries
  const wanted = settings.measure
  const given = only(judge.entries).filter(({ measure }) => wanted.length === 0 || wanted.includes(measure))
  for (const name of wanted)
    if (!distinct(given, 'measure').includes(name)) context.note(`${source.name}: no measure ${name}`)
  return metaEvaluate(judge.name, only(truth.entries), given, {
    methods,
    onMissing: settings.onMissing,
    default: settings.default,
    ranges: rangesOf(settings.range),
  })
}

/** The topics that count, where not all do. */
function topicsOf(truth: Entry[], judge: Entry[], settings: TruthSettings): Set<string> | undefined {
  if (settings.onlyTopic.length === 0 && !settings.onlySharedTopics) return undefined
  const there = new Set(distinct(judge, 'topic'))
  const shared = distinct(truth, 'topic').filter((topic) => topic !== ALL)
  const kept = shared.filter(
    (topic) =>
      (!settings.onlySharedTopics || there.has(topic)) &&
      (settings.onlyTopic.length === 0 || settings.onlyTopic.includes(topic)),
  )
  if (kept.length === 0) throw new Fatal(EXIT.data, 'the two sides share no topic of those asked for')
  return new Set(kept)
}

function rangesOf(given: readonly string[]): Map<string, readonly [number, number]> {
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

function agreementOf({ relevant, maxGrade }: TruthSettings): AgreementSettings {
  const [truthMin, judgeMin = truthMin] = relevant.split(',').map(Number)
  if (!Number.isFinite(truthMin) || !Number.isFinite(judgeMin))
    throw usageError(`--relevant ${relevant}: expected N or N,M`)
  return { truthMin: truthMin!, judgeMin: judgeMin!, maxGrade }
}

/** Values to four decimals; counts are whole. */
function qrelsRows(
  name: string,
  truth: Parameters<typeof agreement>[0],
  judge: Parameters<typeof agreement>[1],
  settings: AgreementSettings,
): Cells[] {
  return agreement(truth, judge, settings).map(({ topic, values }) => ({
    Judge: name,
    Topic: topic,
    ...Object.fromEntries(
      Object.entries(values).map(([key, value]) => [
        key,
        value === null
          ? null
          : ['TP', 'FP', 'FN'].includes(key)
            ? BigInt(value)
            : Number(value.toFixed(4)) + 0,
      ]),
    ),
  }))
}
