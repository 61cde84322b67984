/** Ranks of models by their intervals. */

/**
 * The best and the worst rank that each model's interval allows. The best is 1 + the models whose lower bound is above its
 * upper bound (Chatbot Arena's final_ranking); the worst is the number of models less those whose upper bound is below its
 * lower bound.
 */
export function rankIntervals(
  intervals: readonly (readonly [low: number, high: number])[],
): [number, number][] {
  const lows = intervals.map(([low]) => low).sort((a, b) => a - b)
  const highs = intervals.map(([, high]) => high).sort((a, b) => a - b)
  return intervals.map(([low, high]) => [
    1 + lows.length - countWhile(lows, (one) => one <= high),
    highs.length - countWhile(highs, (one) => one < low),
  ])
}

/** How many values at the start of a sorted list satisfy a condition that later ones do not. */
function countWhile(sorted: readonly number[], holds: (value: number) => boolean): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(sorted[middle]!)) low = middle + 1
    else high = middle
  }
  return low
}
