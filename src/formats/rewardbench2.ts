/**
 * `jb-write rewardbench2`: domains and score of RewardBench 2, from rows with `subset` and `scores` (or `ratings`), or from
 * verdicts of the judges rewardbench_ratings and rewardbench_four on `answers`. Right answers come first (`num_correct` of
 * them, else one). A prompt of the domain Ties with a failed rating (-1 or null) is left out; the original, and
 * --compat rewardbench2, count the rating as -1.
 */
import { getOrInsert } from '../rows/maps.ts'
import { EXIT } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { Sum } from '../statistics/sum.ts'
import type { Format } from './_format.ts'
import { OneJudge } from './_one_judge.ts'
import { bestOf, DOMAINS, overallOf, ratedOf, type TiesPrompt, tiesScore } from './_rewardbench.ts'

/** The original's credit for a prompt whose four ratings all failed. */
const UNREAD = 0.25

export const format: Format = {
  about: 'RewardBench 2: six domains and score of rows with scores of four or more answers',
  unjudged: 'pass',
  fields: ['model'],
  async *write(rows, options, context) {
    const original = options.compat === 'rewardbench2'
    const sums = new Map<string, { n: number; sum: Sum }>()
    const ties: TiesPrompt[] = []
    const one = new OneJudge('rewardbench2')
    let failed = 0
    for await (const batch of rows)
      for (const row of batch) {
        const domain = String(row.field('subset') ?? '')
        const isTies = domain === 'Ties'
        // Ties are always rated, also by who names the best of four elsewhere.
        one.check(row, isTies ? domain : '')
        const found = (isTies ? tiesPromptOf : creditOf)(row, scoresOf(row), original)
        if (found === undefined) failed++
        else if (typeof found === 'object') ties.push(found)
        else {
          const of = getOrInsert(sums, domain, () => ({ n: 0, sum: new Sum() }))
          of.n++
          of.sum.add(found)
        }
      }
    const scores = Object.fromEntries(
      DOMAINS.map((domain) => [domain, domain === 'Ties' ? tiesScore(ties) : meanOf(sums.get(domain))]),
    )
    if (sums.size === 0 && ties.length === 0)
      context.finish(EXIT.gate, 'nothing was measured: no row has scores, ratings or a verdict')
    tellMissing(scores, ties.length > 0, failed, context.note)
    const report = {
      model: one.model,
      Score: overallOf(Object.values(scores), null),
      ...scores,
      failed: failed || undefined,
    }
    yield `${JSON.stringify(report)}\n`
  },
}

const meanOf = (of: { n: number; sum: Sum } | undefined) => (of ? of.sum.value / of.n : null)

/** Notes the domains without a score, and why, and the items that are left out. */
function tellMissing(
  scores: Record<string, number | null>,
  rated: boolean,
  failed: number,
  note: Context['note'],
): void {
  const without = DOMAINS.filter((domain) => scores[domain] === null && !(domain === 'Ties' && rated))
  if (without.length > 0) note(`domains that no row has: ${without.join(', ')}`)
  if (scores.Ties === null && rated)
    note('Ties has no score: it needs prompts with one right answer (id ref:N) and with several (tied:N)')
  if (failed > 0)
    note(
      `${failed} items with a failed rating are left out (--compat rewardbench2 counts them as the original does)`,
    )
}

/** Scores of the answers, null for a failed one; undefined if the row has none. */
function scoresOf(row: Row): (number | null)[] | undefined {
  const ratings = row.field('ratings')
  const scores = row.field('scores') ?? ratings
  if (!Array.isArray(scores)) return ratedOf(row)
  return scores
    .flat(2)
    .map((one) => (typeof one === 'number' && !(ratings !== undefined && one === -1) ? one : null))
}

/** Undefined for a prompt that is left out. */
function tiesPromptOf(
  row: Row,
  scores: (number | null)[] | undefined,
  original: boolean,
): TiesPrompt | undefined {
  if (!scores || (scores.includes(null) && !original)) return undefined
  const correct = Number(row.field('num_correct') ?? 1)
  return { id: String(row.field('id')), correct, scores: scores.map((score) => score ?? -1) }
}

/** The credit for a prompt of another domain; undefined for one that is left out. */
function creditOf(row: Row, scores: (number | null)[] | undefined, original: boolean): number | undefined {
  const winner = row.has('error') ? undefined : row.get('result')?.winner
  if (!scores) {
    if (winner !== undefined) return Number(winner === 0)
    return original ? UNREAD : undefined
  }
  const known = scores.filter((one) => one !== null)
  if (known.length < scores.length && !original) return undefined
  if (known.length === 0) return UNREAD
  // If the right answer's rating failed, it cannot share the top score.
  return scores[0] === null ? 0 : bestOf([scores[0]!, ...scores.slice(1).filter((one) => one !== null)])
}
