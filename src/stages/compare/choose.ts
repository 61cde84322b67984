/** --choose: which of several runs to take, by people's labels of some items, and what it is worth after the choice. */
import { tableForms } from '../../formats/_fit.ts'
import { type ReportForms, writtenReport } from '../../formats/_report.ts'
import { type RecordColumn, recordTable, rounded } from '../../formats/_table.ts'
import { clusterField } from '../../options/common.ts'
import { ignoredOptions } from '../../options/ignored.ts'
import { EXIT, Fatal, type JsonObject, usageError } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import { between, type ChoiceRun, choiceSentences, percent } from '../../scoring/choice_report.ts'
import { fewClusters, fewItems, raised, type Warning } from '../../scoring/warnings.ts'
import { type Choice, type ChoiceSettings, choose, worthOn } from '../../statistics/choice.ts'
import { clusterFigures, clustersIn } from '../../statistics/clusters.ts'
import { collectRuns } from './collect.ts'
import { type LabelledItems, labelledItems, missingIn, valuedItems } from './item_labels.ts'
import type { CompareOptions } from './options.ts'
import type { ComparedRun, Runs } from './runs.ts'

type ChooseOptions = CompareOptions & { choose: ChoiceSettings['by'] }

/** Fewer labelled items tell nothing of a choice. */
const LEAST = 20
/** Of yes and no each. */
const LEAST_OF_A_KIND = 5
/** Resamples, unless --bootstrap says how many. */
const ROUNDS = 1000

/** Yields one report; nothing if the input was cut short. */
export async function* chosen(options: ChooseOptions, context: Context): AsyncGenerator<string> {
  checkOptions(options, context)
  const { runs, found } = await collectRuns(options, context)
  if (context.cut()) return
  const first = whatOneHas(found, options, context)
  const labelled =
    options.value === undefined ? labelledItems(runs, found, options, context.note) : valuedItems(runs, found)
  checkItems(labelled, found, options)
  const report = reportOf(labelled, { runs, found, first }, options)
  yield await writtenReport(choiceForms(report), options, context)
}

/** @throws Fatal (usage) for options of other comparisons */
function checkOptions(options: ChooseOptions, context: Context): void {
  const other = ['until', 'about', 'range', 'shuffled', 'show', 'margin', 'fail-worse', 'fail-unless-level']
  const names = other.map((name) => (name === 'about' ? { name, default: 'items' } : name))
  const more = ['exact', 'rescale', { name: 'duplicates', default: 'stop' }]
  ignoredOptions([...names, ...more], options, '--choose names the best run, and tests nothing else', context)
  if (options.truth.length === 0)
    ignoredOptions(['item'], options, 'it names a column of the files of --truth', context)
  if (options.value === undefined) return
  const why = '--value is right or wrong as it is'
  ignoredOptions(['label', 'label-map', 'tie', 'truth', 'compat'], options, why, context)
  if (options.choose === 'balanced')
    throw usageError('--choose balanced: --value has no labels yes and no (--choose accuracy)')
}

/** The run that one has: that of --against, else the first file; none of grades, whose threshold is not known. @throws Fatal (usage) */
function whatOneHas(
  found: readonly ComparedRun[],
  { against, run }: ChooseOptions,
  { sources }: Context,
): ComparedRun | undefined {
  const names = found.map(({ name }) => `"${name}"`).join(', ')
  if (found.length === 0) throw usageError('no rows to choose from')
  const areGrades = (one: ComparedRun) =>
    [...one.results.values()].some(({ result }) => result?.kind === 'grade')
  if (found.length === 1 && !areGrades(found[0]!))
    throw usageError(`--choose: only one run, ${names}, and it has no grades: there is nothing to choose`)
  const isByFile = run === undefined && (sources.length > 1 || sources[0]!.label !== undefined)
  const one =
    against === undefined ? (isByFile ? found[0] : undefined) : found.find(({ name }) => name === against)
  if (against !== undefined && !one)
    throw usageError(`--against: no run is called "${against}" (there are: ${names})`)
  return one && !areGrades(one) ? one : undefined
}

