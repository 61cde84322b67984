/** Words in lines no wider than a terminal or a page. */

/** Lines of at most `width` columns, the first after `first`, the others after `rest`. A word that is longer stands whole. */
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
