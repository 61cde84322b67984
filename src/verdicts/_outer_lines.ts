/** A line that is not blank, from its beginning on, so that a long blank one is looked at once. */
const LINE = /(?<![^\n])[^\S\n]*\S[^\n]*/g

/** The first and the last line of a text that are not blank, with where they begin: one where they are the same. */
export function outerLines(text: string): { line: string; index: number }[] {
  const lines = [...text.matchAll(LINE)]
  const outer = lines.length > 1 ? [lines[0]!, lines.at(-1)!] : lines
  return outer.map(({ 0: line, index }) => ({ line, index }))
}