/** @throws Fatal (gate) for too few labels, (data) for runs that lack items or have no yes and no */
function checkItems(
  { items, labels, values }: LabelledItems,
  found: readonly ComparedRun[],
  { choose: by, minCommon }: ChooseOptions,
): void {
  const n = items.length
  if (n < LEAST)
    throw new Fatal(
      EXIT.gate,
      `--choose: ${n} labelled items, at least ${LEAST} are needed to choose and to say how good the choice is`,
    )
  for (const run of found) {
    const there = n - missingIn(run, items)
    if (there < minCommon * n)
      throw new Fatal(
        EXIT.data,
        `${run.name} has ${there} of the ${n} labelled items: give the same items to each run`,
      )
  }
  const isConstant = values.every(
    (run) => 'scores' in run && new Set(run.scores.filter((one) => one !== null)).size < 2,
  )
  if (isConstant)
    throw new Fatal(
      EXIT.gate,
      '--choose: all grades of the labelled items are the same: there is no threshold',
    )
  if (by === 'accuracy') return
  if (!labels)
    throw new Fatal(
      EXIT.data,
      '--choose balanced: the labels are not yes or no (--choose accuracy counts any)',
    )
  for (const [kind, count] of [
    ['yes', labels.filter((one) => one).length],
    ['no', labels.filter((one) => !one).length],
  ] as const)
    if (count < LEAST_OF_A_KIND)
      throw new Fatal(
        EXIT.gate,
        `--choose balanced: ${count} items are labelled ${kind}, at least ${LEAST_OF_A_KIND} of each kind are needed`,
      )
}

/** The report, as it is printed. */
function reportOf(
  { items, labels, values }: LabelledItems,
  { runs, found, first }: { runs: Runs; found: readonly ComparedRun[]; first: ComparedRun | undefined },
  options: ChooseOptions,
): JsonObject {
  const { bootstrap, seed, ci: level, choose: by } = options
  const field = clusterField(options)
  const cluster = (item: string) => runs.item(item).fields.get(field!) ?? `\0${item}`
  const ids = items.map((item) => (field === undefined ? item : cluster(item)))
  const isClustered = field !== undefined
  const against = first?.name ?? null
  const settings = { by, against, seed, rounds: bootstrap || ROUNDS, level }
  const choice = choose(values, ids, labels, isClustered, settings)
  const kinds = ({ sensitivity, sensitivityCi, specificity, specificityCi }: Kinds) =>
    labels && { sensitivity, sensitivity_ci: sensitivityCi, specificity, specificity_ci: specificityCi }
  const clusters = isClustered ? clusterFigures(clustersIn(ids)) : undefined
  const groups = options.by.flatMap((name) => {
    const places = new Map<string, number[]>()
    for (const [place, item] of items.entries()) {
      const group = runs.item(item).fields.get(name)
      if (group !== undefined) places.set(group, [...(places.get(group) ?? []), place])
    }
    return [...places]
      .sort(([x], [y]) => (x < y ? -1 : 1))
      .map(([group, of]) => {
        const worth = worthOn(of, choice, ids, labels, isClustered, settings)
        return { by: name, group, labels: of.length, value: worth?.value ?? null, ci: worth?.ci ?? null }
      })
  })
  return rounded({
    ...{ choose: by, best: choice.best, threshold: choice.threshold, verdict: choice.verdict },
    ...{ choice: choice.choice, against, sentence: sentenceOf(choice, items.length, { by, against }) },
    ...{ labels: items.length, unlabelled: runs.items.size - items.length, candidates: choice.candidates },
    ...{ value: choice.value, ci: choice.ci, ...kinds(choice) },
    ...{ apparent: choice.apparent, picked: choice.picked },
    ...(choice.difference !== undefined && {
      difference: choice.difference,
      difference_ci: choice.differenceCi,
      labels_needed: choice.labelsNeeded,
    }),
    ...clusters,
    warnings: raised(fewItems(items.length), clusters && fewClusters(clusters), unsteady(choice)),
    runs: choice.runs.map((one) => {
      const run = found.find(({ name }) => name === one.name)!
      const missing = missingIn(run, items)
      return {
        ...{ run: one.name, threshold: one.threshold, value: one.value, ci: one.ci, ...kinds(one) },
        ...{ failed: one.failed - missing, missing, picked: one.picked },
      }
    }),
    ...(groups.length > 0 && { by: groups }),
  }) as JsonObject
}

