/** --until decided: a recorded run against one that comes in, item by item in a random order. */
import { rounded } from '../../formats/_table.ts'
import { type JsonObject, usageError } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import { claim, isShare, range, sizeOf } from '../../scoring/difference_verdict.ts'
import type { Item } from '../../scoring/item.ts'
import { itemResult } from '../../scoring/item_result.ts'
import { type Outcome, outcomeOf } from '../../scoring/outcome.ts'
import { rescaled, scaleOption } from '../../scoring/scale.ts'
import { type Decided, Scaling, untilDecided } from '../../scoring/until.ts'
import { collectRuns, type RowsOfRun } from './collect.ts'
import { checkDesigns, titlesOf } from './design.ts'
import type { CompareOptions } from './options.ts'
import { comparePair } from './pair.ts'
import type { ComparedRun } from './runs.ts'

/** Of a difference b − a. */
const DECISIONS: Record<string, string> = { above: 'b_better', below: 'a_better', between: 'equivalent' }

/** Figures that do not depend on how often they were looked at. */
const FIGURES = ['a', 'b', 'value', 'items', 'missing', 'failed', 'mean_a', 'mean_b', 'difference']
const MORE = ['wins', 'losses', 'ties', 'reason']

/**
 * The figures of the pair when it is decided. @returns also whether a gate was missed
 * @throws Fatal (usage) for other than two runs
 */
export async function compareUntil(
  options: CompareOptions,
  context: Context,
): Promise<{ pair: JsonObject; missed: boolean }> {
  const { sources } = context
  const { margin = 0, failUnlessLevel: loss } = options
  if (sources.length !== 2)
    throw usageError('--until decided takes a recorded run and one that comes in: jb-compare recorded=FILE -')
  if (options.failWorse !== undefined)
    throw usageError(
      '--fail-worse looks at the difference of all items: with --until decided the gate is --fail-unless-level',
    )
  if (loss !== undefined && options.margin !== undefined)
    throw usageError('--until decided answers one question: --margin or --fail-unless-level')
  const stdin = sources.findIndex(({ path }) => path === undefined)
  const streamed = stdin < 0 ? 1 : stdin
  const scaling = new Scaling(options.range)
  const scale = scaleOption(options)
  let decided: Decided | undefined
  const read = async (rows: Parameters<typeof untilDecided>[0], reading: RowsOfRun) => {
    const { ledger, runs } = reading
    const { name, label = name } = sources[1 - streamed]!
    const recorded = runs.run(label)
    const question = {
      asked: loss === undefined ? { margin } : { gate: -loss },
      hypotheses() {
        if (loss !== undefined) return { gate: (1 - scaling.distance('fail-unless-level', loss)) / 2 }
        const distance = scaling.distance('margin', margin)
        return { margin: [(1 - distance) / 2, (1 + distance) / 2] as const }
      },
      unscaled: (mean: number) => (2 * mean - 1) * scaling.width,
      ledger,
      worth(item: Item, row: Parameters<Scaling['share']>[1]) {
        const { result, trials } = itemResult(item)
        const now = rescaled(result && outcomeOf(result, trials), scale)
        const before = outcomeIn(recorded, item.id!)
        if (!now || !before) return undefined
        const [a, b] = (streamed === 1 ? [before, now] : [now, before]).map((one) => scaling.share(one, row))
        if (a === undefined || b === undefined) return undefined
        return (1 + b - a) / 2
      },
    }
    decided = await untilDecided(rows, question, options, context)
  }
  const { runs, found } = await collectRuns(options, context, { source: streamed, read })
  const [a, b] = found as [ComparedRun, ComparedRun]
  checkDesigns([[a, b]], options, context.note)
  // Items that were not asked are not missing.
  const items = [...runs.items.values()].filter(({ id }) => found[streamed]!.has(id))
  const figures = comparePair(runs, a, b, options, { items, scores: false })
  const made = { a: a.judgedBy, b: b.judgedBy } as unknown as JsonObject
  const pair = concluded({ ...figures, made }, titlesOf([a, b]), decided!, options)
  return { pair, missed: decided!.conclusion === 'fail' || decided!.conclusion === 'undecided' }
}

function outcomeIn(run: ComparedRun, id: string): Outcome | undefined {
  const { measure, range } = run
  const value = run.valueBy(measure, id)
  return value === undefined ? undefined : { measure: measure!, value, range }
}

function concluded(
  figures: JsonObject,
  titles: ReturnType<typeof titlesOf>,
  decided: Decided,
  options: CompareOptions,
): JsonObject {
  const { conclusion, report, words } = decided
  const pick = (keys: readonly string[]) =>
    Object.fromEntries(keys.flatMap((key) => (key in figures ? [[key, figures[key]!]] : [])))
  const { a, b, ...head } = pick(FIGURES)
  const { decision: _, ...known } = report
  return rounded({
    a,
    b,
    verdict: verdictOf(decided),
    sentence: words(whatOf({ ...figures, ...titles }, decided, options)),
    ...head,
    ci: decided.ci,
    ...pick(MORE),
    until: { decision: DECISIONS[conclusion] ?? conclusion, ...known },
    made: figures.made,
  }) as JsonObject
}

function verdictOf({ conclusion, ci: [low, high] }: Decided): string {
  if (conclusion === 'between' || (conclusion === 'pass' && low <= 0)) return 'level'
  return low > 0 ? 'better' : high < 0 ? 'worse' : 'undecided'
}

function whatOf(
  figures: JsonObject,
  { conclusion, ci }: Decided,
  { margin = 0, failUnlessLevel: loss }: CompareOptions,
): string {
  const { a, b } = figures
  const distance = loss ?? margin
  const limit = distance > 0 ? ` by more than ${sizeOf(distance, figures)}` : ''
  switch (conclusion) {
    case 'above':
      return claim(figures, true) + limit
    case 'below':
      return claim(figures, false) + limit
    case 'between':
      return `${b} and ${a} are level${margin > 0 ? ` within ${sizeOf(margin, figures)}` : ''}`
    case 'pass':
      return `${b} is not worse than ${a}${limit}`
    case 'fail':
      return `${b} is worse than ${a}${limit}`
    default:
      return `${b} against ${a}: ${range(ci, figures)}${isShare(figures) ? ' points' : ''}`
  }
}
