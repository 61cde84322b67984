/** Fits reports to the terminal: wraps names, then drops the last columns; breaks sentences at spaces. */

import { inLine, inMarkdown } from '../rows/controls.ts'
import type { Context } from '../rows/stage.ts'
import { columnWidths, markdownTable, type Style, type Table, tableLines } from './_table.ts'
import { textWidth } from './_text_width.ts'
import { wrap } from './_wrap.ts'

/** Least width of a wrapped name. */
const NARROWEST = 16
const GAP = 2

/** The terminal's width, which a table has to fit; undefined outside a terminal, or if it is not known. */
export type Room = number | undefined

export const roomOf = ({ terminal, env }: Context): Room =>
  terminal.output ? Number(env.COLUMNS) || terminal.columns || undefined : undefined

/**
 * A table's lines, and a sentence that names the columns left out.
 * @param names how many columns are names; @param total set the last line apart
 */
export function fittedLines(
  table: Table,
  style: Style,
  { room, names = 1, total = false }: { room: Room; names?: number; total?: boolean },
): string[] {
  const { left, ...fit } = fitted(table, room, names)
  const note = `not shown: ${[...new Set(left)].join(', ')} (--format table | less -S shows all)`
  return [
    ...tableLines(fit, style, { names, total }),
    ...(left.length > 0 ? sentenceLines([note], room).map((line) => style(2, line)) : []),
  ]
}

/**
 * A table with sentences below it, for a terminal and in Markdown.
 * @param names how many columns are names
 * @param said how many of the sentences say the result: the others are dim
 */
export const tableForms = (table: Table, sentences: readonly string[], names = 1, said = 1) => ({
  table: (style: Style, room: Room): string => {
    const lines = fittedLines(table, style, { room, names })
    const closing = [
      ...sentenceLines(sentences.slice(0, said), room),
      ...sentenceLines(sentences.slice(said), room).map((line) => style(2, line)),
    ]
    return `${[...lines, ...(closing.length > 0 ? ['', ...closing] : [])].join('\n')}\n`
  },
  markdown: (): string =>
    markdownTable(table, names) + sentences.map((line) => `\n${inMarkdown(line)}\n`).join(''),
})

/** A line of a list, wrapped below where its words begin. @param name with the blanks that follow */
export const listEntry = (name: string, about: string, room: Room): string =>
  `${room === undefined ? name + about : wrap(about, room, name, ' '.repeat(name.length)).join('\n')}\n`

/** Sentences wrapped to the room. */
export const sentenceLines = (sentences: readonly string[], room: Room): string[] =>
  sentences.map(inLine).flatMap((words) => (room === undefined ? [words] : wrap(words, room)))

/** @returns the table fitted to the room, and the heads of the columns left out */
function fitted({ head, lines }: Table, room: Room, names: number): Table & { left: string[] } {
  const widths = columnWidths({ head, lines })
  const sum = (list: number[]) => list.reduce((all, one) => all + one + GAP, -GAP)
  if (room === undefined || sum(widths) <= room) return { head, lines, left: [] }
  const least = widths.map((width, i) => (i < names ? Math.min(width, NARROWEST) : width))
  // Names and the first figure always stay.
  let count = head.length
  while (count > names + 1 && sum(least.slice(0, count)) > room) count--
  const kept = least.slice(0, count)
  // Names get the remaining width, in order.
  let spare = Math.max(0, room - sum(kept))
  for (let i = 0; i < names; i++) {
    const more = Math.min(spare, widths[i]! - kept[i]!)
    kept[i]! += more
    spare -= more
  }
  return {
    head: head.slice(0, count),
    lines: lines.flatMap((cells) => foldedLines(cells.slice(0, count), kept, names)),
    left: head.slice(count),
  }
}

/** A table line as several lines, where its names wrap. */
function foldedLines(cells: string[], widths: number[], names: number): string[][] {
  const parts = cells.map((cell, i) => (i < names ? folded(cell, widths[i]!) : [cell]))
  const height = Math.max(...parts.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) => parts.map((part) => part[line] ?? ''))
}

/** A name in parts of at most that width, cut after a space or punctuation where possible. */
function folded(name: string, width: number): string[] {
  const parts: string[] = []
  let now = ''
  for (const word of name.match(/[^\s/_:·-]*[\s/_:·-]*/g) ?? []) {
    if (now !== '' && textWidth((now + word).trimEnd()) > width) {
      parts.push(now.trimEnd())
      now = ''
    }
    for (const letter of word) {
      if (now !== '' && textWidth((now + letter).trimEnd()) > width) {
        parts.push(now.trimEnd())
        now = ''
      }
      now += letter
    }
  }
  return now === '' ? (parts.length > 0 ? parts : ['']) : [...parts, now.trimEnd()]
}
