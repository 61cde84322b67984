/** A line that is not blank, matched from its beginning so that a long blank line is scanned once. */
const LINE = /(?<![^\n])[^\S\n]*\S[^\n]*/g

/** The first and the last line that are not blank, and where they begin; one line if they are the same. */
export function outerLines(text: string): { line: string; index: number }[] {
  const lines = [...text.matchAll(LINE)]
  const outer = lines.length > 1 ? [lines[0]!, lines.at(-1)!] : lines
  return outer.map(({ 0: line, index }) => ({ line, index }))
}
