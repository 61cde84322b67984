/** Reports that fit the terminal: names are folded, then the last columns left out, and sentences broken at spaces. */

import { inLine } from '../rows/controls.ts'
import type { Context } from '../rows/stage.ts'
import { type Style, type Table, tableLines } from './_table.ts'
import { widthOf } from './_width.ts'
import { wrap } from './_wrap.ts'

/** Columns that a folded name has at least. */
const NARROWEST = 16
const GAP = 2

/** Columns of the terminal that a table has to fit; undefined where it goes elsewhere, all of it is wanted, or the terminal does not say. */
export const roomOf = ({ terminal, env }: Context, { wide }: { wide: boolean }): number | undefined =>
  terminal.output && !wide ? Number(env.COLUMNS) || terminal.columns || undefined : undefined

/**
 * A table's lines, and a sentence on the columns that have no room.
 * @param names columns that are names; @param total the last line stands apart
 */
export async function fittedLines(
  table: Table,
  style: Style,
  { room, names = 1, total = false }: { room: number | undefined; names?: number; total?: boolean },
): Promise<string[]> {
  const wide = await widthOf([...table.head, ...table.lines.flat()])
  const { left, ...fit } = fitted(table, wide, { room, names })
  const note = `not shown: ${[...new Set(left)].join(', ')} (--wide shows all columns)`
  return [
    ...tableLines(fit, wide, style, { names, total }),
    ...(left.length > 0 ? sentenceLines([note], room).map((line) => style(2, line)) : []),
  ]
}

/** Sentences in lines no wider than the room. */
export const sentenceLines = (sentences: readonly string[], room: number | undefined): string[] =>
  sentences.map(inLine).flatMap((words) => (room === undefined ? [words] : wrap(words, room)))

/** @returns the table in that room, and the heads of the columns that it has not */
function fitted(
  { head, lines }: Table,
  wide: (text: string) => number,
  { room, names }: { room: number | undefined; names: number },
): Table & { left: string[] } {
  const widths = head.map((_, i) => Math.max(...[head, ...lines].map((cells) => wide(cells[i]!))))
  const sum = (list: number[]) => list.reduce((all, one) => all + one + GAP, -GAP)
  if (room === undefined || sum(widths) <= room) return { head, lines, left: [] }
  const least = widths.map((width, i) => (i < names ? Math.min(width, NARROWEST) : width))
  // Names and the first figure stay, whatever the room.
  let count = head.length
  while (count > names + 1 && sum(least.slice(0, count)) > room) count--
  const kept = least.slice(0, count)
  // What is left goes to the names, the first ones first.
  let spare = Math.max(0, room - sum(kept))
  for (let i = 0; i < names; i++) {
    const more = Math.min(spare, widths[i]! - kept[i]!)
    kept[i]! += more
    spare -= more
  }
  return {
    head: head.slice(0, count),
    lines: lines.flatMap((cells) => foldedLines(cells.slice(0, count), kept, { wide, names })),
    left: head.slice(count),
  }
}

/** A line as several where its names are folded. */
function foldedLines(
  cells: string[],
  widths: number[],
  { wide, names }: { wide: (text: string) => number; names: number },
): string[][] {
  const parts = cells.map((cell, i) => (i < names ? folded(cell, widths[i]!, wide) : [cell]))
  const height = Math.max(...parts.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) => parts.map((part) => part[line] ?? ''))
}

/** A name in parts no wider than that, cut after a space or a sign where there is one. */
function folded(name: string, width: number, wide: (text: string) => number): string[] {
  const parts: string[] = []
  let now = ''
  for (const word of name.match(/[^\s/_:·-]*[\s/_:·-]*/g) ?? []) {
    if (now !== '' && wide((now + word).trimEnd()) > width) {
      parts.push(now.trimEnd())
      now = ''
    }
    for (const letter of word) {
      if (now !== '' && wide((now + letter).trimEnd()) > width) {
        parts.push(now.trimEnd())
        now = ''
      }
      now += letter
    }
  }
  return now === '' ? (parts.length > 0 ? parts : ['']) : [...parts, now.trimEnd()]
}
