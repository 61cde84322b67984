/** What a misspelt name was meant to be. */

/** The name with the fewest edits from `word`, where that is close enough to be a slip. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  let best: string | undefined
  let least = (word.length <= 3 ? 1 : Math.floor(word.length / 3) + 1) + 1
  for (const name of names) {
    const distance =
      name.startsWith(word) && word.length > 2 ? 1 : edits(word.toLowerCase(), name.toLowerCase())
    if (distance < least) {
      best = name
      least = distance
    }
  }
  return best
}

/** Levenshtein distance. */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}
