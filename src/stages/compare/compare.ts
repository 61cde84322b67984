/** jb-compare: runs on the same items → which is better, and with what certainty. */
import { HOW_TO_NUMBER } from '../../criteria/_yes_no.ts'
import { writtenReport } from '../../formats/_report.ts'
import { rounded } from '../../formats/_table.ts'
import { clusterField } from '../../options/common.ts'
import { ignoredOptions } from '../../options/ignored.ts'
import { someNames } from '../../options/nearest.ts'
import { append, byKey } from '../../rows/maps.ts'
import type { Rows } from '../../rows/reader.ts'
import { EXIT, Fatal, type Json, type JsonObject, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context, Stage } from '../../rows/stage.ts'
import { isExact } from '../../scoring/difference.ts'
import { checkLimits, endByGate, hasGate, MIN_COMMON } from '../../scoring/difference_gate.ts'
import { conclude } from '../../scoring/difference_verdict.ts'
import { refuseScoring } from '../../scoring/options.ts'
import { type GradeScale, scaleWords } from '../../scoring/scale.ts'
import { checkUntil } from '../../scoring/until.ts'
import { benjaminiHochberg, holm } from '../../statistics/multiple.ts'
import { differenceOf } from '../../statistics/paired.ts'
import { collectRuns } from './collect.ts'
import { checkDesigns, type RunPair, titlesOf } from './design.ts'
import type { CompareOptions } from './options.ts'
import { comparePair, labelledItems, NOTHING_IN_COMMON } from './pair.ts'
import { pairForms } from './print.ts'
import { bestMeasure, type ComparedItem, type ComparedRun, type Runs } from './runs.ts'

/** Yields one report over all runs, or with --show items; nothing if the input was cut short. */
export const compare: Stage<CompareOptions> = async function* (_rows, options, context) {
  const { choose } = options
  if (choose === undefined) checkUsed(options, context)
  if (choose !== undefined) {
    const { chosen } = await import('./choose.ts')
    return yield* chosen({ ...options, choose }, context)
  }
  if (options.until !== undefined) return yield* untilCompared(options, context)
  const { runs, found } = await collectRuns(options, context)
  if (context.cut()) return
  const pairs = pairsOf(found, options.against, context.sources.length)
  checkDesigns(pairs, options, context.note)
  checkScales(pairs)
  if (options.show !== undefined) return yield* shown(runs, found, pairs, options.show)
  const figures = figuresOf(runs, pairs, options)
  const inexact = options.exact && figures.find(({ p, test }) => typeof p === 'number' && !isExact(test))
  if (inexact)
    throw usageError(
      `--exact: the exact test takes up to 20 scores, not ${inexact.items} (--bootstrap N resamples them)`,
    )
  checkLimits(figures, options)
  yield await writtenReport(pairForms(figures), options, context)
  checkMeasured(figures, options, context)
  // The figures of all items come first, in the order of the pairs.
  if (hasGate(options))
    endByGate(
      pairs.map((pair, i) => [figures[i]!, { items: labelledItems(runs, pair) }]),
      options,
      context,
    )
}

/** Options of figures, which --show does not write. */
const OF_FIGURES = [
  'truth',
  'fail-worse',
  'fail-unless-level',
  'margin',
  'format',
  { name: 'bootstrap', default: 0 },
]

/** Options for which all items are needed. */
const WITHOUT_UNTIL = [
  ...['show', 'exact', 'value', 'run', 'by', 'against', 'truth'],
  { name: 'min-common', default: MIN_COMMON },
  { name: 'duplicates', default: 'stop' },
  { name: 'cluster', default: 'item' },
  { name: 'bootstrap', default: 0 },
]

/** Reports options without effect. @throws Fatal (usage) */
function checkUsed(options: CompareOptions, context: Context): void {
  const { value, show, bootstrap } = options
  checkUntil(options, WITHOUT_UNTIL, context)
  if (!hasGate(options))
    ignoredOptions(
      [{ name: 'min-common', default: MIN_COMMON }],
      options,
      'it belongs to --fail-worse and --fail-unless-level',
      context,
    )
  else if (options.against === undefined && (options.run !== undefined || context.sources.length < 2))
    throw usageError('a gate needs to know the base: give two files, the base first, or --against NAME')
  if (value !== undefined) {
    const why = '--value takes numbers as they are, nothing is scored'
    refuseScoring(options, why, context)
    ignoredOptions(['rescale', 'compat'], options, why, context)
  }
  if (show !== undefined)
    ignoredOptions(OF_FIGURES, options, '--show writes items instead of figures', context)
  if (options.truth.length === 0)
    ignoredOptions(['item'], options, 'it names a column of the files of --truth', context)
  else
    ignoredOptions(
      [
        { name: 'bootstrap', default: 0 },
        { name: 'tie', default: undefined },
      ],
      options,
      '--truth has its own intervals, of the judge’s verdicts as they are',
      context,
    )
  const untested =
    options.truth.length > 0
      ? '--truth has its own p values'
      : bootstrap > 0
        ? '--bootstrap has its own p values'
        : clusterField(options) !== undefined
          ? '--cluster has its own p values'
          : show !== undefined && '--show writes items, without tests'
  if (untested) ignoredOptions(['exact'], options, untested, context)
}