type Kinds = Pick<Choice, 'sensitivity' | 'sensitivityCi' | 'specificity' | 'specificityCi'>

const points = (difference: number) => {
  const text = Math.abs(100 * difference).toFixed(1)
  return difference < 0 && Number(text) !== 0 ? `−${text}` : text
}
const gain = ({ difference, differenceCi }: Choice, name: string) =>
  `${points(difference!)} points above ${name} (${differenceCi!.map(points).join(' to ')})`

const bestWords = ({ best, threshold }: Choice) =>
  threshold === null ? best : `${best} with a score of ${Number(threshold.toPrecision(10))} or more`

function sentenceOf(
  choice: Choice,
  n: number,
  { by, against }: { by: ChoiceSettings['by']; against: string | null },
): string {
  const { best, threshold, verdict, candidates, value, ci, apparent, labelsNeeded } = choice
  const right = by === 'balanced' ? 'right of each kind' : 'right'
  const name = bestWords(choice)
  const about = `about ${percent(value)} ${right} (${between(ci)})`
  if (verdict === null) {
    const of = threshold === null ? `${candidates}` : `${candidates} candidates`
    return `${name} looks best of ${of}: ${about}; ${percent(apparent)} on these ${n} labels`
  }
  if (best === against)
    return `keep ${against}: none of the other ${candidates - 1} looks better on ${n} labels`
  if (verdict === 'better')
    return `take ${name}: ${about}, ${gain(choice, against!)}; on these ${n} labels ${percent(apparent)}, before the choice among ${candidates} is allowed for`
  const seen = `${percent(apparent)} here, about ${percent(value)} after the choice`
  const more =
    labelsNeeded == null ? 'nothing says that more labels would' : `about ${labelsNeeded} labels would tell`
  return `keep ${against}: no better than what you have, as far as ${n} labels tell: ${name} looks best of ${candidates} (${seen}), ${gain(choice, against!)}; ${more}`
}

const unsteady = ({ picked, verdict, ...choice }: Choice): Warning | undefined =>
  picked >= 0.5 || verdict === 'no better'
    ? undefined
    : {
        code: 'unsteady',
        sentence: `another sample of labels would often choose another run (${bestWords({ ...choice, picked, verdict })} in ${percent(picked)} of resamples)`,
        do: 'label more items before you settle on one',
      }

function choiceForms(report: JsonObject): ReportForms {
  const lines = report.runs as unknown as ChoiceRun[]
  const share = (value: number | undefined) => (value === undefined ? '' : (100 * value).toFixed(2))
  const areKinds = lines.some(({ sensitivity }) => sensitivity !== undefined)
  const columns: RecordColumn<ChoiceRun>[] = [
    ['run', ({ run }) => run],
    [
      'threshold',
      ({ threshold }) => (threshold === null ? '' : String(threshold)),
      (one) => one.threshold !== null,
    ],
    [String(report.choose), ({ value }) => `${share(value)} %`],
    ['interval', ({ ci }) => ci.map((one) => (100 * one).toFixed(1)).join('–')],
    ['sensitivity', ({ sensitivity }) => share(sensitivity), () => areKinds],
    ['specificity', ({ specificity }) => share(specificity), () => areKinds],
    ['failed', ({ failed }) => String(failed)],
    ['missing', ({ missing }) => String(missing), ({ missing }) => missing > 0],
    ['picked', ({ picked }) => `${(100 * picked).toFixed(1)} %`],
  ]
  return {
    json: () => [report],
    records: () => lines as unknown as JsonObject[],
    ...tableForms(recordTable(columns, lines), choiceSentences(report)),
  }
}
