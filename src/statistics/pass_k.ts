/**
 * Of items that were tried several times: how often all of k trials pass, and at least one of k.
 *
 * pass^k: the probability that all of k trials of an item succeed, the mean over items of C(c, k) / C(n, k), where c of n
 * trials passed (Yao, Shinn, Razavi, Narasimhan, "τ-bench: A Benchmark for Tool-Agent-User Interaction in Real-World
 * Domains", 2024, section 4). pass@k: that at least one of k does, the mean of 1 − C(n − c, k) / C(n, k) (Chen et al.,
 * "Evaluating Large Language Models Trained on Code", 2021, section 2.1). Both are unbiased, for k up to n.
 */
import { Histogram } from './describe.ts'
import { wilson } from './interval.ts'

type Interval = [low: number, high: number]

/** C(c, k) / C(n, k), the probability that k of n trials, drawn without putting back, are all among these c. */
function allOf(k: number, c: number, n: number): number {
  let share = 1
  for (let i = 0; i < k; i++) share *= Math.max(0, c - i) / (n - i)
  return share
}

/** The figure for one k: the mean over items and its interval. */
export interface PassK {
  k: number
  value: number
  ci: Interval | null
}

/** The largest k that is listed one by one; beyond it only the number of trials that each item has. */
const LISTED = 10

/** The k of which both figures are told: 1 to 10, and the least number of trials of an item. */
function listed(trials: Iterable<[passed: number, of: number, items: number]>): number[] {
  const most = Math.min(...[...trials].map(([, n]) => n))
  const first = Array.from({ length: Math.min(LISTED, most) }, (_, i) => i + 1)
  return most > LISTED ? [...first, most] : first
}

/**
 * Both figures for each k, with intervals over items: Wilson's where each item has 0 or 1, else Student's within 0 and 1.
 * @param trials how many items have how many passed trials of how many
 * @param level of the intervals
 */
export function passK(
  trials: readonly [passed: number, of: number, items: number][],
  level: number,
): { all: PassK[]; any: PassK[] } {
  const figure = (k: number, shareOf: (passed: number, of: number) => number): PassK => {
    const values = new Histogram()
    for (const [passed, of, items] of trials) values.add(shareOf(passed, of), items)
    return { k, value: values.mean!, ci: intervalOf(values, level) }
  }
  const ks = listed(trials)
  return {
    all: ks.map((k) => figure(k, (c, n) => allOf(k, c, n))),
    any: ks.map((k) => figure(k, (c, n) => 1 - allOf(k, n - c, n))),
  }
}

function intervalOf(values: Histogram, level: number): Interval | null {
  const entries = values.entries()
  if (entries.every(([value]) => value === 0 || value === 1))
    return wilson(Math.round(values.mean! * values.n), values.n, level)
  const [low, high] = values.interval(level) ?? []
  return low === undefined ? null : [Math.max(0, low), Math.min(1, high!)]
}