/** With --until decided: the figures so far of two runs, and what they decide. */
async function* untilCompared(options: CompareOptions, context: Context): AsyncGenerator<string> {
  const { compareUntil } = await import('./until.ts')
  const { pair, missed } = await compareUntil(options, context)
  if (context.cut()) return
  yield await writtenReport(pairForms([pair]), options, context)
  checkMeasured([pair], options, context)
  if (missed) context.finish(EXIT.gate, String(pair.sentence))
  else context.note(String(pair.sentence))
}

/** The most runs of which every two are compared. */
const MOST_RUNS = 200

/** Every two runs, or each other run with that of --against. @throws Fatal (usage) for fewer than two runs, or too many pairs */
function pairsOf(found: readonly ComparedRun[], against: string | undefined, files: number): RunPair[] {
  // The run of plain rows of one file has no name.
  const names = someNames(found.map(({ name }) => (name === '' ? 'without a judge' : `"${name}"`)))
  if (found.length < 2)
    throw usageError(
      found.length === 0
        ? 'no rows to compare'
        : files > 1
          ? `only one run, ${names}: no other file has a row`
          : `only one run, ${names}: give two files, or --run FIELD`,
    )
  if (against === undefined && found.length > MOST_RUNS)
    throw usageError(
      `${found.length.toLocaleString('en')} runs: every two of at most ${MOST_RUNS} are compared; --against NAME compares each with one (there are: ${names})`,
    )
  if (against === undefined) return found.flatMap((a, i) => found.slice(i + 1).map((b): RunPair => [a, b]))
  const base = found.find(({ name }) => name === against)
  if (!base) throw usageError(`--against: no run is called "${against}" (there are: ${names})`)
  return found.filter((run) => run !== base).map((run) => [base, run])
}

/** @throws Fatal (data) for grades of different scales: their difference is none */
function checkScales(pairs: readonly RunPair[]): void {
  for (const pair of pairs) {
    const shares = pair.find(({ hasShares, hasMore }) => hasShares && !hasMore)
    const more = pair.find(({ hasShares, hasMore }) => hasMore && !hasShares)
    if (shares && more)
      throw new Fatal(
        EXIT.data,
        `the values of ${shares.name} are from 0 to 1 (or true and false), those of ${more.name} larger: they cannot be subtracted (take them to one scale first, as with jq)`,
      )
    const [a, b] = pair.map(({ scales }) => scales) as [GradeScale[], GradeScale[]]
    const all = new Set([...a, ...b].map((scale) => scale.join()))
    if (a.length === 0 || b.length === 0 || all.size === 1) continue
    const [of, others] = pair.map(({ name, scales }) => [name, scaleWords(scales)])
    throw new Fatal(
      EXIT.data,
      `the grades of ${of![0]} are from ${of![1]}, those of ${others![0]} from ${others![1]}: they cannot be subtracted (--rescale ${a[0]} takes all to one scale, end to end)`,
    )
  }
}

/** Each pair's figures over all items, then for each value of each field of --by. P values are adjusted over each of these sets. */
function figuresOf(runs: Runs, pairs: readonly RunPair[], options: CompareOptions): JsonObject[] {
  const titles = pairs.map(titlesOf)
  const whole = pairs.map(([a, b]) => ({
    ...comparePair(runs, a, b, options),
    made: { a: a.judgedBy, b: b.judgedBy } as unknown as JsonObject,
  })) as JsonObject[]
  const sliced = options.by.flatMap((field) => {
    const groups = new Map<string, ComparedItem[]>()
    for (const item of runs.items.values()) {
      const group = item.fields.get(field)
      if (group !== undefined) append(groups, group, item)
    }
    return concluded(
      byKey(groups).flatMap(([group, items]) =>
        pairs.map(([a, b], i) => ({
          by: field,
          group,
          ...comparePair(runs, a, b, options, {
            items,
            // A group in which all scores happen to be 0 or 1 is compared as the whole is.
            scores: whole[i]!.p_sign !== undefined,
          }),
        })),
      ),
      titles,
      options,
    )
  })
  return [...concluded(byGroup(whole, sliced), titles, options), ...sliced]
}

