/**
 * The option most similar to a text, by Python's difflib: SequenceMatcher(None, option, text).ratio(), to the last bit.
 * https://docs.python.org/3/library/difflib.html
 */

import { grouped } from '../rows/maps.ts'
import { byCodePoint } from './unicode.ts'

interface Closest {
  option: string
  /** 0 to 1. */
  ratio: number
  /** Another option has the same ratio. */
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

/** Compares other texts with this one, whose index of characters is made once: difflib's second sequence. */
export function ratioTo(text: string): (other: string) => number {
  const b = Array.from(text)
  const places = grouped(b.keys(), (j) => b[j]!)
  // In texts of 200 characters and more, a character that makes up over 1 % cannot begin a match (difflib's autojunk).
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

/** The number of characters in matching blocks: those of the longest common block, then of the text on either side of it. */
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

/** The longest common block in a range; of equal ones the earliest in `a`, then in `b`. */
function longest(
  a: string[],
  b: string[],
  places: Map<string, number[]>,
  [alo, ahi, blo, bhi]: [number, number, number, number],
): [i: number, j: number, size: number] {
  let [besti, bestj, size] = [alo, blo, 0]
  // Length of the common run that ends at each index of b, for the previous index of a.
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
  // Popular characters cannot begin a block, but can extend one.
  while (besti > alo && bestj > blo && a[besti - 1] === b[bestj - 1]) {
    besti--
    bestj--
    size++
  }
  while (besti + size < ahi && bestj + size < bhi && a[besti + size] === b[bestj + size]) size++
  return [besti, bestj, size]
}
