/** A line that is not blank, matched from its beginning so that a long blank line is scanned once. */
const LINE = /(?<![^\n])[^\S\n]*\S[^\n]*/g

/** A line that ends in an element: `<answer>8</answer>`. */
const ELEMENT =
  /<(answer|verdict|rating|score|grade|result|decision|winner|choice|better|label|final(?:_\w{1,20})?)>((?:[^<]|<(?!\/)){0,30})<\/(\w{1,30})>\s{0,40}$/i

/** The end of an element whose text is a line between its tags. */
const END = /^\s*<\/(\w{1,30})>\s*$/

/** The first and the last line that are not blank, without their tags, and where they begin; one line if they are the same. */
export function outerLines(text: string): { line: string; index: number }[] {
  const lines = [...text.matchAll(LINE)]
  const [, tag] = END.exec(lines.at(-1)?.[0] ?? '') ?? []
  if (tag !== undefined && ELEMENT.test(`${lines.at(-3)?.[0].trim()}</${tag}>`)) {
    lines.pop()
    if (lines.length === 2) lines.shift()
  }
  const outer = lines.length > 1 ? [lines[0]!, lines.at(-1)!] : lines
  return outer.map(({ 0: line, index }) => {
    const [, name, inner, end] = ELEMENT.exec(line) ?? []
    return inner === undefined || name !== end
      ? { line, index }
      : { line: inner, index: index + line.lastIndexOf(`${inner}</`) }
  })
}
