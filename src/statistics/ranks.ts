/** Ranks of models by their intervals. */

/**
 * For each model the best and the worst rank its interval allows: 1 + models whose lower bound is above its
 * upper one (Chatbot Arena's final_ranking), and the number of models less those whose upper bound is below its
 * lower one.
 */
export function rankIntervals(
  intervals: readonly (readonly [low: number, high: number])[],
): [number, number][] {
  const lows = intervals.map(([low]) => low).sort((a, b) => a - b)
  const highs = intervals.map(([, high]) => high).sort((a, b) => a - b)
  return intervals.map(([low, high]) => [
    1 + lows.length - countUpTo(lows, high),
    highs.length - countBelow(highs, low),
  ])
}

/** Values of a sorted list that are at most this one. */
function countUpTo(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! <= value) low = middle + 1
    else high = middle
  }
  return low
}

/** Values of a sorted list that are less than this one. */
function countBelow(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
