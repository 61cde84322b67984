/** The report of an MT-bench run as the JSON of MT-bench's rating extraction. */

import { type Example, FloatText } from '../judges/_example_schema.ts'
import { jsonWithFloats } from '../judges/_lm_eval.ts'
import { floatRepr } from '../python/numbers.ts'
import type { Row } from '../rows/row.ts'
import type { Histogram } from '../statistics/describe.ts'

/** The scale's top: a rating of 10 is a utility of 1. */
const TOP = 10

/**
 * `--compat mt-bench`: what the rating extraction's code makes of recorded judgments, which come without their
 * questions: all are of category general, of the model of the first, and have the ids of their file.
 */
export class RecordedJudgments {
  private model: unknown

  /** Undefined for a row that was judged here. */
  of(row: Row): { question_id: unknown; category: string; model: unknown } | undefined {
    if (row.field('question') !== undefined || row.field('question_1') !== undefined) return undefined
    this.model ??= row.field('model') ?? 'unknown'
    const [id, turn] = [row.field('question_id') ?? row.get('item'), row.field('turn')]
    // jb-read takes `81_single_turn` apart; FastChat's own ids are numbers.
    const suffix = turn === 2 ? 'conversation' : 'single_turn'
    const whole = typeof id === 'string' && turn !== undefined ? `${id}_${suffix}` : id
    return { question_id: whole, category: 'general', model: this.model }
  }
}

/**
 * Keys in the documented order, or in that of the code, which has the utility after the distribution; floats as
 * Python writes them. Where there was no rating at all, averages are
 * null. `failed` and `fallback` stand at the end, where there are any.
 */
export function reportText(
  all: Histogram,
  categories: ReadonlyMap<string, Histogram>,
  { failed, fallback, code }: { failed: number; fallback: number; code: boolean },
): string {
  const counts = new Map(all.entries())
  const distribution = Object.fromEntries(
    Array.from({ length: TOP }, (_, i) => [String(i + 1), counts.get(i + 1) ?? 0]),
  )
  const utility = { utility_score: float(all.mean === null ? null : all.mean / TOP) }
  const report: { [key: string]: Example } = {
    total_questions: all.n + failed,
    average_rating: float(all.mean),
    ...(!code && utility),
    median_rating: float(all.median),
    std_rating: float(all.deviation()),
    min_rating: float(all.min),
    max_rating: float(all.max),
    ratings_distribution: distribution,
    ...(code && utility),
  }
  for (const [category, ratings] of categories) {
    report[`${category}_avg_rating`] = float(ratings.mean)
    report[`${category}_utility_score`] = float(ratings.mean === null ? null : ratings.mean / TOP)
    report[`${category}_count`] = ratings.n
  }
  if (failed > 0) report.failed = failed
  if (fallback > 0) report.fallback = fallback
  return `${jsonWithFloats(report, 2)}\n`
}

const float = (value: number | null): Example => (value === null ? null : new FloatText(floatRepr(value)))
