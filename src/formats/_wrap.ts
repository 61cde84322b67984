/** Lines of at most `width` columns. The first begins with `first`, the others with `rest`; a longer word is not cut. */
export function wrap(text: string, width: number, first = '', rest = first): string[] {
  const lines: string[] = []
  let line = first
  let empty = true
  for (const word of text.split(/\s+/)) {
    if (!empty && line.length + 1 + word.length > width) {
      lines.push(line)
      line = rest
      empty = true
    }
    line += empty ? word : ` ${word}`
    empty = false
  }
  lines.push(line)
  return lines
}
