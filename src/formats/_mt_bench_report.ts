/** The report of MT-bench's rating extraction, as JSON. */

import { type Exact, pythonJson } from '../python/json.ts'
import type { Row } from '../rows/row.ts'
import type { Histogram } from '../statistics/describe.ts'

/** The highest rating: it has a utility of 1. */
const TOP = 10

/**
 * `--compat mt-bench`: recorded judgments as the rating extraction's code treats them. They lack their questions, so all get
 * the category general and the model of the first; they keep the ids of their file.
 */
export class RecordedJudgments {
  private model: unknown

  /** Undefined for a row that has its question, and so was judged by jb. */
  of(row: Row): { question_id: unknown; category: string; model: unknown } | undefined {
    if (row.field('question') !== undefined || row.field('question_1') !== undefined) return undefined
    this.model ??= row.field('model') ?? 'unknown'
    const [id, turn] = [row.field('question_id') ?? row.get('item'), row.field('turn')]
    // jb-read split `81_single_turn` into id and turn; FastChat's own ids are numbers.
    const suffix = turn === 2 ? 'conversation' : 'single_turn'
    const whole = typeof id === 'string' && turn !== undefined ? `${id}_${suffix}` : id
    return { question_id: whole, category: 'general', model: this.model }
  }
}

/**
 * The report: keys in the documented order, or with `code` in that of the original's code, which puts the utility after
 * the distribution. Floats as Python writes them; averages are null without a rating. `failed` and `fallback` come last, if
 * not 0.
 */
export function reportText(
  all: Histogram,
  categories: ReadonlyMap<string, Histogram>,
  { failed, fallback, code }: { failed: number; fallback: number; code: boolean },
): string {
  const counts = new Map(all.entries())
  const distribution = Object.fromEntries(
    Array.from({ length: TOP }, (_, i) => [String(i + 1), BigInt(counts.get(i + 1) ?? 0)]),
  )
  const utility = { utility_score: all.mean === null ? null : all.mean / TOP }
  const report: Record<string, Exact> = {
    total_questions: BigInt(all.n + failed),
    average_rating: all.mean,
    ...(!code && utility),
    median_rating: all.median,
    std_rating: all.deviation(),
    min_rating: all.min,
    max_rating: all.max,
    ratings_distribution: distribution,
    ...(code && utility),
  }
  for (const [category, ratings] of categories) {
    report[`${category}_avg_rating`] = ratings.mean
    report[`${category}_utility_score`] = ratings.mean === null ? null : ratings.mean / TOP
    report[`${category}_count`] = BigInt(ratings.n)
  }
  if (failed > 0) report.failed = BigInt(failed)
  if (fallback > 0) report.fallback = BigInt(fallback)
  return `${pythonJson(report, { indent: '  ', spaces: true, unicode: true })}\n`
}
