/** The order of verdicts and labels. */

/** By number, then by name. */
export const byNumber = (a: string, b: string): number =>
  Number(a) - Number(b) || a.localeCompare(b, 'en', { numeric: true })

const isNumber = (word: string) => word.trim() !== '' && Number.isFinite(Number(word))

/**
 * Each word once: first those that the display order has, then others by number or name. Numbers are by number if the display
 * order lacks one of them: it has labels, but not the scores of judges.
 */
export function inOrder(found: Iterable<string>, order: readonly string[] = []): string[] {
  const words = [...new Set(found)]
  const places = new Map(order.map((word, place) => [word, place]))
  const known = words.every((word) => places.has(word) || !isNumber(word))
  const place = (word: string) => (known || !isNumber(word) ? places.get(word) : undefined) ?? order.length
  return words.sort((a, b) => place(a) - place(b) || byNumber(a, b))
}