/** With the differences in the groups that are most apart, and p adjusted for the number of fields and pairs. */
function byGroup(whole: readonly JsonObject[], sliced: readonly JsonObject[]): JsonObject[] {
  const found = whole.flatMap(({ heterogeneity }) => (heterogeneity ?? []) as JsonObject[])
  const p = holm(found.map((one) => one.p as number))
  return whole.map((pair) => {
    if (!pair.heterogeneity) return pair
    const heterogeneity = (pair.heterogeneity as JsonObject[]).map((one) => {
      const figuresOf = (group: Json) => {
        const { difference, ci } = sliced.find(
          (part) => part.by === one.by && part.group === group && part.a === pair.a && part.b === pair.b,
        )!
        return { group, difference: difference!, ci: ci! }
      }
      const { most, least, ...test } = one
      return {
        ...test,
        p_holm: rounded(p[found.indexOf(one)]!) as number,
        most: figuresOf(most!),
        least: figuresOf(least!),
      }
    })
    return { ...pair, heterogeneity }
  })
}

/** With p values adjusted for their number, and what each pair comes to. @param titles of the pairs, in turn */
const concluded = (
  pairs: JsonObject[],
  titles: readonly ReturnType<typeof titlesOf>[],
  options: CompareOptions,
) =>
  adjusted(pairs).map((pair, i) => {
    const { by, group, a, b, ...figures } = pair
    return {
      ...(by !== undefined && { by, group }),
      ...({ a, b } as JsonObject),
      ...conclude({ ...pair, ...titles[i % titles.length] }, options),
      ...figures,
    } as JsonObject
  })

function adjusted(pairs: JsonObject[]): JsonObject[] {
  const tested = pairs.filter(({ p }) => typeof p === 'number')
  const p = tested.map((pair) => pair.p as number)
  const [byHolm, byHochberg] = [holm(p), benjaminiHochberg(p)]
  return pairs.map((pair) => {
    const at = tested.indexOf(pair)
    if (at < 0) return pair
    const adjustments = rounded({ p_holm: byHolm[at], p_bh: byHochberg[at] }) as JsonObject
    // They are printed after the test.
    return Object.fromEntries(
      Object.entries(pair).flatMap(([key, value]) =>
        key === 'test' ? [[key, value], ...Object.entries(adjustments)] : [[key, value]],
      ),
    )
  })
}

/** Items on which runs differ, or that have no outcome in some run, with each run's outcome under `jb.runs`. */
async function* shown(
  runs: Runs,
  found: readonly ComparedRun[],
  pairs: readonly RunPair[],
  show: string,
): Rows {
  let batch: Row[] = []
  for (const { id, row } of runs.items.values()) {
    const fits = ([a, b]: RunPair) => {
      const measure = bestMeasure(a.measure, b.measure)
      const [x, y] = [a.valueBy(measure, id), b.valueBy(measure, id)]
      if (x === undefined || y === undefined) return show === 'missing'
      return show === 'flips' && differenceOf(x, y) !== 0
    }
    if (!pairs.some(fits)) continue
    const shown = Object.fromEntries(
      found.map((run) => {
        const value = run.value(id)
        const known = value !== undefined && { value }
        return [run.name, run.shown.has(id) ? ({ ...known, ...run.shown.get(id) } as Json) : null]
      }),
    )
    batch.push(row!.set('item', id).set('runs', shown))
    if (batch.length < 256) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Ends with exit code 1 if two runs have no item to compare. */
function checkMeasured(pairs: JsonObject[], { value }: CompareOptions, context: Context): void {
  const unlabelled = pairs.find(({ by, labels }) => by === undefined && Number(labels) < 2)
  if (unlabelled)
    context.finish(
      EXIT.gate,
      `nothing was compared: ${unlabelled.a} and ${unlabelled.b}: ${unlabelled.reason}`,
    )
  const empty = pairs.find(({ by, items }) => by === undefined && items === 0)
  if (!empty) return
  const { missing, failed, reason } = empty as {
    missing: { a: number; b: number }
    failed: { a: number; b: number }
    reason: string
  }
  const lacking = (['a', 'b'] as const).flatMap((run) =>
    failed[run] > 0 ? `${failed[run]} items of ${empty[run]}` : [],
  )
  const why =
    reason !== NOTHING_IN_COMMON
      ? reason
      : missing.a > 0 && missing.b > 0 && failed.a + failed.b === 0
        ? 'they have no item in common (--id FIELD names the field that identifies items)'
        : value !== undefined
          ? `their rows have no number or boolean in ${value}`
          : missing.a > 0 && missing.b > 0
            ? 'the items of each failed or are missing in the other (--id FIELD names the field that identifies items)'
            : `${lacking.join(' and ')} failed, have verdicts without a number, or were seen by no judge (--value FIELD compares numbers of plain rows). ${HOW_TO_NUMBER}`
  context.finish(
    EXIT.gate,
    `nothing was compared: no item has an outcome in both ${empty.a} and ${empty.b}: ${why}`,
  )
}
