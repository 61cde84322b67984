/** --next: the items to label next, taken by chance, the more often the less sure the judge is. */
import { countEach } from '../../rows/maps.ts'
import type { JsonObject } from '../../rows/record.ts'
import { seededWords } from '../../rows/seed.ts'
import type { Context } from '../../rows/stage.ts'
import { inclusionProbabilities, systematicSample } from '../../statistics/sampling.ts'
import type { AuditedJudges } from './collect.ts'
import type { JudgedItem } from './items.ts'

/** This share of the chance is the same for all items: the judge may also be wrong where it looks sure. */
const SAME_FOR_ALL = 0.5

/** Rows of `item` and `p`, the probability with which it was taken, in the order of the ids. */
export function nextItems(
  judges: AuditedJudges,
  { next, seed }: { next: number; seed: string },
  context: Context,
): JsonObject[] {
  const doubts = new Map<string, number>()
  const labelled = new Set<string>()
  for (const { items } of judges)
    for (const item of items) {
      if (item.truth.some((one) => one !== null)) labelled.add(item.id)
      if (item.judged === undefined || item.probe) continue
      doubts.set(item.id, Math.max(doubts.get(item.id) ?? 0, doubtOf(item)))
    }
  // By the hash of the id: no order of the rows changes what is taken.
  const ids = [...doubts.keys()].filter((id) => !labelled.has(id))
  const keys = new Map(ids.map((id) => [id, chanceOf(`${seed}\0next\0${id}`)]))
  ids.sort((x, y) => keys.get(x)! - keys.get(y)! || (x < y ? -1 : 1))
  if (ids.length > 0 && ids.length < next)
    context.note(`--next ${next}: only ${ids.length} items have a verdict and no label`)
  const total = ids.reduce((sum, id) => sum + doubts.get(id)!, 0)
  const equal = (total === 0 ? 1 : SAME_FOR_ALL) / ids.length
  const sizes = ids.map((id) => equal + (total === 0 ? 0 : ((1 - SAME_FOR_ALL) * doubts.get(id)!) / total))
  const probabilities = inclusionProbabilities(sizes, Math.min(next, ids.length))
  return systematicSample(probabilities, chanceOf(`${seed}\0start`))
    .map((i) => ({ item: ids[i]!, p: probabilities[i]! }))
    .sort((x, y) => (x.item < y.item ? -1 : 1))
}

/** Uniform from 0 to 1. */
const chanceOf = (text: string) => (seededWords(text)[0] + 0.5) / 2 ** 32

/** How unsure the judge is, 0 to 1: the share of the item's verdicts that are not its most frequent one, doubled; or 1 less its confidence. */
function doubtOf({ trials, p }: JudgedItem): number {
  const said = trials.flatMap(({ verdict }) =>
    verdict ? [String(verdict.decision ?? verdict.option ?? verdict.score ?? verdict.winner)] : [],
  )
  const most = Math.max(0, ...[...countEach(said)].map(([, times]) => times))
  const split = said.length === 0 ? 0 : Math.min(1, 2 * (1 - most / said.length))
  const confidence = p === undefined ? 1 : p > 1 ? p / 100 : p
  return Math.max(split, Math.min(1, Math.max(0, 1 - confidence)))
}
