/** --cascade: from which confidence on a small judge may be trusted, by items that a big one judged, too. */
import { tableForms } from '../../formats/_fit.ts'
import { type ReportForms, writtenReport } from '../../formats/_report.ts'
import { type RecordColumn, recordTable, rounded } from '../../formats/_table.ts'
import { EXIT, type JsonObject, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { Marks } from '../../scoring/followed.ts'
import { runModel } from '../../scoring/run_identity.ts'
import { scoredRows } from '../../scoring/scored_rows.ts'
import { conformalThreshold, testedThreshold } from '../../statistics/cascade.ts'
import type { AuditOptions } from './options.ts'

/** What a judge made of an item. */
interface Judged {
  said: unknown
  /** That of the item, 0 where a part has none; undefined where no verdict states one. */
  confidence: number | undefined
  /** Its games and samples say the same. */
  consistent: boolean
  /** 1 right, 0 wrong, ½ for a tie; undefined without a label. */
  credit: number | undefined
  cost: number
}

interface Run {
  name: string
  items: Map<string, Judged>
}

/** An item that both judged. */
interface Both {
  small: Judged
  big: Judged
  /** Undefined where the small judge is never trusted. */
  confidence: number | undefined
}

/** Yields one report: the thresholds, and what each would do. */
export async function* auditCascade(options: AuditOptions, context: Context): AsyncGenerator<string> {
  const { sources } = context
  if (sources.length !== 2)
    throw usageError(
      '--cascade takes two files: the small judge\u2019s rows, and the big one\u2019s on the same items',
    )
  const marks = new Marks(options, context)
  const [small, big] = [await runOf(0, options, marks, context), await runOf(1, options, marks, context)]
  if (context.cut()) return
  // Where no verdict states a confidence, those that are consistent are trusted alike.
  const stated = [...small.items.values()].some(({ confidence }) => confidence !== undefined)
  const both = [...big.items].flatMap(([id, of]): Both[] => {
    const one = small.items.get(id)
    if (!one || of.said === undefined) return []
    const trusts = one.said !== undefined && one.consistent
    return [{ small: one, big: of, confidence: trusts ? (stated ? (one.confidence ?? 0) : 1) : undefined }]
  })
  if (both.length === 0) {
    context.finish(EXIT.gate, 'nothing was measured: no item was judged by both (jb.item tells them apart)')
    return
  }
  const report = reportOf(small, big, both, options)
  yield await writtenReport(formsOf(report), options, context)
}

async function runOf(source: number, { label }: AuditOptions, marks: Marks, context: Context): Promise<Run> {
  const run: Run = { name: context.sources[source]!.name, items: new Map() }
  const { rows, compat } = await marks.of(context.rows([context.sources[source]!]))
  for await (const batch of scoredRows(rows, { label, tie: 0.5, fields: [], compat }, context))
    for (const row of batch) {
      run.name = runModel(row) ?? run.name
      run.items.set(row.get('item')!, judgedIn(row))
    }
  return run
}

function judgedIn(row: Row): Judged {
  const { decision, option, winner, score, consistent, correct, credit, confidence } = row.get('result') ?? {}
  const trials = row.get('trials') ?? []
  const isStated = trials.some(({ verdict }) => typeof verdict?.confidence === 'number')
  const samples = new Set(trials.map(({ verdict }) => JSON.stringify(verdict?.decision ?? verdict?.option)))
  const costs = trials.flatMap(({ cost, calls = [] }) => [cost ?? 0, ...calls.map((call) => call.cost ?? 0)])
  return {
    said: row.has('error') ? undefined : (decision ?? option ?? winner ?? score),
    confidence: isStated ? (confidence ?? 0) : undefined,
    consistent: consistent !== false && samples.size <= 1,
    credit: typeof correct === 'boolean' ? (credit ?? Number(correct)) : undefined,
    cost: costs.reduce((sum, cost) => sum + cost, 0),
  }
}

const meanOf = (values: (number | undefined)[]): number | undefined =>
  values.includes(undefined) ? undefined : values.reduce<number>((sum, one) => sum + one!, 0) / values.length

/** What trusting the small judge from a confidence on comes to. */
function pointOf(both: readonly Both[], from: number): JsonObject {
  const trusts = ({ confidence }: Both) => confidence !== undefined && confidence >= from
  const escalated = both.filter((one) => !trusts(one)).length / both.length
  const [ofSmall, ofBig] = [
    meanOf(both.map(({ small }) => small.credit ?? (small.said === undefined ? 0 : undefined))),
    meanOf(both.map(({ big }) => big.credit)),
  ]
  const accuracy = meanOf(both.map((one) => (trusts(one) ? one.small.credit : one.big.credit)))
  const cost = meanOf(both.map((one) => one.small.cost + (trusts(one) ? 0 : one.big.cost)))!
  const labelled = accuracy !== undefined && ofSmall !== undefined && ofBig !== undefined
  return {
    confidence: from === Number.POSITIVE_INFINITY ? null : from,
    escalated,
    agreement: meanOf(both.map((one) => Number(!trusts(one) || one.small.said === one.big.said)))!,
    ...(labelled && { accuracy, random: escalated * ofBig + (1 - escalated) * ofSmall }),
    ...(cost > 0 && { cost }),
  }
}

function reportOf(small: Run, big: Run, both: readonly Both[], { agree, ci }: AuditOptions): JsonObject {
  const trusted = both.flatMap(({ confidence, small, big }) =>
    confidence === undefined ? [] : [{ confidence, small, big }],
  )
  const differing = trusted.map(({ confidence, small, big }) => ({
    confidence,
    loss: small.said !== big.said,
  }))
  const labelled = trusted.every(({ small }) => small.credit !== undefined)
  const wrong = trusted.map(({ confidence, small }) => ({ confidence, loss: (small.credit ?? 0) < 1 }))
  const threshold = conformalThreshold(differing, both.length, 1 - agree)
  const all = [...new Set(trusted.map(({ confidence }) => confidence))].sort((a, b) => a - b)
  const points = [...all, Number.POSITIVE_INFINITY].map((from) => pointOf(both, from))
  const chosen = pointOf(both, threshold ?? Number.POSITIVE_INFINITY)
  const shown = threshold === null ? points[0]! : chosen
  const isPoor = typeof shown.accuracy === 'number' && shown.accuracy <= (shown.random as number) + 1e-12
  return rounded({
    section: 'cascade',
    small: small.name,
    big: big.name,
    items: both.length,
    agree,
    threshold,
    ...(labelled && { threshold_right: testedThreshold(wrong, 1 - agree, 1 - ci) }),
    chosen,
    ...(isPoor &&
      shown.confidence !== null &&
      (shown.escalated as number) > 0 && {
        warning:
          'being unsure is not being wrong here: as many items at random would have been as good a choice',
      }),
    points,
  }) as JsonObject
}

function formsOf(report: JsonObject): ReportForms {
  const points = report.points as JsonObject[]
  const percent = (key: string) => (point: JsonObject) =>
    typeof point[key] === 'number' ? `${((point[key] as number) * 100).toFixed(1)} %` : ''
  const has = (key: string) => (point: JsonObject) => point[key] !== undefined
  const columns: RecordColumn<JsonObject>[] = [
    ['confidence from', ({ confidence }) => (confidence === null ? 'all asked' : String(confidence))],
    ['asked again', percent('escalated')],
    ['agreement', percent('agreement')],
    ['accuracy', percent('accuracy'), has('accuracy')],
    ['at random', percent('random'), has('random')],
    [
      'cost an item',
      ({ cost }) => (cost === undefined ? '' : `$${(cost as number).toPrecision(3)}`),
      has('cost'),
    ],
  ]
  return {
    json: () => [report],
    records: () => points,
    ...tableForms(recordTable(columns, points), sentencesOf(report)),
  }
}

function sentencesOf({
  small,
  big,
  items,
  agree,
  threshold,
  threshold_right,
  warning,
}: JsonObject): string[] {
  const share = `${+((1 - (agree as number)) * 100).toFixed(4)} %`
  const trust = (from: number) => (from === 1 ? 'consistent verdicts' : `confidence from ${from} on`)
  return [
    threshold === null
      ? `${small} > ${big}, ${items} items: no confidence may be trusted so that at most ${share} of all items differ: ask ${big} about all`
      : `${small} > ${big}, ${items} items: trust ${trust(threshold as number)}, and on average at most ${share} of all items differ from ${big} (for items that these are a random sample of)`,
    ...(typeof threshold_right === 'number'
      ? [`by the labels: of ${trust(threshold_right)} at most ${share} are wrong, at the level of --ci`]
      : []),
    ...(typeof warning === 'string' ? [warning] : []),
  ]
}
