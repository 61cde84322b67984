/**
 * The option that resembles a text most, as Python's difflib tells it: the measure is
 * SequenceMatcher(None, option, text).ratio(), to the last bit.
 */
import { byCodePoint } from '../python/unicode.ts'
import { grouped } from '../rows/maps.ts'

export interface Closest {
  option: string
  /** 0 to 1. */
  ratio: number
  /** Another option resembles the text as much. */
  tied: boolean
}

/**
 * The option with the highest ratio; of equal ones the last in the order of code points, as
 * difflib.get_close_matches(text, options, n=1, cutoff=0) gives it. Undefined without options.
 */
export function closest(text: string, options: readonly string[]): Closest | undefined {
  const measure = ratioTo(text)
  let best: Closest | undefined
  for (const option of options) {
    const ratio = measure(option)
    if (!best || ratio > best.ratio) best = { option, ratio, tied: false }
    else if (ratio === best.ratio)
      best = { option: byCodePoint(option, best.option) > 0 ? option : best.option, ratio, tied: true }
  }
  return best
}

/** The ratio of a text with itself as the second sequence: its index of characters is made once. */
export function ratioTo(text: string): (other: string) => number {
  const b = Array.from(text)
  const places = grouped(b.keys(), (j) => b[j]!)
  // In texts of 200 characters and more, a character that makes up over 1 % begins no match (difflib's autojunk).
  if (b.length >= 200) {
    const popular = Math.floor(b.length / 100) + 1
    for (const [char, list] of places) if (list.length > popular) places.delete(char)
  }
  return (other) => {
    const a = Array.from(other)
    const length = a.length + b.length
    return length === 0 ? 1 : (2 * matching(a, b, places)) / length
  }
}

/** Characters in matching blocks: the longest common block, then the same left and right of it. */
function matching(a: string[], b: string[], places: Map<string, number[]>): number {
  let sum = 0
  const open: [alo: number, ahi: number, blo: number, bhi: number][] = [[0, a.length, 0, b.length]]
  for (let range = open.pop(); range; range = open.pop()) {
    const [alo, ahi, blo, bhi] = range
    const [i, j, size] = longest(a, b, places, range)
    if (size === 0) continue
    sum += size
    if (alo < i && blo < j) open.push([alo, i, blo, j])
    if (i + size < ahi && j + size < bhi) open.push([i + size, ahi, j + size, bhi])
  }
  return sum
}

/** The longest common block in a range, the earliest in `a` and then in `b` of equal ones. */
function longest(
  a: string[],
  b: string[],
  places: Map<string, number[]>,
  [alo, ahi, blo, bhi]: [number, number, number, number],
): [i: number, j: number, size: number] {
  let [besti, bestj, size] = [alo, blo, 0]
  // Length of the common run that ends at each place of b, for the present and the previous place of a.
  let runs = new Map<number, number>()
  for (let i = alo; i < ahi; i++) {
    const next = new Map<number, number>()
    for (const j of places.get(a[i]!) ?? []) {
      if (j < blo) continue
      if (j >= bhi) break
      const run = (runs.get(j - 1) ?? 0) + 1
      next.set(j, run)
      if (run > size) [besti, bestj, size] = [i - run + 1, j - run + 1, run]
    }
    runs = next
  }
  // Popular characters begin no block but lengthen one.
  while (besti > alo && bestj > blo && a[besti - 1] === b[bestj - 1]) {
    besti--
    bestj--
    size++
  }
  while (besti + size < ahi && bestj + size < bhi && a[besti + size] === b[bestj + size]) size++
  return [besti, bestj, size]
}
